// Pieces of the rows of one result: a block puts some rows together in shared memory and writes them as they lie there.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --target-option=processors=2 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-opt %s --fxgraph-to-gpu="entry=narrow processors=2" | FileCheck %s --check-prefix=JOINED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=narrow processors=4096" | FileCheck %s --check-prefix=FEWER
// RUN: fx-opt %s --fxgraph-to-gpu="entry=halves processors=2" | FileCheck %s --check-prefix=JOINED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=bools processors=2" | FileCheck %s --check-prefix=JOINED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=single processors=2" | FileCheck %s --check-prefix=JOINED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=equal processors=2" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=two processors=2" | FileCheck %s --check-prefix=TWO
// RUN: fx-opt %s --fxgraph-to-gpu="entry=whole_sectors processors=2" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=small processors=2" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=wide processors=2" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=turned processors=2" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=rows processors=2" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=divided processors=2" | FileCheck %s --check-prefixes=JOINED,DIVIDED
// JOINED: gpu.func @k0_{{.*}}kind = "joined rows"
// JOINED: gpu.barrier
// JOINED: vector.store
// FEWER: kind = "joined rows", rows = 16 : i64
// NONE-NOT: joined rows
// TWO-COUNT-2: kind = "joined rows"

// A block of fewer rows at the end; a function of a piece, and an operand that broadcasts.
func.func @narrow(%x: tensor<9101x32xf32>, %y: tensor<9101x5xf32>, %z: tensor<9101x1xf32>, %w: tensor<9101x20xf32>, %b: tensor<20xf32>) -> tensor<9101x58xf32> {
  %0 = fxgraph.exp %y : tensor<9101x5xf32>
  %1 = fxgraph.add %w, %b : (tensor<9101x20xf32>, tensor<20xf32>) -> tensor<9101x20xf32>
  %2 = fxgraph.cat %x, %0, %z, %1 dim 1 : (tensor<9101x32xf32>, tensor<9101x5xf32>, tensor<9101x1xf32>, tensor<9101x20xf32>) -> tensor<9101x58xf32>
  return %2 : tensor<9101x58xf32>
}

// Odd rows of 16 bits, in three dimensions; one of them a view with gaps.
func.func @halves(%x: tensor<7x3001x3xf16>, %y: tensor<7x3001x61xf16>, %z: tensor<7x3001x11xf16>) -> tensor<7x3001x73xf16> {
  %0 = fxgraph.slice %z dim 2 from 1 to 10 step 1 : (tensor<7x3001x11xf16>) -> tensor<7x3001x9xf16>
  %1 = fxgraph.cat %x, %y, %0 dim 2 : (tensor<7x3001x3xf16>, tensor<7x3001x61xf16>, tensor<7x3001x9xf16>) -> tensor<7x3001x73xf16>
  return %1 : tensor<7x3001x73xf16>
}

func.func @bools(%x: tensor<40960x21xf16>, %y: tensor<40960x50xi1>) -> tensor<40960x71xi1> {
  %0 = fxgraph.gt %x, %x : (tensor<40960x21xf16>, tensor<40960x21xf16>) -> tensor<40960x21xi1>
  %1 = fxgraph.cat %0, %y dim 1 : (tensor<40960x21xi1>, tensor<40960x50xi1>) -> tensor<40960x71xi1>
  return %1 : tensor<40960x71xi1>
}

// Columns one by one: a stack along the last dimension.
func.func @single(%x: tensor<300003xf32>, %y: tensor<300003xf32>) -> tensor<300003x2xf32> {
  %0 = fxgraph.exp %y : tensor<300003xf32>
  %1 = fxgraph.stack %x, %0 dim 1 : (tensor<300003xf32>, tensor<300003xf32>) -> tensor<300003x2xf32>
  return %1 : tensor<300003x2xf32>
}

func.func @whole_sectors(%x: tensor<10001x32xf32>, %y: tensor<10001x24xf32>) -> tensor<10001x56xf32> {
  %0 = fxgraph.cat %x, %y dim 1 : (tensor<10001x32xf32>, tensor<10001x24xf32>) -> tensor<10001x56xf32>
  return %0 : tensor<10001x56xf32>
}

func.func @small(%x: tensor<1001x31xf32>, %y: tensor<1001x24xf32>) -> tensor<1001x55xf32> {
  %0 = fxgraph.cat %x, %y dim 1 : (tensor<1001x31xf32>, tensor<1001x24xf32>) -> tensor<1001x55xf32>
  return %0 : tensor<1001x55xf32>
}

func.func @wide(%x: tensor<1001x331xf32>, %y: tensor<1001x524xf32>) -> tensor<1001x855xf32> {
  %0 = fxgraph.cat %x, %y dim 1 : (tensor<1001x331xf32>, tensor<1001x524xf32>) -> tensor<1001x855xf32>
  return %0 : tensor<1001x855xf32>
}

// A piece that goes through shared memory itself.
func.func @turned(%x: tensor<31x20001xf32>, %y: tensor<20001x24xf32>) -> tensor<20001x55xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<31x20001xf32>) -> tensor<20001x31xf32>
  %1 = fxgraph.cat %0, %y dim 1 : (tensor<20001x31xf32>, tensor<20001x24xf32>) -> tensor<20001x55xf32>
  return %1 : tensor<20001x55xf32>
}

// Rows behind each other are none of this.
func.func @rows(%x: tensor<10001x31xf32>, %y: tensor<20001x31xf32>) -> tensor<30002x31xf32> {
  %0 = fxgraph.cat %x, %y dim 0 : (tensor<10001x31xf32>, tensor<20001x31xf32>) -> tensor<30002x31xf32>
  return %0 : tensor<30002x31xf32>
}

// Equal pieces are one kernel.
func.func @equal(%x: tensor<50001x7xf32>, %y: tensor<50001x7xf32>, %z: tensor<50001x7xf32>) -> tensor<50001x21xf32> {
  %0 = fxgraph.cat %x, %y, %z dim 1 : (tensor<50001x7xf32>, tensor<50001x7xf32>, tensor<50001x7xf32>) -> tensor<50001x21xf32>
  return %0 : tensor<50001x21xf32>
}

// Two results at once, each by its own blocks.
func.func @two(%x: tensor<9101x32xf32>, %y: tensor<9101x29xf32>, %z: tensor<9101x35xf32>) -> (tensor<9101x61xf32>, tensor<9101x64xf32>) {
  %0 = fxgraph.cat %x, %y dim 1 : (tensor<9101x32xf32>, tensor<9101x29xf32>) -> tensor<9101x61xf32>
  %1 = fxgraph.cat %z, %y dim 1 : (tensor<9101x35xf32>, tensor<9101x29xf32>) -> tensor<9101x64xf32>
  return %0, %1 : tensor<9101x61xf32>, tensor<9101x64xf32>
}

// All pieces are loaded before the first is divided.
// DIVIDED: load
// DIVIDED: arith.divf
// DIVIDED-NOT: load
// DIVIDED: gpu.barrier
func.func @divided(%x: tensor<9101x31xf32>, %y: tensor<9101x5xf32>, %z: tensor<9101x22xf32>) -> tensor<9101x58xf32> {
  %0 = fxgraph.sigmoid %x : tensor<9101x31xf32>
  %1 = fxgraph.cat %0, %y, %z dim 1 : (tensor<9101x31xf32>, tensor<9101x5xf32>, tensor<9101x22xf32>) -> tensor<9101x58xf32>
  return %1 : tensor<9101x58xf32>
}
