// Options of the pipeline: Inductor's names, its order, and errors that say what was expected.

// RUN: split-file %s %t
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=split-cat,batch_tanh{max_fuse_set_size=7},normalization_pass permute-fusion=false freezing=false" \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: func.func(
// ORDER-NEXT: fxgraph-splitcat-sink-cat-after-pointwise
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
// OPTION: fusion 'batch_tanh' has no option 'counter': expected min-fuse-set-size, max-fuse-set-size, max-fuse-search-depth, profitable-only, freezing, fuse-nodes-with-same-parent, devices

// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=batch-tanh{min-fuse-set-size=-2}" 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: expected a number >= 0 for 'min-fuse-set-size' of 'batch_tanh' but got '-2'

// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=batch-tanh{min-fuse-set-size=5000000000}" 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: expected a number < 2^32 for 'min-fuse-set-size' of 'batch_tanh' but got '5000000000'
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="min-fuse-set-size=-1" 2>&1 | FileCheck %s --check-prefix=LEAST --implicit-check-not=normalize
// LEAST: fxgraph-pre-grad: expected min-fuse-set-size between 2 and 4294967295 but got -1
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="max-fuse-set-size=4" 2>&1 | FileCheck %s --check-prefix=MOST
// MOST: fxgraph-pre-grad: expected max-fuse-set-size between 5 and 4294967295 but got 4
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-dispatch="max-fuse-search-depth=-1" 2>&1 | FileCheck %s --check-prefix=DEPTH --implicit-check-not=normalize
// DEPTH: fxgraph-pre-dispatch: expected max-fuse-search-depth between 0 and 4294967295 but got -1
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="mode=best max-rounds=-1" 2>&1 | FileCheck %s --check-prefix=ROUNDS --implicit-check-not=normalize
// ROUNDS: fxgraph-pre-grad: expected max-rounds between 1 and 4294967295 but got -1

// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad=numerics=sloppy 2>&1 | FileCheck %s --check-prefix=NUMERICS
// NUMERICS: expected numerics to be exact, reassociate or relaxed but got 'sloppy'

// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/options.yaml --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=YAML
// YAML: func.func(
// YAML-NEXT: fxgraph-splitcat-sink-cat-after-pointwise
// YAML-NEXT: fxgraph-normalize
// YAML-NEXT: fxgraph-group-batch-relu{{{.*}}min-fuse-set-size=2{{.*}}}
// YAML-NEXT: fxgraph-quantization-lift-up
// YAML-NEXT: )
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/options.json --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=YAML
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/bad.yaml 2>&1 | FileCheck %s --check-prefix=BADKEY
// BADKEY: bad.yaml': unknown key 'pre_grad_fusions'
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/missing.yaml 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: cannot read config '{{.*}}missing.yaml': No such file or directory

// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/maybe.yaml 2>&1 | FileCheck %s --check-prefix=MAYBE
// MAYBE: maybe.yaml': expected true or false for pre_grad in fx_passes_numeric_check but got 'maybe'
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/twice.yaml 2>&1 | FileCheck %s --check-prefix=TWICEKEY
// TWICEKEY: twice.yaml': expected each key once but got pre_grad_fusion_options twice

// RUN: %python -c "print('mode: ' + '[' * 100000)" > %t/deep.yaml
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/deep.yaml 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: deep.yaml': expected at most 64 levels of brackets

// Names in a dictionary are there once; a pass of the wrong kind is named.
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=split-cat,split_cat_pass" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: expected each fusion once but got 'split_cat_pass' twice

// counter repeats a pattern pass; normalization_pass has none.
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=merge-splits{counter=2} permute-fusion=false freezing=false" \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTER
// COUNTER-COUNT-2: fxgraph-splitcat-merge-splits
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=normalization-pass{counter=2}" 2>&1 | FileCheck %s --check-prefix=NOCOUNTER
// NOCOUNTER: fusion 'normalization_pass' has no option 'counter': expected devices

// Inductor ignores the users' key for linears of one input.
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=batch-linear-lhs{fuse-nodes-with-same-users=true}" 2>&1 | FileCheck %s --check-prefix=LHS
// LHS: fusion 'batch_linear_lhs' has no option 'fuse-nodes-with-same-users'

// With a dictionary batch norms fold as Inductor counts.
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=none" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHAINS
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOCHAINS
// CHAINS: fxgraph-convbn-fold{norm-chains=false
// NOCHAINS: fxgraph-convbn-fold{norm-chains=true

// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=split-cat{counter=1000000}" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: expected a counter <= 1000 for 'split_cat_pass' but got '1000000'

// add-passes and remove-passes change the list.
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="add-passes=batch_clamp remove-passes=batch-tanh,unbind-stack" \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=LISTS
// LISTS-NOT: fxgraph-group-batch-tanh
// LISTS: fxgraph-group-batch-clamp
// LISTS-NOT: fxgraph-splitcat-stack-unbind-cancel
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="remove-passes=batch-quux" 2>&1 | FileCheck %s --check-prefix=REMOVE
// REMOVE: remove-passes: unknown fusion 'batch-quux': expected one of

// devices: the entry waits for a graph on such a device.
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad=config=%t/devices.yaml --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEVICES
// DEVICES: fxgraph-on-devices{{.*}}devices={cuda,xpu} pipeline={fxgraph-group-batch-tanh{{{.*}}fuse-nodes-with-same-parent=true{{.*}}}

// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=none{devices=nosuch}" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: unknown fusion 'none'
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=batch-tanh{devices=cuda,nosuch}" 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: fxgraph-pre-grad: expected device types among cpu, cuda, {{.*}}xpu{{.*}}privateuseone for 'devices' of 'batch_tanh' but got 'nosuch'
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=batch-tanh{devices=cuda:1}" 2>&1 | FileCheck %s --check-prefix=NUMBERED
// NUMBERED: expected device types among cpu, cuda, {{.*}} but got 'cuda:1'

// mode=best runs in rounds; numeric-check compares the whole graph around it; what
// is printed can be run again.
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="mode=best max-rounds=3 numeric-check=true precision=1e-3 num-iterations=2" \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=BEST
// BEST: fxgraph-numeric-check{iterations=2 on-mismatch=error pipeline={fxgraph-fixpoint{max-rounds=3 freezing=true pipeline={fxgraph-normalize,fxgraph-noop-remove
// BEST-SAME: precision=1.0{{0*}}e-03
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="mode=fast" 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: expected mode=inductor or mode=best but got 'fast'
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="numeric-check=true num-iterations=0" 2>&1 | FileCheck %s --check-prefix=ITERATIONS
// ITERATIONS: fxgraph-pre-grad: expected num-iterations to be a whole number >= 1 but got '0'
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="numeric-check=true precision=-1" 2>&1 | FileCheck %s --check-prefix=PRECISION
// PRECISION: fxgraph-pre-grad: expected precision to be a finite number >= 0 but got '-1'
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="numeric-check=true precision=nan" 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: fxgraph-pre-grad: expected precision to be a finite number >= 0 but got 'nan'
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="numeric-check=true precision=0 num-iterations=1" -o /dev/null

// threshold_to_cat belongs to the passes that look for runs of pieces.
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=split-cat-to-slices{threshold-to-cat=3},move_reshape_out_of_split_stack" \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: fxgraph-splitcat-split-cat-to-slices{{{.*}}threshold-to-cat=3}
// RUNS: fxgraph-splitcat-move-reshape-out-of-split-stack

// Weights that change are scaled in the graph instead of folded.
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="freezing=false efficient-conv-bn-eval=true" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=EVAL
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="efficient-conv-bn-eval=true" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=FOLD
// EVAL-NOT: convbn-fold
// EVAL: fxgraph-convbn-efficient-eval
// FOLD: fxgraph-convbn-fold
// FOLD-NOT: fxgraph-convbn-efficient-eval

// The user's own pass runs after the fusions.
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=normalization-pass custom-pass={canonicalize,cse}" \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=CUSTOM
// CUSTOM: fxgraph-normalize
// CUSTOM: canonicalize
// CUSTOM: cse
// CUSTOM-NEXT: fxgraph-quantization-lift-up
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="custom-pass={zzz}" 2>&1 | FileCheck %s --check-prefix=ZZZ --implicit-check-not=normalize
// ZZZ: fxgraph-pre-grad: expected custom-pass to be passes on func.func but got 'zzz': 'zzz' does not refer to a registered pass or pass pipeline
// RUN: not fx-opt %t/f.mlir --fxgraph-pre-grad="custom-pass={cse,canonicalize{foo=1}}" 2>&1 | FileCheck %s --check-prefix=FOO --implicit-check-not=normalize
// FOO: fxgraph-pre-grad: expected custom-pass to be passes on func.func but got 'cse,canonicalize{foo=1}': {{.*}}foo

// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=none gumbel-max=true" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=GUMBEL
// RUN: fx-opt %t/f.mlir --fxgraph-pre-grad="fusions=einsum-to-pointwise gumbel-max=true numerics=exact" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOGUMBEL
// GUMBEL: fxgraph-algebra-gumbel-max{numerics=relaxed}
// NOGUMBEL-NOT: fxgraph-algebra

//--- f.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- maybe.yaml
fx_passes_numeric_check: {pre_grad: maybe}
//--- twice.yaml
pre_grad_fusion_options: {batch_relu: {}}
pre_grad_fusion_options: {}
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
//--- devices.yaml
pre_grad_fusion_options:
  batch_tanh:
    devices: [cuda, xpu]
    fuse_nodes_with_same_parent: yes
fx_passes_numeric_check: {pre_grad: false, precision: 1e-4, num_iterations: 1, requires_optimizer: true}
