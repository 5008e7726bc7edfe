// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes did: counters under Inductor's names, and one event for each
// rewrite that fired or was refused. One report belongs to one MLIRContext, so
// that two compilations in one process do not mix; `--fxgraph-report=FILE` writes
// it as JSON and as a page for reading.

#ifndef FXGRAPH_SUPPORT_REPORT_H
#define FXGRAPH_SUPPORT_REPORT_H

#include "fxgraph/Support/LLVM.h"
#include <functional>
#include <map>
#include <mutex>

namespace llvm::json {
class OStream;
} // namespace llvm::json

namespace fxgraph {

/// What a rewrite does to the numbers.
enum class NumericClass {
  Exact,            ///< bit-equal results
  Reassociates,     ///< sums in another order: within a tolerance
  ChangesPrecision, ///< rounds elsewhere (folded weights)
};
StringRef stringify(NumericClass numerics);

class Report {
public:
  struct Event {
    std::string pass, pattern, detail;
    /// As text when it is asked for: a run over a huge graph has as many.
    Location location;
    NumericClass numerics = NumericClass::Exact;
    bool applied = false;
    unsigned verified = 0;  ///< comparisons that the rewrite verifier made
    std::string place = {}; ///< the location as text, for a report that is written when the context ends
  };

  /// Adds to a counter of Inductor's name, e.g. `merge_splits_pass`.
  void count(StringRef counter, int64_t amount = 1);
  void record(Event event);

  /// The events so far, which the report no longer has then: they are in its file first.
  std::vector<Event> takeEvents();

  /// Forgets counters, events and the file: a new run begins.
  void clear();

  int64_t getCount(StringRef counter) const;
  std::map<std::string, int64_t> getCounters() const;

  /// `{"counters": {…}, "events": [{"pass": …, "applied": true, …}]}`
  void writeJSON(raw_ostream &os) const;
  /// `"counters": {…}`, into an object that is open.
  void writeCounters(llvm::json::OStream &json) const;
  /// The events as an array.
  static void writeEvents(llvm::json::OStream &json, ArrayRef<Event> events);
  /// The same as a self-contained HTML page.
  void writeHTML(raw_ostream &os) const;
  /// Writes `file` as JSON, and beside it `file`.html. Error text on failure.
  LogicalResult write(StringRef file, std::string &error);

  /// Turns events on and writes the report to `file` when the context ends, if there is
  /// anything then that was not written before. No status can carry an error of that
  /// time: `onError` hears of it, by default it is printed.
  void writeAtEnd(StringRef file, std::function<void(StringRef)> onError = printError);
  /// Writes to that file, if there is one, all that happened so far.
  LogicalResult writeSoFar(std::string &error);
  /// The same, if the file does not hold it yet.
  LogicalResult writePending(std::string &error);
  ~Report();

  /// From now on, what contexts of this process write to one file at their ends is one report: a tool that has a context
  /// for each part of its input (`--split-input-file`) asks for it.
  static void joinFiles();

  /// Events cost memory on huge graphs: off unless somebody asked for a report.
  void setRecordEvents(bool record) { recordEvents = record; }
  bool isRecordingEvents() const { return recordEvents; }

  /// The report of this context, made at the first call.
  static Report &get(MLIRContext *context);

private:
  static void printError(StringRef error);
  void add(const Report &other);

  mutable std::mutex mutex;
  std::map<std::string, int64_t> counters;
  std::vector<Event> events;
  bool recordEvents = false;
  bool changed = false; ///< since it was written
  std::string outputFile;
  std::function<void(StringRef)> onWriteError;
};

} // namespace fxgraph

#endif // FXGRAPH_SUPPORT_REPORT_H
