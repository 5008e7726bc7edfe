// RUN: fx-opt %s --fxgraph-report=%t.json -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: FileCheck %s --check-prefix=HTML < %t.json.html
// RUN: not fx-opt %s --fxgraph-report=%t/nowhere/r.json 2>&1 | FileCheck %s --check-prefix=ERROR

// The pipelines' own option: known before the run; a path may have blanks.
// RUN: not fx-opt %s --fxgraph-pre-grad=report=%t/nowhere/r.json 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not fx-opt %s --fxgraph-pre-dispatch=report=%t/nowhere/r.json 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: error: fxgraph-write-report: cannot write report '{{.*}}nowhere/r.json': No such file or directory
// RUN: fx-opt %s "--fxgraph-pre-grad=report={%t two words.json}" -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON --input-file="%t two words.json"

// Or any other character.
// RUN: fx-opt %s '--fxgraph-pre-grad=report={"%t\7D, \22two\22.json"}' -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON --input-file='%t}, "two".json'
// RUN: fx-opt %s '--pass-pipeline=builtin.module(fxgraph-pre-dispatch{report={"%t\7D, \22three\22.json"}})' -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON --input-file='%t}, "three".json'

// A report that cannot be written is an error, before the run or behind it, and also where the file opens.
// RUN: not fx-opt %s --fxgraph-report=/dev/full -o /dev/null 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not fx-opt %s --fxgraph-pre-grad=report=/dev/full -o /dev/null 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: {{.*}}cannot write report '/dev/full': No space left on device
// FULL-NOT: {{LLVM ERROR|Stack dump}}

// JSON: "counters": {}
// JSON: "events": []
// HTML: <h1>fxgraph report</h1>
// ERROR: error: cannot write report '{{.*}}nowhere/r.json': No such file or directory
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
