// Options of the pipelines behind autodiff: Inductor's names, its order, and errors that say
// what was expected.

// RUN: split-file %s %t
// RUN: fx-opt %t/f.mlir --fxgraph-post-grad --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: func.func(
// ORDER-NEXT: fxgraph-postgrad-view-to-reshape
// ORDER-NEXT: fxgraph-postgrad-reorder-for-locality
// ORDER-NEXT: fxgraph-noop-remove
// ORDER-NEXT: fxgraph-postgrad-remove-asserts
// ORDER-NEXT: fxgraph-splitcat-cat-slice-cat
// ORDER-NEXT: fxgraph-postgrad-scatter-upon-const-tensor
// ORDER-NEXT: fxgraph-postgrad-prepare-softmax
// ORDER-NEXT: fxgraph-postgrad-pointless-cumsum
// ORDER-NEXT: fxgraph-postgrad-randperm-index
// ORDER-NEXT: fxgraph-postgrad-e8m0-rceil{default-device=cpu
// ORDER-NEXT: fxgraph-matmul-activation-addmm
// ORDER-NEXT: fxgraph-splitcat-cancel
// ORDER-NEXT: fxgraph-matmul-unfuse-bias-add
// ORDER-NEXT: fxgraph-matmul-addmm
// ORDER-NEXT: fxgraph-postgrad-reuse-partial
// ORDER-NEXT: fxgraph-postgrad-move-constructors
// ORDER-NEXT: fxgraph-mutation-reinplace
// ORDER-NEXT: fxgraph-mutation-decompose-triton-kernel-wrapper
// ORDER-NEXT: fxgraph-mutation-decompose-auto-functionalized
// ORDER-NEXT: fxgraph-mutation-decompose-scan-to-while-loop
// ORDER-NEXT: fxgraph-mutation-decompose-map-to-while-loop

// Batch fusions first, those that need fbgemm behind the others; the rest in key order.
// RUN: fx-opt %t/f.mlir --fxgraph-post-grad="fusions=normalization_aten_pass,group_linear{require_fbgemm=true},decompose_mm_pass{min_first_dimension_decomposition=100},batch_aten_tanh{max_fuse_set_size=7} is-inference=false" \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSIONS --implicit-check-not=reorder-for-locality
// FUSIONS: fxgraph-group-batch-aten-tanh{{{.*}}max-fuse-set-size=7
// FUSIONS-NEXT: fxgraph-group-group-linear
// FUSIONS-NEXT: fxgraph-noop-remove
// FUSIONS: fxgraph-postgrad-reuse-partial
// FUSIONS-NEXT: fxgraph-normalize{{{.*}}counter=normalization_aten_pass
// FUSIONS-NEXT: fxgraph-matmul-decompose-mm{{{.*}}min-first-dimension-decomposition=100
// FUSIONS: fxgraph-postgrad-move-constructors

// RUN: fx-opt %t/f.mlir --fxgraph-post-grad="pattern-matcher=false bucket-all-gathers-fx=fsdp bucket-reduce-scatters-fx=all micro-pipeline-tp=true fuse-ddp-communication=true overlap-scheduling=true collective-bucketing=true" \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=DIST --implicit-check-not=matmul
// DIST: fxgraph-distributed-micro-pipeline-tp
// DIST-NEXT: fxgraph-distributed-fuse-ddp
// DIST-NEXT: fxgraph-postgrad-move-constructors
// DIST-NEXT: fxgraph-distributed-bucket-reduce-scatter{{{.*}}mode=default
// DIST-NEXT: fxgraph-distributed-bucket-all-gather{{{.*}}mode=fsdp
// DIST-NEXT: fxgraph-distributed-overlap-scheduling
// DIST-NEXT: fxgraph-mutation-reinplace

// RUN: fx-opt %t/f.mlir --fxgraph-post-grad=config=%t/config.yaml --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=CONFIG
// CONFIG-NOT: reorder-for-locality
// CONFIG: fxgraph-matmul-mm-plus-mm
// CONFIG: fxgraph-splitcat-split-cat-aten{{{.*}}threshold-to-cat=5

// RUN: fx-opt %t/f.mlir --fxgraph-joint-graph="fallback-random=false force-shape-pad=true shape-padding-multiplier=1.5 k-threshold-to-pad=4096" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=JOINT
// JOINT: fxgraph-jointgraph-canonicalize-quant-mapping
// JOINT-NEXT: fxgraph-noop-remove
// JOINT-NEXT: fxgraph-jointgraph-constant-fold-uniform-value
// JOINT-NEXT: fxgraph-jointgraph-pointless-views
// JOINT-NEXT: fxgraph-jointgraph-pointless-convert
// JOINT-NEXT: fxgraph-matmul-pad-mm{{{.*}}force-shape-pad=true k-threshold-to-pad=4096 {{.*}}shape-padding-multiplier=1.5
// JOINT-NEXT: fxgraph-attention-fuse
// JOINT-NEXT: fxgraph-jointgraph-fix-iota-device
// JOINT-NEXT: fxgraph-matmul-bmm-to-mm
// JOINT-NEXT: fxgraph-jointgraph-scaled-softmax
// JOINT-NEXT: fxgraph-jointgraph-replace-random
// JOINT-NEXT: fxgraph-jointgraph-fuse-seed-creation

// RUN: fx-opt %t/f.mlir --fxgraph-freezing=pack-weights=true --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=FREEZING
// FREEZING: fxgraph-freezing-binary-folding
// FREEZING-NEXT: fxgraph-freezing-matmul-concat
// FREEZING-NEXT: fxgraph-noop-remove
// FREEZING-NEXT: fxgraph-onednn-weight-only-int8
// FREEZING-NEXT: fxgraph-onednn-quantized-views
// FREEZING-NEXT: fxgraph-onednn-quantized-products{default-device=cpu
// FREEZING-NEXT: fxgraph-onednn-pack-weights
// FREEZING-NEXT: fxgraph-onednn-fuse-binary
// FREEZING-NEXT: fxgraph-onednn-fuse-unary
// FREEZING-NEXT: fxgraph-onednn-quantized-results

// RUN: not fx-opt %t/f.mlir --fxgraph-post-grad=fusions=batch-linear 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: fxgraph-post-grad: unknown fusion 'batch-linear': expected one of batch-linear-post-grad, group-linear
// RUN: not fx-opt %t/f.mlir --fxgraph-post-grad="fusions=batch_aten_add{counter=2}" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: fusion 'batch_aten_add' has no option 'counter': expected min-fuse-set-size
// RUN: not fx-opt %t/f.mlir --fxgraph-post-grad="fusions=shape_padding_multiplier{value=-1}" 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: expected a number > 0 for 'value' of 'shape_padding_multiplier' but got '-1'
// RUN: not fx-opt %t/f.mlir --fxgraph-post-grad=bucket-all-reduces-fx=fsdp 2>&1 | FileCheck %s --check-prefix=BUCKET
// BUCKET: fxgraph-post-grad: expected bucket-all-reduces-fx to be none or all but got 'fsdp'
// RUN: not fx-opt %t/f.mlir --fxgraph-joint-graph=numerics=fast 2>&1 | FileCheck %s --check-prefix=NUMERICS
// NUMERICS: fxgraph-joint-graph: expected numerics to be exact, reassociate or relaxed but got 'fast'
// RUN: not fx-opt %t/f.mlir --fxgraph-joint-graph=shape-padding-multiplier=-1 2>&1 | FileCheck %s --check-prefix=FACTOR
// FACTOR: fxgraph-joint-graph: expected shape-padding-multiplier to be a number > 0 but got '-1'
// RUN: not fx-opt %t/f.mlir --fxgraph-joint-graph=mode=fastest 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: fxgraph-joint-graph: expected mode=inductor or mode=best but got 'fastest'
// RUN: not fx-opt %t/f.mlir --fxgraph-freezing=default-device=tpux 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: fxgraph-freezing: expected default-device to be one of {{.*}} but got 'tpux'
// RUN: not fx-opt %t/f.mlir --fxgraph-post-grad="custom-post-pass={no-such-pass}" 2>&1 | FileCheck %s --check-prefix=CUSTOM
// CUSTOM: fxgraph-post-grad: expected custom-post-pass to be passes on func.func but got 'no-such-pass'

//--- f.mlir
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}

//--- config.yaml
post_grad_fusion_options:
  split_cat_aten_pass: {threshold_to_cat: 5}
reorder_for_locality: false
max_autotune: true
