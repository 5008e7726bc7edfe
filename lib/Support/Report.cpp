// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Support/Report.h"
#include "fxgraph/Dialect/IR/FxGraphDialect.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

using namespace fxgraph;

StringRef fxgraph::stringify(NumericClass numerics) {
  switch (numerics) {
  case NumericClass::Exact:
    return "exact";
  case NumericClass::Reassociates:
    return "reassociates";
  case NumericClass::ChangesPrecision:
    return "changes precision";
  }
  return "";
}

namespace {
/// The report lives as long as its context: as an interface of the dialect.
class ReportHolder : public mlir::DialectInterface::Base<ReportHolder> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportHolder)
  explicit ReportHolder(mlir::Dialect *dialect) : Base(dialect) {}
  Report report;
};
} // namespace

static std::string print(Location location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  location.print(os);
  return text;
}

static std::string getPlace(const Report::Event &event) {
  return event.place.empty() ? print(event.location) : event.place;
}

Report &Report::get(MLIRContext *context) {
  static std::mutex creation;
  std::lock_guard<std::mutex> guard(creation);
  auto *dialect = context->getOrLoadDialect<FxGraphDialect>();
  if (auto *holder = dialect->getRegisteredInterface<ReportHolder>())
    return holder->report;
  return static_cast<ReportHolder &>(dialect->addInterface<ReportHolder>()).report;
}

void Report::printError(StringRef error) { llvm::errs() << "error: " << error << "\n"; }

void Report::writeAtEnd(StringRef file, std::function<void(StringRef)> onError) {
  recordEvents = true;
  outputFile = file.str();
  onWriteError = std::move(onError);
}

namespace {
/// What contexts that have ended wrote, by file.
struct JoinedFiles {
  std::mutex mutex;
  std::map<std::string, Report> reports;
};
} // namespace
static std::atomic<JoinedFiles *> joinedFiles = nullptr;

void Report::joinFiles() {
  static JoinedFiles files;
  joinedFiles = &files;
}

void Report::add(const Report &other) {
  for (const auto &[name, value] : other.counters)
    counters[name] += value;
  llvm::append_range(events, other.events);
}

LogicalResult Report::writePending(std::string &error) { return changed ? writeSoFar(error) : success(); }

LogicalResult Report::writeSoFar(std::string &error) {
  if (outputFile.empty())
    return success();
  JoinedFiles *files = joinedFiles;
  if (!files)
    return write(outputFile, error);
  changed = false;
  std::lock_guard<std::mutex> guard(files->mutex);
  Report all;
  all.add(files->reports[outputFile]);
  all.add(*this);
  return all.write(outputFile, error);
}

Report::~Report() {
  if (outputFile.empty())
    return;
  if (std::string error; failed(writePending(error)))
    onWriteError(error);
  if (JoinedFiles *files = joinedFiles) {
    std::lock_guard<std::mutex> guard(files->mutex);
    files->reports[outputFile].add(*this);
  }
}

void Report::count(StringRef counter, int64_t amount) {
  std::lock_guard<std::mutex> guard(mutex);
  counters[counter.str()] += amount;
  changed = true;
}

void Report::record(Event event) {
  if (!recordEvents)
    return;
  std::lock_guard<std::mutex> guard(mutex);
  // Locations end before the report does.
  if (!outputFile.empty())
    event.place = print(event.location);
  events.push_back(std::move(event));
  changed = true;
}

void Report::clear() {
  std::lock_guard<std::mutex> guard(mutex);
  counters.clear();
  events.clear();
  outputFile.clear();
  changed = false;
}

std::vector<Report::Event> Report::takeEvents() {
  if (std::string error; failed(writePending(error)))
    onWriteError(error);
  std::lock_guard<std::mutex> guard(mutex);
  return std::exchange(events, {});
}

int64_t Report::getCount(StringRef counter) const {
  std::lock_guard<std::mutex> guard(mutex);
  auto it = counters.find(counter.str());
  return it == counters.end() ? 0 : it->second;
}

std::map<std::string, int64_t> Report::getCounters() const {
  std::lock_guard<std::mutex> guard(mutex);
  return counters;
}

void Report::writeJSON(raw_ostream &os) const {
  llvm::json::OStream json(os, 2);
  json.object([&] {
    writeCounters(json);
    std::lock_guard<std::mutex> guard(mutex);
    json.attributeBegin("events");
    writeEvents(json, events);
    json.attributeEnd();
  });
}

void Report::writeCounters(llvm::json::OStream &json) const {
  std::lock_guard<std::mutex> guard(mutex);
  json.attributeObject("counters", [&] {
    for (const auto &[name, value] : counters)
      json.attribute(name, value);
  });
}

void Report::writeEvents(llvm::json::OStream &json, ArrayRef<Event> events) {
  json.array([&] {
    for (const Event &event : events)
      json.object([&] {
        json.attribute("pass", event.pass);
        json.attribute("pattern", event.pattern);
        json.attribute("applied", event.applied);
        json.attribute("location", getPlace(event));
        json.attribute("detail", event.detail);
        json.attribute("numerics", stringify(event.numerics));
        json.attribute("verified", event.verified);
      });
  });
}

static std::string escapeHTML(StringRef text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '&':
      out += "&amp;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

void Report::writeHTML(raw_ostream &os) const {
  std::lock_guard<std::mutex> guard(mutex);
  os << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>fxgraph report</title>\n"
        "<style>body{font:14px/1.5 sans-serif;margin:2em}table{border-collapse:collapse}"
        "td,th{border:1px solid #ccc;padding:2px 8px;text-align:left}.missed{color:#999}</style></head><body>\n"
        "<h1>fxgraph report</h1>\n<h2>Counters</h2>\n<table><tr><th>counter</th><th>value</th></tr>\n";
  for (const auto &[name, value] : counters)
    os << "<tr><td>" << escapeHTML(name) << "</td><td>" << value << "</td></tr>\n";
  os << "</table>\n<h2>Rewrites</h2>\n<table><tr><th></th><th>pass</th><th>pattern</th><th>numerics</th><th>verified</"
        "th>"
        "<th>detail</th><th>location</th></tr>\n";
  for (const Event &event : events)
    os << "<tr class=\"" << (event.applied ? "applied" : "missed") << "\"><td>"
       << (event.applied ? "applied" : "missed") << "</td><td>" << escapeHTML(event.pass) << "</td><td>"
       << escapeHTML(event.pattern) << "</td><td>" << stringify(event.numerics) << "</td><td>" << event.verified
       << "</td><td>" << escapeHTML(event.detail) << "</td><td>" << escapeHTML(getPlace(event)) << "</td></tr>\n";
  os << "</table>\n</body></html>\n";
}

LogicalResult Report::write(StringRef file, std::string &error) {
  // What cannot be written now is not tried again at the context's end.
  changed = false;
  for (bool html : {false, true}) {
    std::string path = html ? (file + ".html").str() : file.str();
    std::error_code code;
    llvm::raw_fd_ostream os(path, code);
    if (!code) {
      html ? writeHTML(os) : writeJSON(os);
      os.close();
      code = os.error();
      // An error that nobody has seen ends the process.
      os.clear_error();
    }
    if (code) {
      error = "cannot write report '" + path + "': " + code.message();
      return failure();
    }
  }
  return success();
}
