// What goes wrong is one clear error, exit code 1, and no output file.

// RUN: rm -rf %t && mkdir -p %t
// RUN: fx-run %s --entry=give --inputs=seed:1 -o %t/given.npz

// RUN: not fx-run %s -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: fx-run: error: no input for 'x' (tensor<2x3xf32>), 'arg1' (tensor<3xi64>); give a file that has it, or --inputs=seed:N

// RUN: not fx-run %s --entry=wrong --inputs=%t/given.npz --inputs=seed:1 -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: run-errors.mlir:[[#@LINE+38]]:{{[0-9]+}}: error: expected 'out0' of type 'tensor<3x2xf32>' but got tensor<2x3xf32>

// RUN: not fx-run %s --inputs=%t/none.npz -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: fx-run: error: {{.*}}none.npz: cannot be opened: No such file
// RUN: not fx-run %s --inputs=%s -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=SUFFIX
// SUFFIX: fx-run: error: {{.*}}: expected a file name that ends in .npz, .npy or .safetensors
// RUN: not fx-run %s --inputs=seed:x 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: fx-run: error: expected --inputs=seed:<number> but got 'seed:x'
// RUN: not fx-run %s --inputs=seed:1 --dim=s0 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: fx-run: error: expected --dim=<symbol>=<extent> but got 's0'
// RUN: not fx-run %s --entry=nothing --inputs=seed:1 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: fx-run: error: expected a function 'nothing' but {{.*}} has none of this name
// RUN: not fx-run %s --target=npu --inputs=seed:1 -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: expected a target among {{.*}}ref{{.*}} but got 'npu'

// Run-time errors are located at the op.
// RUN: not fx-run %s --entry=index --inputs=seed:1 --dim=s0=0 -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: run-errors.mlir:[[#@LINE+23]]:{{[0-9]+}}: error: 'fxgraph.select' op expected index in [0, -1] but got 0
// RUN: fx-run %s --entry=index --inputs=seed:1 --dim=s0=1 --print | FileCheck %s --check-prefix=ONE
// ONE: out0: tensor<f32>

// RUN: not fx-run %s --entry=opaque --inputs=seed:1 -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=OPAQUE
// OPAQUE: error: 'fxgraph.opaque' op cannot be run: the dialect does not model 'aten.foo.default'

// RUN: not fx-run %s --entry=give --inputs=seed:1 -o %t/out.txt 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: fx-run: error: {{.*}}out.txt: expected an output file name that ends in .npz or .safetensors
// RUN: not fx-run %s --entry=give --inputs=seed:1 -o %t/missing/out.npz 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: fx-run: error: {{.*}}cannot be written

// RUN: ls %t | FileCheck %s --check-prefix=FILES
// FILES-NOT: out
// FILES: given.npz
// FILES-NOT: tmp

func.func @main(%x: tensor<2x3xf32> {fxgraph.name = "x"}, %i: tensor<3xi64>) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}
func.func @give(%x: tensor<2x3xf32>) -> tensor<2x3xf32> { return %x : tensor<2x3xf32> }
func.func @wrong(%x: tensor<3x2xf32> {fxgraph.name = "out0"}) -> tensor<3x2xf32> { return %x : tensor<3x2xf32> }
func.func @index(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<f32> {
  %r = fxgraph.select %x dim 0 at 0 : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func @opaque(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = fxgraph.opaque "aten.foo.default"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
