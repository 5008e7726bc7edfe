// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-distributed-micro-pipeline-tp{groups=g,h}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.fused

func.func @no_symmetric_memory(%x: tensor<4x6xf32>, %w: tensor<6x5xf32>) -> (tensor<8x5xf32>, tensor<4x5xf32>) {
  // expected-remark@below {{the group has no symmetric memory}}
  %as = fxgraph.all_gather_into_tensor %x group "dp" of 2 : (tensor<4x6xf32>) -> tensor<8x6xf32>
  %a = fxgraph.wait_tensor %as : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %0 = fxgraph.mm %a, %w : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
  // expected-remark@below {{the group has no symmetric memory}}
  %rs = fxgraph.reduce_scatter_tensor %0 op "sum" group "dp" of 2 : (tensor<8x5xf32>) -> tensor<4x5xf32>
  %r = fxgraph.wait_tensor %rs : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0, %r : tensor<8x5xf32>, tensor<4x5xf32>
}

// -----

func.func @right_factor(%x: tensor<4x6xf32>, %w: tensor<5x8xf32>) -> tensor<5x6xf32> {
  // expected-remark@below {{no product has the gathered tensor on its left}}
  %as = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<4x6xf32>) -> tensor<8x6xf32>
  %a = fxgraph.wait_tensor %as : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %0 = fxgraph.mm %w, %a : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// -----

func.func @weight_depends(%x: tensor<4x8xf32>) -> tensor<8x8xf32> {
  // expected-remark@below {{the other factors depend on the gather, or on a collective of the group behind it}}
  %as = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %a = fxgraph.wait_tensor %as : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %w = fxgraph.relu %a : tensor<8x8xf32>
  %0 = fxgraph.mm %a, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// The weight is gathered behind: the fused op would change the order of the two.
func.func @order_of_starts(%x: tensor<4x6xf32>, %v: tensor<3x5xf32>) -> tensor<8x5xf32> {
  // expected-remark@below {{the other factors depend on the gather, or on a collective of the group behind it}}
  %as = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<4x6xf32>) -> tensor<8x6xf32>
  %a = fxgraph.wait_tensor %as : (tensor<8x6xf32>) -> tensor<8x6xf32>
  // expected-remark@below {{no product has the gathered tensor on its left}}
  %ws = fxgraph.all_gather_into_tensor %v group "g" of 2 : (tensor<3x5xf32>) -> tensor<6x5xf32>
  %w = fxgraph.wait_tensor %ws : (tensor<6x5xf32>) -> tensor<6x5xf32>
  %0 = fxgraph.mm %a, %w : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

func.func @small_last(%x: tensor<2x1023xf32>, %w: tensor<2046x3xf32>) -> tensor<2x3xf32> {
  // expected-remark@below {{the shard's last extent is below 1024}}
  %gs = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<2x1023xf32>) -> tensor<4x1023xf32>
  %g = fxgraph.wait_tensor %gs : (tensor<4x1023xf32>) -> tensor<4x1023xf32>
  %p:2 = fxgraph.split %g size 2 dim 0 : (tensor<4x1023xf32>) -> (tensor<2x1023xf32>, tensor<2x1023xf32>)
  %a = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x1023xf32>, tensor<2x1023xf32>) -> tensor<2x2046xf32>
  %0 = fxgraph.mm %a, %w : (tensor<2x2046xf32>, tensor<2046x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @last_with_users(%x: tensor<2x1024xf32>, %w: tensor<2048x3xf32>) -> (tensor<2x3xf32>, tensor<2x2048xf32>) {
  // expected-remark@below {{the tensor gathered along its last dimension has other users}}
  %gs = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<2x1024xf32>) -> tensor<4x1024xf32>
  %g = fxgraph.wait_tensor %gs : (tensor<4x1024xf32>) -> tensor<4x1024xf32>
  %p:2 = fxgraph.split %g size 2 dim 0 : (tensor<4x1024xf32>) -> (tensor<2x1024xf32>, tensor<2x1024xf32>)
  %a = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x1024xf32>, tensor<2x1024xf32>) -> tensor<2x2048xf32>
  %0 = fxgraph.mm %a, %w : (tensor<2x2048xf32>, tensor<2048x3xf32>) -> tensor<2x3xf32>
  %n = fxgraph.neg %a : tensor<2x2048xf32>
  return %0, %n : tensor<2x3xf32>, tensor<2x2048xf32>
}

// -----

// Parts in another order are no gather along dimension 1.
func.func @swapped_parts(%x: tensor<2x3xf32>, %w: tensor<6x3xf32>) -> tensor<2x3xf32> {
  // expected-remark@below {{no product has the gathered tensor on its left}}
  %gs = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<2x3xf32>) -> tensor<4x3xf32>
  %g = fxgraph.wait_tensor %gs : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %p:2 = fxgraph.split %g size 2 dim 0 : (tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %a = fxgraph.cat %p#1, %p#0 dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %0 = fxgraph.mm %a, %w : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @product_with_users(%x: tensor<8x6xf32>, %w: tensor<6x3xf32>) -> (tensor<4x3xf32>, tensor<8x3xf32>) {
  %0 = fxgraph.mm %x, %w : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  // expected-remark@below {{the product has other users}}
  %rs = fxgraph.reduce_scatter_tensor %0 op "sum" group "g" of 2 : (tensor<8x3xf32>) -> tensor<4x3xf32>
  %r = fxgraph.wait_tensor %rs : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %n = fxgraph.neg %0 : tensor<8x3xf32>
  return %r, %n : tensor<4x3xf32>, tensor<8x3xf32>
}

// -----

func.func @largest(%x: tensor<8x6xf32>, %w: tensor<6x3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.mm %x, %w : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  // expected-remark@below {{the reduction is neither sum nor avg}}
  %rs = fxgraph.reduce_scatter_tensor %0 op "max" group "g" of 2 : (tensor<8x3xf32>) -> tensor<4x3xf32>
  %r = fxgraph.wait_tensor %rs : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// -----

func.func @no_product(%x: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.neg %x : tensor<8x6xf32>
  // expected-remark@below {{what is scattered is no product, nor its parts along a dimension}}
  %rs = fxgraph.reduce_scatter_tensor %0 op "sum" group "g" of 2 : (tensor<8x6xf32>) -> tensor<4x6xf32>
  %r = fxgraph.wait_tensor %rs : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

func.func @unwaited_user(%x: tensor<8x6xf32>, %w: tensor<6x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = fxgraph.mm %x, %w : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  // expected-remark@below {{the collective has other users than one wait and the graph's result}}
  %rs = fxgraph.reduce_scatter_tensor %0 op "sum" group "g" of 2 : (tensor<8x3xf32>) -> tensor<4x3xf32>
  %r = fxgraph.wait_tensor %rs : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %n = fxgraph.neg %rs : tensor<4x3xf32>
  return %r, %n : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// The scales of the rows are gathered behind the rows: the fused op would change the order of the two.
func.func @scales_are_gathered(%x: tensor<4x6xf8E4M3FN>, %w: tensor<6x5xf8E4M3FN>, %rows: tensor<4x1xf32>, %columns: tensor<1x5xf32>) -> tensor<8x5xf32> {
  // expected-remark@below {{the other factors depend on the gather, or on a collective of the group behind it}}
  %as = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<4x6xf8E4M3FN>) -> tensor<8x6xf8E4M3FN>
  %a = fxgraph.wait_tensor %as : (tensor<8x6xf8E4M3FN>) -> tensor<8x6xf8E4M3FN>
  // expected-remark@below {{no product has the gathered tensor on its left}}
  %ss = fxgraph.all_gather_into_tensor %rows group "g" of 2 : (tensor<4x1xf32>) -> tensor<8x1xf32>
  %s = fxgraph.wait_tensor %ss : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %0 = fxgraph.scaled_mm %a, %w scales %s, %columns : (tensor<8x6xf8E4M3FN>, tensor<6x5xf8E4M3FN>, tensor<8x1xf32>, tensor<1x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

// A scale that is computed from what is gathered.
func.func @scale_depends(%x: tensor<4x6xf8E4M3FN>, %w: tensor<6x5xf8E4M3FN>, %t: tensor<f32>) -> tensor<8x5xf32> {
  // expected-remark@below {{the other factors depend on the gather, or on a collective of the group behind it}}
  %as = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<4x6xf8E4M3FN>) -> tensor<8x6xf8E4M3FN>
  %a = fxgraph.wait_tensor %as : (tensor<8x6xf8E4M3FN>) -> tensor<8x6xf8E4M3FN>
  %f = fxgraph.convert_element_type %a : (tensor<8x6xf8E4M3FN>) -> tensor<8x6xf32>
  %s = fxgraph.sum %f : (tensor<8x6xf32>) -> tensor<f32>
  %0 = fxgraph.scaled_mm %a, %w scales %s, %t : (tensor<8x6xf8E4M3FN>, tensor<6x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

func.func @scaled_last(%x: tensor<2x1024xf8E4M3FN>, %w: tensor<2048x3xf8E4M3FN>, %s: tensor<f32>) -> tensor<2x3xf32> {
  // expected-remark@below {{a scaled product takes no tensor that is gathered along its last dimension}}
  %gs = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<2x1024xf8E4M3FN>) -> tensor<4x1024xf8E4M3FN>
  %g = fxgraph.wait_tensor %gs : (tensor<4x1024xf8E4M3FN>) -> tensor<4x1024xf8E4M3FN>
  %p:2 = fxgraph.split %g size 2 dim 0 : (tensor<4x1024xf8E4M3FN>) -> (tensor<2x1024xf8E4M3FN>, tensor<2x1024xf8E4M3FN>)
  %a = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x1024xf8E4M3FN>, tensor<2x1024xf8E4M3FN>) -> tensor<2x2048xf8E4M3FN>
  %0 = fxgraph.scaled_mm %a, %w scales %s, %s : (tensor<2x2048xf8E4M3FN>, tensor<2048x3xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @scaled_scatter_last(%x: tensor<3x6xf8E4M3FN>, %w: tensor<6x4xf8E4M3FN>, %s: tensor<f32>) -> tensor<3x2xf32> {
  %0 = fxgraph.scaled_mm %x, %w scales %s, %s : (tensor<3x6xf8E4M3FN>, tensor<6x4xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<3x4xf32>
  %p:2 = fxgraph.split %0 size 2 dim 1 : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<6x2xf32>
  // expected-remark@below {{a scaled product is not scattered along its last dimension}}
  %rs = fxgraph.reduce_scatter_tensor %c op "sum" group "g" of 2 : (tensor<6x2xf32>) -> tensor<3x2xf32>
  %r = fxgraph.wait_tensor %rs : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

func.func @scaled_with_users(%x: tensor<4x6xf8E4M3FN>, %w: tensor<6x5xf8E4M3FN>, %s: tensor<f32>) -> (tensor<2x5xf32>, tensor<4x5xf32>) {
  %0 = fxgraph.scaled_mm %x, %w scales %s, %s : (tensor<4x6xf8E4M3FN>, tensor<6x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<4x5xf32>
  // expected-remark@below {{the product has other users}}
  %rs = fxgraph.reduce_scatter_tensor %0 op "sum" group "g" of 2 : (tensor<4x5xf32>) -> tensor<2x5xf32>
  %r = fxgraph.wait_tensor %rs : (tensor<2x5xf32>) -> tensor<2x5xf32>
  return %r, %0 : tensor<2x5xf32>, tensor<4x5xf32>
}
