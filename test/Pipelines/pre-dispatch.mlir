// Names and order of the pre-dispatch list, as Inductor's add_passes and remove_passes change it.
// RUN: fx-opt %s --fxgraph-pre-dispatch --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s
// CHECK: func.func
// CHECK-NEXT: fxgraph-normalize{count-synonyms=false counter=normalization_pass_aten
// CHECK-NEXT: fxgraph-normalize{count-synonyms=true counter=normalize_node_kwargs_pass {{.*}}view-to-reshape=true
// CHECK-NEXT: fxgraph-noop-remove{counter=remove_noop_pass
// CHECK-NEXT: fxgraph-predispatch-relu-nan-to-num{mode=merge}
// CHECK-NEXT: fxgraph-predispatch-fuse-chunk-reshape-concat
// CHECK-NEXT: fxgraph-group-batch-linear{
// CHECK-NEXT: fxgraph-group-batch-linear-lhs{
// CHECK-NEXT: fxgraph-group-batch-layernorm{
// CHECK-NEXT: fxgraph-group-batch-tanh{
// CHECK-NEXT: fxgraph-group-batch-sigmoid{
// CHECK-NEXT: fxgraph-group-batch-relu{
// CHECK-NEXT: fxgraph-normalize{count-synonyms=true counter=normalize_node_kwargs_pass
// CHECK-NEXT: fxgraph-predispatch-fuse-chunk-squeeze-cat
// CHECK-NEXT: fxgraph-predispatch-merge-concats
// CHECK-NEXT: fxgraph-predispatch-fuse-split-linear-add{numerics=relaxed}
// CHECK-NEXT: fxgraph-predispatch-remove-reshape
// CHECK-NEXT: fxgraph-group-fuse-parallel-linear{{.*}}numerics=relaxed
// CHECK-NEXT: fxgraph-predispatch-remove-split-ops
// CHECK-NEXT: fxgraph-predispatch-stack-to-unsqueeze
// CHECK-NEXT: fxgraph-predispatch-fuse-chunk-reshape-unsqueeze-concat
// CHECK-NEXT: fxgraph-noop-remove{counter=remove_noop_pass
// CHECK-NOT: fxgraph-

// A name that is there twice goes twice; the last run of remove_noop_pass has a name of its own.
// RUN: fx-opt %s --fxgraph-pre-dispatch="remove=normalize_node_kwargs_pass,remove_noop_pass,group-batch-fusion-passes" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMOVE
// REMOVE: fxgraph-normalize{
// REMOVE-NEXT: fxgraph-predispatch-relu-nan-to-num{mode=merge}
// REMOVE-NEXT: fxgraph-predispatch-fuse-chunk-reshape-concat
// REMOVE-NEXT: fxgraph-predispatch-fuse-chunk-squeeze-cat
// REMOVE: fxgraph-predispatch-fuse-chunk-reshape-unsqueeze-concat
// REMOVE-NEXT: fxgraph-noop-remove{
// RUN: fx-opt %s --fxgraph-pre-dispatch="remove=remove_noop" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: fxgraph-noop-remove
// LAST-NOT: fxgraph-noop-remove

// One of the list that is added runs a second time; the optional ones run when asked for, in their order, and
// so does one that is removed and added.
// RUN: fx-opt %s --fxgraph-pre-dispatch="add=use_triton_lce_replace_normal_LCE,use_triton_dot_compress,merge_concats_pass,split_cat_pass_aten,remove_split_ops_pass remove=remove_split_ops_pass" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=ADD
// ADD: fxgraph-predispatch-merge-concats
// ADD-NOT: remove-split-ops
// ADD: fxgraph-predispatch-fuse-chunk-reshape-unsqueeze-concat
// ADD-NEXT: fxgraph-predispatch-merge-concats
// ADD-NEXT: fxgraph-predispatch-remove-split-ops
// ADD-NEXT: fxgraph-predispatch-dot-compress
// ADD-NEXT: fxgraph-predispatch-normal-lce{numerics=relaxed}
// ADD-NEXT: fxgraph-splitcat-cancel
// ADD-NEXT: fxgraph-splitcat-split-cat
// ADD-NEXT: fxgraph-noop-remove{

// RUN: fx-opt %s --fxgraph-pre-dispatch="numerics=exact stabilize-relu=true min-fuse-set-size=2" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXACT
// EXACT: fxgraph-predispatch-relu-nan-to-num{mode=stabilize}
// EXACT-NOT: batch-linear
// EXACT: fxgraph-group-batch-layernorm{{.*}}min-fuse-set-size=2{{.*}}numerics=exact
// EXACT: fxgraph-predispatch-fuse-split-linear-add{numerics=exact}

// Inductor ignores what it does not know.
// RUN: not fx-opt %s --fxgraph-pre-dispatch="add=merge_concat_pass" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: fxgraph-pre-dispatch: unknown pass 'merge_concat_pass' in add: expected one of normalization_pass_aten, normalize_node_kwargs_pass, {{.*}}, remove_split_with_size_one_pass_aten{{$}}
// RUN: not fx-opt %s --fxgraph-pre-dispatch="add=remove_noop" 2>&1 | FileCheck %s --check-prefix=NOOP
// NOOP: unknown pass 'remove_noop' in add: expected one of
// RUN: not fx-opt %s --fxgraph-pre-dispatch="remove=merge_concat_pass" 2>&1 | FileCheck %s --check-prefix=UNKNOWN-REMOVE
// UNKNOWN-REMOVE: unknown pass 'merge_concat_pass' in remove: expected one of {{.*}}, remove_noop{{$}}
// RUN: not fx-opt %s --fxgraph-pre-dispatch="numerics=fast" 2>&1 | FileCheck %s --check-prefix=NUMERICS
// NUMERICS: fxgraph-pre-dispatch: expected numerics to be exact, reassociate or relaxed but got 'fast'

// In place of the fusions of the pre-grad pipeline, whose add-passes and remove-passes then speak of this list.
// RUN: fx-opt %s --fxgraph-pre-grad="is-predispatch=true numerics=reassociate add-passes=use_triton_dot_compress remove-passes=merge_concats_pass,remove_noop" --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PREGRAD
// PREGRAD: fxgraph-linear-permute-fuse
// PREGRAD-NEXT: fxgraph-normalize{{.*}}counter=normalization_pass_aten
// PREGRAD-NOT: merge-concats
// PREGRAD: fxgraph-predispatch-fuse-split-linear-add{numerics=reassociate}
// PREGRAD: fxgraph-predispatch-fuse-chunk-reshape-unsqueeze-concat
// PREGRAD-NEXT: fxgraph-predispatch-dot-compress
// PREGRAD-NOT: noop-remove
// RUN: not fx-opt %s --fxgraph-pre-grad="is-predispatch=true add-passes=merge_concat_pass" 2>&1 | FileCheck %s --check-prefix=PREGRAD-UNKNOWN
// PREGRAD-UNKNOWN: fxgraph-pre-dispatch: unknown pass 'merge_concat_pass' in add: expected one of

// All that can be removed.
// RUN: fx-opt %s --fxgraph-pre-dispatch="remove=normalization_pass_aten,normalize_node_kwargs_pass,remove_noop_pass,relu_nan_to_num,fuse_chunk_reshape_concat_pass,group_batch_fusion_passes,fuse_chunk_squeeze_cat_pass,merge_concats_pass,fuse_split_linear_add_pass,remove_reshape_pass,fuse_parallel_linear_pass,remove_split_ops_pass,stack_to_unsqueeze_pass,fuse_chunk_reshape_unsqueeze_concat_pass,remove_noop" -o %t.same
// RUN: fx-opt %s | diff - %t.same

// What the list does together; on one function too; twice is once.
// RUN: fx-opt %s --fxgraph-pre-dispatch="report=%t.json" -o %t.once
// RUN: FileCheck %s --check-prefix=RESULT < %t.once
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// RUN: fx-opt %t.once --fxgraph-pre-dispatch -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-pre-dispatch))' | FileCheck %s --check-prefix=RESULT
// REPORT-DAG: "fuse_chunk_reshape_concat_pass": 1
// REPORT-DAG: "normalization_pass_aten": 2
// REPORT-DAG: "normalize_node_kwargs_pass": 3
// REPORT-DAG: "relu_nan_to_num": 1
// REPORT-DAG: "remove_noop_pass": 1

// RESULT-LABEL: func @main
// RESULT-NEXT: %[[R:.+]] = fxgraph.relu_nan_to_num %{{.+}} : tensor<6x8xf32>
// RESULT-NEXT: %[[V:.+]] = fxgraph.reshape %[[R]] shape [6, 2, 4]
// RESULT-NEXT: %[[P:.+]] = fxgraph.permute %[[V]] dims [1, 0, 2] : (tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
// RESULT-NEXT: %[[Q:.+]] = fxgraph.reshape %[[P]] shape [2, 24]
// RESULT-NEXT: fxgraph.neg %[[Q]]
func.func @main(%x: tensor<6x8xf32>) -> tensor<2x24xf32> {
  %0 = fxgraph.relu %x : tensor<6x8xf32>
  %1 = fxgraph.nan_to_num %0 : tensor<6x8xf32>
  %2 = fxgraph.view %1 shape [-1, 8] : tensor<6x8xf32> -> tensor<6x8xf32>
  %p:2 = fxgraph.chunk %2 chunks 2 dim -1 : (tensor<6x8xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>)
  %3 = fxgraph.view %p#0 shape [24] : tensor<6x4xf32> -> tensor<24xf32>
  %4 = fxgraph.view %p#1 shape [24] : tensor<6x4xf32> -> tensor<24xf32>
  %5 = fxgraph.stack %3, %4 dim -2 : (tensor<24xf32>, tensor<24xf32>) -> tensor<2x24xf32>
  %6 = fxgraph.neg %5 : tensor<2x24xf32>
  return %6 : tensor<2x24xf32>
}
