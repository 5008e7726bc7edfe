// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fxgraph/Reference/Grid.h"
#include "fxgraph/Reference/Communicator.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace fxgraph;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

LogicalResult GridOptions::parseRanks(StringRef text, std::string &error) {
  if (!text.getAsInteger(10, numRanks) && numRanks >= 1 && numRanks <= kMaxRanks)
    return success();
  error = "expected ranks between 1 and " + std::to_string(kMaxRanks) + " but got '" + text.str() + "'";
  return failure();
}

LogicalResult GridOptions::parseGroup(StringRef text, std::string &error) {
  auto [name, setsText] = text.rsplit(':');
  if (name.empty() || setsText.empty()) {
    error = "expected a group <name>:<rank>,<rank>…;<rank>… but got '" + text.str() + "'";
    return failure();
  }
  SmallVector<SmallVector<int64_t>> sets;
  SmallVector<bool> taken(numRanks, false);
  SmallVector<StringRef> setTexts;
  setsText.split(setTexts, ';');
  for (StringRef setText : setTexts) {
    SmallVector<StringRef> rankTexts;
    setText.split(rankTexts, ',');
    SmallVector<int64_t> &set = sets.emplace_back();
    for (StringRef rankText : rankTexts) {
      int64_t rank;
      if (rankText.getAsInteger(10, rank) || rank < 0 || rank >= numRanks) {
        error = "expected ranks between 0 and " + std::to_string(numRanks - 1) + " in the group '" + name.str() +
                "' but got '" + rankText.str() + "'";
        return failure();
      }
      if (std::exchange(taken[rank], true)) {
        error = "expected each rank once in the group '" + name.str() + "' but got " + std::to_string(rank) + " twice";
        return failure();
      }
      set.push_back(rank);
    }
  }
  if (groups.try_emplace(name.str(), std::move(sets)).second)
    return success();
  error = "expected each group once but got '" + name.str() + "' twice";
  return failure();
}

//===----------------------------------------------------------------------===//
// Other communicators
//===----------------------------------------------------------------------===//

Communicator::~Communicator() = default;

FailureOr<Exchange> SingleProcess::exchange(Operation *, StringRef group, std::optional<int64_t> size,
                                            ArrayRef<Tensor> inputs, std::string &error) {
  if (size == 1)
    return Exchange{{SmallVector<Tensor>(inputs)}, 0};
  error = "expected a grid of processes (ranks=N) for the " +
          (size ? std::to_string(*size) + " processes" : "processes") + " of group '" + group.str() +
          "' but got a run of one process";
  return failure();
}

FailureOr<Exchange> EchoedProcesses::exchange(Operation *, StringRef, std::optional<int64_t> size,
                                              ArrayRef<Tensor> inputs, std::string &) {
  int64_t members = size.value_or(2);
  return Exchange{SmallVector<SmallVector<Tensor>>(members, SmallVector<Tensor>(inputs)),
                  static_cast<int64_t>(position % members)};
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

/// Says who runs: a rank, or (-1) the grid. What one has written the next one sees.
class ProcessGrid::Baton {
public:
  void pass(int64_t to) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      turn = to;
    }
    changed.notify_all();
  }
  void await(int64_t self) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return turn == self; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  int64_t turn = -1;
};

class ProcessGrid::Process : public Communicator {
public:
  Process(ProcessGrid &owner, Baton &baton, int64_t rank) : owner(owner), baton(baton), rank(rank) {}

  enum class State { Ready, Waiting, Ended, Failed };

  void start(mlir::func::FuncOp function, ArrayRef<Tensor> arguments) {
    thread = std::thread([=] {
      baton.await(rank);
      InterpreterOptions own = owner.options;
      own.communicator = this;
      Interpreter interpreter(own);
      FailureOr<Outcome> result = interpreter.run(function, arguments);
      if (succeeded(result))
        outcome = std::move(*result);
      else
        error = interpreter.getError();
      state = failed(result) ? State::Failed : State::Ended;
      baton.pass(-1);
    });
  }

  /// Lets the rank run until it starts a collective, or ends.
  void resume() {
    baton.pass(rank);
    baton.await(-1);
  }

  FailureOr<Exchange> exchange(Operation *startedOp, StringRef groupName, std::optional<int64_t> size,
                               ArrayRef<Tensor> tensors, std::string &message) override {
    ArrayRef<int64_t> members = owner.getMembers(groupName, rank);
    if (members.empty()) {
      message =
          "expected a rank of group '" + groupName.str() + "' but rank " + std::to_string(rank) + " is in no set of it";
      return failure();
    }
    if (size && *size != static_cast<int64_t>(members.size())) {
      message = "expected " + std::to_string(*size) + " ranks in group '" + groupName.str() + "' but the grid has " +
                std::to_string(members.size());
      return failure();
    }
    op = startedOp;
    group = groupName.str();
    inputs.assign(tensors.begin(), tensors.end());
    state = State::Waiting;
    baton.pass(-1);
    baton.await(rank);
    if (!given) {
      message = "is given up, as another rank failed";
      return failure();
    }
    Exchange result = std::move(*given);
    given.reset();
    return result;
  }

  /// What this rank has started, in full: equal texts can meet.
  std::string describe() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "'" << op->getName().getStringRef() << "' " << op->getPropertiesAsAttribute() << " of";
    for (const Tensor &tensor : inputs)
      os << " " << tensor.describe();
    return text;
  }

  ProcessGrid &owner;
  Baton &baton;
  const int64_t rank;
  std::thread thread;
  State state = State::Ready;
  Outcome outcome;
  EvaluationError error;

  /// Of a rank that waits.
  Operation *op = nullptr;
  std::string group;
  SmallVector<Tensor> inputs;
  std::optional<Exchange> given;
};

ArrayRef<int64_t> ProcessGrid::getMembers(StringRef group, int64_t rank) const {
  auto it = grid.groups.find(group);
  if (it == grid.groups.end())
    return allRanks;
  for (const SmallVector<int64_t> &set : it->second)
    if (llvm::is_contained(set, rank))
      return set;
  return {};
}

/// Gives each group whose members wait for each other its results. False if they have
/// started different collectives; then the error is set.
bool ProcessGrid::meet(MutableArrayRef<std::unique_ptr<Process>> processes) {
  for (const std::unique_ptr<Process> &process : processes) {
    if (process->state != Process::State::Waiting)
      continue;
    ArrayRef<int64_t> members = getMembers(process->group, process->rank);
    bool complete = llvm::all_of(members, [&](int64_t rank) {
      return processes[rank]->state == Process::State::Waiting && processes[rank]->group == process->group;
    });
    if (!complete)
      continue;
    SmallVector<SmallVector<Tensor>> inputs;
    Process &first = *processes[members.front()];
    std::string expected = first.describe();
    for (int64_t rank : members) {
      Process &member = *processes[rank];
      if (std::string actual = member.describe(); actual != expected) {
        error.location = member.op->getLoc();
        error.message = "rank " + std::to_string(rank) + ": expected the collective that rank " +
                        std::to_string(first.rank) + " starts in group '" + process->group + "', " + expected +
                        ", but got " + actual;
        return false;
      }
      inputs.push_back(std::move(member.inputs));
    }
    for (auto [position, rank] : llvm::enumerate(members)) {
      processes[rank]->given = Exchange{inputs, static_cast<int64_t>(position)};
      processes[rank]->state = Process::State::Ready;
    }
  }
  return true;
}

/// Nobody can go on: names the first rank that waits, and for whom.
void ProcessGrid::describeStandstill(ArrayRef<std::unique_ptr<Process>> processes) {
  const Process &waiting =
      **llvm::find_if(processes, [](const auto &process) { return process->state == Process::State::Waiting; });
  const Process *absent = nullptr;
  for (int64_t rank : getMembers(waiting.group, waiting.rank)) {
    const Process &member = *processes[rank];
    if (member.state != Process::State::Waiting || member.group != waiting.group) {
      absent = &member;
      break;
    }
  }
  error.location = waiting.op->getLoc();
  error.message = "rank " + std::to_string(waiting.rank) + ": " + waiting.describe() + " waits forever in group '" +
                  waiting.group + "' for rank " + std::to_string(absent->rank) + ", which " +
                  (absent->state == Process::State::Ended ? std::string("has ended")
                                                          : "waits at '" + absent->op->getName().getStringRef().str() +
                                                                "' in group '" + absent->group + "'");
}

FailureOr<SmallVector<Outcome>> ProcessGrid::run(ArrayRef<mlir::func::FuncOp> functions,
                                                 ArrayRef<SmallVector<Tensor>> arguments) {
  assert(static_cast<int64_t>(arguments.size()) == grid.numRanks && arguments.size() == functions.size() &&
         "expected a function and arguments for every rank");
  error = {};
  allRanks = llvm::to_vector(llvm::seq<int64_t>(0, grid.numRanks));
  Baton baton;
  SmallVector<std::unique_ptr<Process>> processes;
  for (int64_t rank : allRanks) {
    processes.push_back(std::make_unique<Process>(*this, baton, rank));
    processes.back()->start(functions[rank], arguments[rank]);
  }

  bool healthy = true;
  while (healthy) {
    bool progress = false;
    for (const std::unique_ptr<Process> &process : processes) {
      if (process->state != Process::State::Ready)
        continue;
      process->resume();
      progress = true;
      if (process->state != Process::State::Failed)
        continue;
      error = process->error;
      error.message = "rank " + std::to_string(process->rank) + ": " + error.message;
      healthy = false;
      break;
    }
    if (!healthy ||
        llvm::all_of(processes, [](const auto &process) { return process->state == Process::State::Ended; }))
      break;
    if (!progress) {
      describeStandstill(processes);
      healthy = false;
    } else {
      healthy = meet(processes);
    }
  }

  // Ranks that were left behind leave their collectives with a failure of their own.
  for (const std::unique_ptr<Process> &process : processes) {
    process->given.reset();
    while (process->state == Process::State::Ready || process->state == Process::State::Waiting)
      process->resume();
    process->thread.join();
  }
  if (!healthy)
    return failure();
  SmallVector<Outcome> outcomes;
  for (const std::unique_ptr<Process> &process : processes)
    outcomes.push_back(std::move(process->outcome));
  return outcomes;
}
