// Options of the pipeline: Inductor's names, its order, and errors that say what was expected.

// RUN: split-file %s %t
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=split-cat,batch_tanh{max_fuse_set_size=7},normalization_pass permute-fusion=false freezing=false" \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: func.func(
// ORDER-NEXT: fxgraph-normalize
// ORDER-NEXT: fxgraph-group-batch-tanh{{{.*}}max-fuse-set-size=7{{.*}}}
// ORDER-NEXT: fxgraph-splitcat-cancel
// ORDER-NEXT: fxgraph-splitcat-split-cat

// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad=numerics=exact --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXACT
// EXACT-NOT: fxgraph-group-batch-linear
// EXACT-NOT: fxgraph-convbn
// EXACT: fxgraph-group-batch-layernorm{{{.*}}numerics=exact
// EXACT: fxgraph-group-batch-tanh
// EXACT-NOT: fxgraph-group-batch-clamp

// Keys that are not in the default pipeline.
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=batch-clamp,batch-layernorm" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: fxgraph-group-batch-clamp
// NAMED-NEXT: fxgraph-group-batch-layernorm{{{.*}}numerics=relaxed

// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad=fusions=batch-quux 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown fusion 'batch-quux': expected one of normalization-pass, batch-linear

// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=batch-tanh{counter=2}" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: fusion 'batch_tanh' has no option 'counter'

// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=batch-tanh{min-fuse-set-size=-2}" 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: expected a number >= 0 for 'min-fuse-set-size' of 'batch_tanh' but got '-2'

// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad=numerics=sloppy 2>&1 | FileCheck %s --check-prefix=NUMERICS
// NUMERICS: expected numerics=exact or numerics=relaxed but got 'sloppy'

// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/options.yaml --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=YAML
// YAML: func.func(
// YAML-NEXT: fxgraph-normalize
// YAML-NEXT: fxgraph-group-batch-relu{{{.*}}min-fuse-set-size=2{{.*}}}
// YAML-NEXT: )
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/options.json --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=YAML
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/bad.yaml 2>&1 | FileCheck %s --check-prefix=BADKEY
// BADKEY: bad.yaml': unknown key 'pre_grad_fusions'
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/missing.yaml 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: cannot read config '{{.*}}missing.yaml': No such file or directory

//--- f.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- options.yaml
pre_grad_fusion_options:
  batch_relu: {min_fuse_set_size: 2}
  normalization_pass: {}
permute_fusion: false
freezing: false
//--- options.json
{"pre_grad_fusion_options": {"batch_relu": {"min_fuse_set_size": 2}, "normalization_pass": {}},
 "permute_fusion": false, "freezing": false}
//--- bad.yaml
pre_grad_fusions: {}
