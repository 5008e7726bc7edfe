// One error, its place and what to do; no file.
// RUN: rm -rf %t && mkdir %t
// RUN: not fx-translate %s --to=so -o %t/none/out.so 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: fx-translate: error: cannot write '{{.*}}none/out.so': expected a folder but '{{.*}}none' is none
// RUN: not fx-translate %s --to=so -o %t 2>&1 | FileCheck %s --check-prefix=ISFOLDER
// ISFOLDER: fx-translate: error: cannot write '{{.*}}': Is a directory
// RUN: not fx-translate %s --to=llvm -o %t/out --option=cpu=nosuch 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: fx-translate: error: expected a processor that LLVM knows for {{.*}} but got 'nosuch'
// CPU-NOT: {{.}}
// RUN: not fx-translate %s --to=ptx -o %t/out --option=toolkit=%t/none 2>&1 | FileCheck %s --check-prefix=TOOLKIT
// TOOLKIT: fx-translate-errors.mlir:[[#@LINE+23]]:{{[0-9]+}}: error: expected toolkit to be the folder of a CUDA toolkit but got '{{.*}}none'
// RUN: env CUDA_HOME=%t/none not fx-translate %s --to=ptx -o %t/out 2>&1 | FileCheck %s --check-prefix=HOME
// HOME: error: expected CUDA_HOME to be the folder of a CUDA toolkit but got '{{.*}}none'
// RUN: not fx-translate %t/none.mlir --to=dot -o %t/out 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: fx-translate: error: could not open input file {{.*}}none.mlir
// RUN: not fx-translate %s --to=dot --entry=declared -o %t/out 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: fx-translate-errors.mlir:[[#@LINE+21]]:{{[0-9]+}}: error: expected a function with a body but 'declared' is a declaration
// RUN: not fx-translate %s --to=ptx --chip= -o %t/out 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: expected a chip of sm_80, {{.*}} but got ''
// RUN: ls %t | count 0

// A folder is written whole or not at all.
// RUN: rm -rf %t.folder && mkdir -p %t.folder/image.ptx
// RUN: not fx-translate %s --to=gpu -o %t.folder 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: fx-translate: error: cannot write '{{.*}}image.ptx': Is a directory
// RUN: ls %t.folder | count 1
// RUN: rm -rf %t.folder && fx-translate %s --to=gpu -o %t.folder
// RUN: ls %t.folder | count 2

// RUN: fx-translate %s --to=so -o %t/out.so
// RUN: ls %t | FileCheck %s --check-prefix=ONE
// ONE: {{^}}out.so{{$}}
// ONE-NOT: {{.}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
