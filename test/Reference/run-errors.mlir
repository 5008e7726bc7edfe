// What goes wrong is one clear error, exit code 1, and no output file.

// RUN: rm -rf %t && mkdir -p %t
// RUN: fx-run %s --entry=give --inputs=seed:1 -o %t/given.npz

// RUN: not fx-run %s -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: fx-run: error: no input for 'x' (tensor<2x3xf32>), 'arg1' (tensor<3xi64>); give a file that has it, or --inputs=seed:N

// RUN: not fx-run %s --entry=wrong --inputs=%t/given.npz --inputs=seed:1 -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: run-errors.mlir:[[#@LINE+76]]:{{[0-9]+}}: error: input 0 ('out0'): expected extent 3 in dim 0 but got 2

// RUN: not fx-run %s --inputs=%t/none.npz -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: fx-run: error: {{.*}}none.npz: cannot be opened: No such file
// RUN: not fx-run %s --inputs=%s -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=SUFFIX
// SUFFIX: fx-run: error: {{.*}}: expected a file name that ends in .npz, .npy or .safetensors
// RUN: not fx-run %s --inputs=seed:x 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: fx-run: error: expected --inputs=seed:<number> but got 'seed:x'
// RUN: not fx-run %s --inputs=seed:1 --dim=s0 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: fx-run: error: expected --dim=<symbol>=<extent> but got 's0'
// RUN: not fx-run %s --entry=index --inputs=seed:1 --dim=s0=1,s0=2 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: fx-run: error: expected each symbol once in --dim but got 's0' twice
// RUN: not fx-run %s --entry=index --inputs=seed:1 --dim=s1=2 2>&1 | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: fx-run: error: expected --dim of one of the arguments' symbols (s0) but got 's1'
// RUN: not fx-run %s --entry=give --inputs=seed:1 --dim=s0=2 2>&1 | FileCheck %s --check-prefix=NOSYMBOL
// NOSYMBOL: fx-run: error: expected no --dim, as no argument has a symbolic extent, but got 's0'
// RUN: not fx-run %s --entry=nothing --inputs=seed:1 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: fx-run: error: expected a function 'nothing' but {{.*}} has none of this name
// RUN: not fx-run %s --target=npu --inputs=seed:1 -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: fx-run: error: expected a target among {{.*}}ref{{.*}} but got 'npu'
// RUN: not fx-run %s --entry=give --inputs=seed:1 --target-option=foo 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: fx-run: error: expected --target-option=<key>=<value> but got 'foo'
// RUN: not fx-run %s --entry=give --inputs=seed:1 --target-option=foo=1 2>&1 | FileCheck %s --check-prefix=SETTING
// SETTING: fx-run: error: expected a setting of the target ref (ranks, group) but got 'foo=1'
// RUN: not fx-run %s --entry=give --inputs=seed:1 --rtol=-1 2>&1 | FileCheck %s --check-prefix=RTOL
// RTOL: fx-run: error: expected a finite --rtol >= 0 but got -1
// RUN: not fx-run %s --entry=give --inputs=seed:1 --atol=nan 2>&1 | FileCheck %s --check-prefix=ATOL
// ATOL: fx-run: error: expected a finite --atol >= 0 but got nan
// RUN: not fx-run %s --entry=give --inputs=seed:1 --bench=0 2>&1 | FileCheck %s --check-prefix=BENCH
// BENCH: fx-run: error: expected --bench between 1 and 1000000 but got 0
// RUN: fx-run %s --entry=give --inputs=seed:1 --rtol=0 --atol=1 --bench=1 --compare-target=ref

// Run-time errors are located at the op.
// RUN: not fx-run %s --entry=index --inputs=seed:1 --dim=s0=0 -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: run-errors.mlir:[[#@LINE+44]]:{{[0-9]+}}: error: 'fxgraph.select' op expected index in [0, -1] but got 0
// RUN: fx-run %s --entry=index --inputs=seed:1 --dim=s0=1 --print | FileCheck %s --check-prefix=ONE
// ONE: out0: tensor<f32>

// RUN: not fx-run %s --entry=opaque --inputs=seed:1 -o %t/out.npz 2>&1 | FileCheck %s --check-prefix=OPAQUE
// OPAQUE: error: 'fxgraph.opaque' op cannot be run: the dialect does not model 'aten.foo.default'

// RUN: not fx-run %s --entry=give --inputs=seed:1 -o %t/out.txt 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: fx-run: error: {{.*}}out.txt: expected an output file name that ends in .npz or .safetensors
// RUN: not fx-run %s --entry=give --inputs=seed:1 -o %t/missing/out.npz 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: fx-run: error: {{.*}}missing/out.npz: cannot be written: expected a folder but '{{.*}}missing' is none
// RUN: mkdir %t/is.npz
// RUN: not fx-run %s --entry=give --inputs=seed:1 -o %t/is.npz 2>&1 | FileCheck %s --check-prefix=ISFOLDER
// ISFOLDER: fx-run: error: {{.*}}is.npz: cannot be written: expected a file but it is a folder

// Files that are not what their names say.
// RUN: echo garbage > %t/junk.npy && echo garbage > %t/junk.npz && echo garbage > %t/junk.safetensors
// RUN: not fx-run %s --entry=give --inputs=%t/junk.npy 2>&1 | FileCheck %s --check-prefix=NPY
// NPY: fx-run: error: {{.*}}junk.npy: not a valid .npy file: expected NumPy's magic number
// RUN: not fx-run %s --entry=give --inputs=%t/junk.npz 2>&1 | FileCheck %s --check-prefix=NPZ
// NPZ: fx-run: error: {{.*}}junk.npz: not a valid .npz file: Not a zip archive
// RUN: not fx-run %s --entry=give --inputs=%t/junk.safetensors 2>&1 | FileCheck %s --check-prefix=SAFETENSORS
// SAFETENSORS: fx-run: error: {{.*}}junk.safetensors: not a valid .safetensors file: expected a header

// What the files have is said where they have not what is asked for.
// RUN: not fx-run %s --entry=give --inputs=%t/given.npz 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: fx-run: error: no input for 'arg0' (tensor<2x3xf32>); {{.*}}given.npz has 'out0'; give a file that has it, or --inputs=seed:N

// RUN: not fx-run %s --entry=declared --inputs=seed:1 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: error: expected a function with a body but 'declared' is a declaration
// RUN: not fx-run %s --entry=scalar --inputs=seed:1 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: fx-run: error: 'arg0': expected a tensor of bool, integers or floats, or an index, but got type f32

// RUN: ls %t | FileCheck %s --check-prefix=FILES
// FILES-NOT: out.
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
func.func private @declared(tensor<2xf32>) -> tensor<2xf32>
func.func @scalar(%x: f32) -> f32 { return %x : f32 }
