// What cannot run is named, all of it at once; what fails when run leaves no result.
// RUN: split-file %s %t
// RUN: not fx-run %t/unsupported.mlir --inputs=seed:1 --target=cpu 2>&1 | FileCheck %s --check-prefix=UNSUPPORTED
// UNSUPPORTED-DAG: unsupported.mlir:2:{{.*}} 'fxgraph.opaque' op expected an op of the dialect but got "aten.foo.default", which only PyTorch can run: call the graph through Module.to_fx
// UNSUPPORTED-DAG: unsupported.mlir:3:{{.*}} 'fxgraph.opaque' op expected an op of the dialect but got "aten.bar.default", which only PyTorch can run: call the graph through Module.to_fx
// UNSUPPORTED-DAG: unsupported.mlir:4:{{.*}} 'fxgraph.convert_element_type' op expected a dtype with a lowering {{.*}} but got f8E8M0FNU
// RUN: not fx-run %t/rand.mlir --inputs=seed:1 --target=cpu 2>&1 | FileCheck %s --check-prefix=RAND
// RAND: 'fxgraph.rand' op expected a float of 16 bits or more but got f8E5M2
// RUN: not fx-run %t/pool.mlir --inputs=seed:1 --unknown-dim=9 --target=cpu 2>&1 | FileCheck %s --check-prefix=POOL
// POOL: 'fxgraph.max_pool2d' op expected static spatial extents with ceil_mode
// RUN: not fx-run %t/sections.mlir --inputs=seed:1 --unknown-dim=9 --target=cpu 2>&1 | FileCheck %s --check-prefix=SECTIONS
// SECTIONS: sections.mlir:2:{{[0-9]+}}: error: 'fxgraph.split_with_sizes' op expected the pieces' extents to sum to the input's
// RUN: fx-run %t/sections.mlir --inputs=seed:1 --unknown-dim=5 --target=cpu --compare-target=ref
// RUN: not fx-run %t/reshape.mlir --inputs=seed:1 --dim=a=5 --target=cpu 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RESHAPE: reshape.mlir:2:{{[0-9]+}}: error: 'fxgraph.reshape' op expected a reshape to keep the number of elements
// RUN: fx-run %t/reshape.mlir --inputs=seed:1 --dim=a=6 --target=cpu --compare-target=ref
// RUN: not fx-run %t/unflatten.mlir --inputs=seed:1 --dim=a=5 --target=cpu 2>&1 | FileCheck %s --check-prefix=UNFLATTEN
// UNFLATTEN: unflatten.mlir:2:{{[0-9]+}}: error: 'fxgraph.unflatten' op expected sizes whose product is the extent
// RUN: fx-run %t/unflatten.mlir --inputs=seed:1 --dim=a=6 --target=cpu --compare-target=ref
// RUN: not fx-run %t/inferred.mlir --inputs=seed:1 --dim=a=0 --target=cpu 2>&1 | FileCheck %s --check-prefix=INFERRED
// INFERRED: inferred.mlir:3:{{[0-9]+}}: error: 'fxgraph.reshape' op expected extents > 0 beside the -1 in shape
// RUN: fx-run %t/inferred.mlir --inputs=seed:1 --dim=a=3 --target=cpu --compare-target=ref
// RUN: not fx-run %t/divide.mlir --inputs=seed:1 --target=cpu 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: divide.mlir:3:{{[0-9]+}}: error: 'fxgraph.div' op expected a non-zero integer divisor but got 0
// RUN: not fx-run %t/equal.mlir --inputs=seed:1 --dim=a=3,b=4 --target=cpu 2>&1 | FileCheck %s --check-prefix=EQUAL
// EQUAL: equal.mlir:2:{{[0-9]+}}: error: 'fxgraph.add' op expected equal extents in a broadcast
// RUN: fx-run %t/equal.mlir --inputs=seed:1 --dim=a=3,b=3 --target=cpu --compare-target=ref
// RUN: not fx-run %t/empty.mlir --inputs=seed:1 --dim=a=0 --target=cpu 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.mlir:2:{{[0-9]+}}: error: 'fxgraph.amax' op expected reduced dimensions of extent > 0 but got 0
// RUN: not fx-run %t/declared.mlir --inputs=seed:1 --unknown-dim=4 --target=cpu 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: declared.mlir:2:{{[0-9]+}}: error: 'fxgraph.slice' op expected extent 3 in dim 0
// RUN: fx-run %t/declared.mlir --inputs=seed:1 --unknown-dim=5 --target=cpu --compare-target=ref

// Without a place in a file the op is named, and no place is made up.
// RUN: fx-opt %t/equal.mlir --strip-debuginfo --mlir-print-debuginfo --mlir-print-op-generic -o %t/placeless.mlir
// RUN: not fx-run %t/placeless.mlir --inputs=seed:1 --dim=a=3,b=4 --target=cpu 2>&1 | FileCheck %s --check-prefix=PLACELESS
// PLACELESS: fx-run: error: the graph failed: 'fxgraph.add' op expected equal extents in a broadcast
// PLACELESS-NOT: {{.}}

// A shared library says the same by its error text.
// RUN: fx-translate %t/equal.mlir --to=llvm | FileCheck %s --check-prefix=TEXT
// TEXT: equal.mlir:2:{{[0-9]+}}: 'fxgraph.add' op expected equal extents in a broadcast

// RUN: not fx-run %t/equal.mlir --inputs=seed:1 --target=cpu --target-option=speed=9 2>&1 | FileCheck %s --check-prefix=OPTION
// A product of extents that 64 bits do not hold is no small buffer.
// RUN: not fx-run %t/overflow.mlir --inputs=seed:1 --dim=a=4294967296 --target=cpu 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: error: out of memory: expected a buffer whose bytes fit in int64
// RUN: fx-run %t/overflow.mlir --inputs=seed:1 --dim=a=5 --target=cpu --compare-target=ref --rtol=1e-6 --atol=1e-6

// OPTION: fx-run: error: expected a setting of the CPU {{.*}} but got 'speed=9'
// RUN: not fx-run %t/equal.mlir --inputs=seed:1 --target=cpu --target-option=threads=0 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: fx-run: error: expected a setting threads=1 to 1024 but got 'threads=0'
// RUN: not fx-run %t/equal.mlir --inputs=seed:1 --target=cpu --target-option=cpu=nosuch 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: fx-run: error: expected a processor that LLVM knows for {{.*}} but got 'nosuch'
// CPU-NOT: {{.}}
// RUN: fx-run %t/equal.mlir --inputs=seed:1 --dim=a=3,b=3 --target=cpu --target-option=cpu=generic --target-option=threads=1 --compare-target=ref

//--- unsupported.mlir
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf8E8M0FNU>) {
  %0 = fxgraph.opaque "aten.foo.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.opaque "aten.bar.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.convert_element_type %x : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf8E8M0FNU>
}
//--- rand.mlir
func.func @main() -> tensor<4xf8E5M2> {
  %0 = fxgraph.rand : tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}
//--- pool.mlir
func.func @main(%x: tensor<1x2x?x8xf32>) -> tensor<1x2x?x4xf32> {
  %0 = fxgraph.max_pool2d %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] ceil true : (tensor<1x2x?x8xf32>) -> tensor<1x2x?x4xf32>
  return %0 : tensor<1x2x?x4xf32>
}
//--- sections.mlir
func.func @main(%x: tensor<?xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
  %0:2 = fxgraph.split_with_sizes %x sizes [2, 3] dim 0 : (tensor<?xf32>) -> (tensor<2xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<3xf32>
}
//--- divide.mlir
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %z = fxgraph.sub %x, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %0 = fxgraph.div %x, %z rounding_mode "floor" : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
//--- equal.mlir
func.func @main(%x: tensor<?xf32, #fxgraph.meta<dims = [a]>>, %y: tensor<?xf32, #fxgraph.meta<dims = [b]>>) -> tensor<?xf32> {
  %0 = fxgraph.add %x, %y : (tensor<?xf32, #fxgraph.meta<dims = [a]>>, tensor<?xf32, #fxgraph.meta<dims = [b]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
//--- empty.mlir
func.func @main(%x: tensor<?xf32, #fxgraph.meta<dims = [a]>>) -> tensor<f32> {
  %0 = fxgraph.amax %x : (tensor<?xf32, #fxgraph.meta<dims = [a]>>) -> tensor<f32>
  return %0 : tensor<f32>
}
//--- declared.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<3xf32> {
  %0 = fxgraph.slice %x dim 0 from 2 to 5 : (tensor<?xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
//--- overflow.mlir
func.func @main(%x: tensor<?x0xf32, #fxgraph.meta<dims = [a]>>, %y: tensor<1x1xf32>) -> tensor<f32> {
  %a = fxgraph.sym_size %x dim 0 : tensor<?x0xf32, #fxgraph.meta<dims = [a]>>
  %0 = "fxgraph.expand"(%y, %a, %a) <{shape = array<i64: -9223372036854775808, -9223372036854775808>}> : (tensor<1x1xf32>, index, index) -> tensor<?x?xf32>
  %1 = fxgraph.cumsum %0 dim 0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = fxgraph.amax %1 : (tensor<?x?xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
//--- reshape.mlir
func.func @main(%x: tensor<?x2xf32, #fxgraph.meta<dims = [a]>>) -> tensor<?x3xf32> {
  %0 = fxgraph.reshape %x shape [-1, 3] : tensor<?x2xf32, #fxgraph.meta<dims = [a]>> -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
//--- unflatten.mlir
func.func @main(%x: tensor<?xf32, #fxgraph.meta<dims = [a]>>) -> tensor<?x3xf32> {
  %0 = "fxgraph.unflatten"(%x) <{dim = 0 : i64, sizes = array<i64: -1, 3>}> : (tensor<?xf32, #fxgraph.meta<dims = [a]>>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
//--- inferred.mlir
func.func @main(%x: tensor<4x?xf32, #fxgraph.meta<dims = [a]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [a, ?]>> {
  %n = fxgraph.sym_size %x dim 1 : tensor<4x?xf32, #fxgraph.meta<dims = [a]>>
  %0 = "fxgraph.reshape"(%x, %n) <{shape = array<i64: -9223372036854775808, -1>}> : (tensor<4x?xf32, #fxgraph.meta<dims = [a]>>, index) -> tensor<?x?xf32, #fxgraph.meta<dims = [a, ?]>>
  return %0 : tensor<?x?xf32, #fxgraph.meta<dims = [a, ?]>>
}
