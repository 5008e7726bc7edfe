// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather{mode=multi-dtype}))' | FileCheck %s --check-prefix=MULTI
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather{mode=fsdp}))' | FileCheck %s --check-prefix=FSDP
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather{bucket-cap-mb=0.0001,0.00005}))' | FileCheck %s --check-prefix=CAP
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather))' -o %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather))' -o %t.twice
// RUN: diff %t.once %t.twice

// Each mode and rank: the same values on the grid of processes.
// RUN: fx-run %s --entry='*' --ranks=2 --inputs=seed:1 -o %t.npz
// RUN: fx-run %t.once --entry='*' --ranks=2 --inputs=seed:1 --compare=%t.npz
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather{mode=multi-dtype}))' | fx-run - --entry='*' --ranks=2 --inputs=seed:1 --compare=%t.npz
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather{mode=fsdp}))' | fx-run - --entry='*' --ranks=2 --inputs=seed:1 --compare=%t.npz

// A use of the first member that stands before the last one moves behind the bucket; three members.
// CHECK-LABEL: func.func @early_user
// CHECK: fxgraph.cat %{{.+}}, %{{.+}}, %{{.+}} dim 0 : (tensor<12xf32>, tensor<10xf32>, tensor<7xf32>) -> tensor<29xf32>
// CHECK: fxgraph.all_gather_into_tensor
// CHECK-NOT: fxgraph.all_gather_into_tensor
// CHECK: fxgraph.relu
// CHECK: return
func.func @early_user(%a: tensor<4x3xf32>, %b: tensor<2x5xf32>, %c: tensor<7xf32>) -> (tensor<8x3xf32>, tensor<4x5xf32>, tensor<14xf32>) {
  %a0s = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<4x3xf32>) -> tensor<8x3xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<8x3xf32>) -> tensor<8x3xf32>
  %r = fxgraph.relu %a0 : tensor<8x3xf32>
  %b0s = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<2x5xf32>) -> tensor<4x5xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %c0s = fxgraph.all_gather_into_tensor %c group "g" of 2 : (tensor<7xf32>) -> tensor<14xf32>
  %c0 = fxgraph.wait_tensor %c0s : (tensor<14xf32>) -> tensor<14xf32>
  return %r, %b0, %c0 : tensor<8x3xf32>, tensor<4x5xf32>, tensor<14xf32>
}

// Dtypes mix in one mode only: there bytes travel as integers of the narrowest width.
// CHECK-LABEL: func.func @dtypes
// CHECK-COUNT-2: fxgraph.all_gather_into_tensor
// MULTI-LABEL: func.func @dtypes
// MULTI: fxgraph.view_dtype %{{.+}} : tensor<6xf32> to tensor<12xi16>
// MULTI: fxgraph.view_dtype %{{.+}} : tensor<4xbf16> to tensor<4xi16>
// MULTI: fxgraph.all_gather_into_tensor %{{.+}} : (tensor<16xi16>) -> tensor<32xi16>
// MULTI: fxgraph.split_with_sizes %{{.+}} sizes [12, 4] dim 1
// MULTI: fxgraph.view_dtype %{{.+}} : tensor<2x12xi16> to tensor<2x6xf32>
// MULTI: fxgraph.view_dtype %{{.+}} : tensor<2x4xi16> to tensor<2x4xbf16>
// MULTI-NOT: fxgraph.all_gather_into_tensor
func.func @dtypes(%a: tensor<2x3xf32>, %b: tensor<4xbf16>) -> (tensor<4x3xf32>, tensor<8xbf16>) {
  %a0s = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<2x3xf32>) -> tensor<4x3xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %b0s = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<4xbf16>) -> tensor<8xbf16>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<8xbf16>) -> tensor<8xbf16>
  return %a0, %b0 : tensor<4x3xf32>, tensor<8xbf16>
}

// Of fully sharded data parallelism are arguments and casts of them, not what is computed.
// CHECK-LABEL: func.func @fsdp
// CHECK: fxgraph.all_gather_into_tensor
// CHECK-NOT: fxgraph.all_gather_into_tensor
// FSDP-LABEL: func.func @fsdp
// FSDP: fxgraph.all_gather_into_tensor %{{.+}} : (tensor<4xbf16>) -> tensor<8xbf16>
// FSDP: fxgraph.all_gather_into_tensor %{{.+}} : (tensor<8xbf16>) -> tensor<16xbf16>
// FSDP-NOT: fxgraph.all_gather_into_tensor
func.func @fsdp(%a: tensor<4xf32>, %b: tensor<4xbf16>) -> (tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>) {
  %cast = fxgraph.convert_element_type %a : (tensor<4xf32>) -> tensor<4xbf16>
  %a0s = fxgraph.all_gather_into_tensor %cast group "g" of 2 : (tensor<4xbf16>) -> tensor<8xbf16>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<8xbf16>) -> tensor<8xbf16>
  %sum = fxgraph.add %cast, %b : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %c0s = fxgraph.all_gather_into_tensor %sum group "g" of 2 : (tensor<4xbf16>) -> tensor<8xbf16>
  %c0 = fxgraph.wait_tensor %c0s : (tensor<8xbf16>) -> tensor<8xbf16>
  %b0s = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<4xbf16>) -> tensor<8xbf16>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<8xbf16>) -> tensor<8xbf16>
  return %a0, %b0, %c0 : tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>
}

// A cap of 104 bytes for the first bucket: two of 48; of 52 for all others: one each.
// MULTI-LABEL: func.func @fsdp
// CHECK-LABEL: func.func @caps
// FSDP-LABEL: func.func @caps
// CAP-LABEL: func.func @caps
// CAP: fxgraph.all_gather_into_tensor %{{.+}} : (tensor<12xf32>) -> tensor<24xf32>
// CAP: fxgraph.all_gather_into_tensor %{{.+}} : (tensor<6xf32>) -> tensor<12xf32>
// CAP: fxgraph.all_gather_into_tensor %{{.+}} : (tensor<6xf32>) -> tensor<12xf32>
func.func @caps(%a: tensor<6xf32>, %b: tensor<6xf32>, %c: tensor<6xf32>, %d: tensor<6xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
  %a0s = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<12xf32>) -> tensor<12xf32>
  %b0s = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<12xf32>) -> tensor<12xf32>
  %c0s = fxgraph.all_gather_into_tensor %c group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %c0 = fxgraph.wait_tensor %c0s : (tensor<12xf32>) -> tensor<12xf32>
  %d0s = fxgraph.all_gather_into_tensor %d group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %d0 = fxgraph.wait_tensor %d0s : (tensor<12xf32>) -> tensor<12xf32>
  return %a0, %b0, %c0, %d0 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
}

// Waits in another order than the starts; an empty member; the same input twice.
// CHECK-LABEL: func.func @crossed
// CHECK: fxgraph.all_gather_into_tensor %{{.+}} : (tensor<12xf32>) -> tensor<24xf32>
// CHECK-NOT: fxgraph.all_gather_into_tensor
func.func @crossed(%a: tensor<6xf32>, %b: tensor<0x3xf32>) -> (tensor<12xf32>, tensor<0x3xf32>, tensor<12xf32>) {
  %0 = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %1 = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<0x3xf32>) -> tensor<0x3xf32>
  %2 = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %3 = fxgraph.wait_tensor %2 : (tensor<12xf32>) -> tensor<12xf32>
  %4 = fxgraph.wait_tensor %0 : (tensor<12xf32>) -> tensor<12xf32>
  %5 = fxgraph.wait_tensor %1 : (tensor<0x3xf32>) -> tensor<0x3xf32>
  return %4, %5, %3 : tensor<12xf32>, tensor<0x3xf32>, tensor<12xf32>
}
