// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loop nests and products of a host function become one launch: equal ones as
// instances, those that read the same elements, or each what the other writes, small ones
// that share a launch's blocks, products with what follows them.
//
// Every step has a level, larger than that of all steps that read what it writes; steps of
// one level do not depend on each other. Near-linear in the steps and what they read.

#include "Emit/EmitMatmul.h"
#include "Kernel/ChooseBoxes.h"
#include "Kernel/HostFunction.h"
#include "Kernel/HostMemory.h"
#include "Kernel/JoinKernels.h"
#include "Kernel/JoinedRows.h"
#include "Kernel/NestIR.h"
#include "Stages/Products.h"
#include "Stages/Stages.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <queue>

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace memref = mlir::memref;

namespace {
class Batcher {
public:
  Batcher(mlir::func::FuncOp host, Block &body, const GPUOptions &options)
      : host(host), body(body), options(options),
        device{options.processors, hasClusters(host->getAttrOfType<StringAttr>(kHostChipAttr).getValue())} {}
  LogicalResult run();

private:
  struct Step {
    Operation *op = nullptr;
    std::optional<KernelIR> ir{}; ///< of a loop nest
    unsigned level = 0;
    int group = -1;
    /// Nests that become one: equal ones, or those that are joined. -1: it stays as it is.
    int part = -1;
    /// Of a product whose epilogue computes it, and of that epilogue.
    int partner = -1;
    /// Its group puts rows together (JoinedRows.h), and is a launch of its own.
    bool joinsRows = false;
    SmallVector<unsigned, 2> users{};
    bool isProduct() const { return isa<MatrixProductOp>(op); }
    bool isAbsorbed() const { return isProduct() && partner >= 0; }
  };
  LogicalResult collectSteps();
  void findDependences();
  /// The steps that each depends on.
  std::vector<SmallVector<unsigned, 2>> findSources() const;
  void findLevels();
  LogicalResult joinReaders();
  LoopNestOp joinNests(const KernelIR &ir, ArrayRef<unsigned> members);
  void groupJoinedRows();
  void groupNests();
  void groupProducts();
  void chooseOwnProducts();
  void joinSiblings();
  void groupSmallNests();
  /// The nest that alone reads what a product writes; -1 if there is none.
  int findReader(const Step &product) const;
  SmallVector<unsigned> order() const;
  void rewrite(ArrayRef<unsigned> order);
  void buildGroup(ArrayRef<unsigned> members);
  Operation *buildPart(ArrayRef<unsigned> members);

  mlir::func::FuncOp host;
  Block &body; ///< the steps: the host function's, or those of a branch or loop
  const GPUOptions &options;
  DeviceShape device;
  OpBuilder builder{host.getContext()};
  std::vector<Step> steps;
  DenseMap<Operation *, unsigned> stepOf;
  int numGroups = 0;
  DenseMap<int, KernelIR> joinedParts;
};
} // namespace

/// Copies of results and to arguments come last, and stay there.
LogicalResult Batcher::collectSteps() {
  auto isNoStep = llvm::IsaPred<BufferOp, memref::AllocOp, memref::GetGlobalOp, mlir::func::ReturnOp>;
  llvm::SmallPtrSet<Operation *, 4> last;
  for (Operation &op : llvm::reverse(body)) {
    if (isa<memref::CopyOp>(op))
      last.insert(&op);
    else if (!isNoStep(&op))
      break;
  }
  for (Operation &op : body) {
    if (isNoStep(&op) || last.contains(&op))
      continue;
    stepOf[&op] = steps.size();
    steps.push_back({&op});
    auto nest = dyn_cast<LoopNestOp>(op);
    // What blocks pass on is no element that the nest reads or writes.
    if (!nest || nest.getInstances() != 1 || nest->hasAttr(kCarriesAttr))
      continue;
    FailureOr<KernelIR> ir = readNest(nest);
    if (failed(ir))
      return failure();
    steps.back().ir.emplace(std::move(*ir));
  }
  return success();
}

/// An element of a value is written once, before it is read. Memory of fxgraph.kernel is written over: what touches it
/// stays in order. No step goes past an op that this stage does not know.
void Batcher::findDependences() {
  struct Access {
    unsigned step;
    MemoryRegion region;
    bool isWrite;
  };
  llvm::MapVector<Value, std::vector<Access>> accessesOf;
  for (auto [i, step] : llvm::enumerate(steps)) {
    auto add = [&, i = static_cast<unsigned>(i)](MemoryRegion region, bool isWrite) {
      accessesOf[region.place.root].push_back({i, std::move(region), isWrite});
    };
    if (step.ir) {
      for (const Prim &prim : step.ir->prims)
        if (prim.kind == Prim::Kind::Load)
          add(getRegion(*step.ir, step.ir->arrays[prim.array], prim.address), false);
      for (const KernelStore &store : step.ir->stores)
        add(getRegion(*step.ir, step.ir->arrays[store.array], store.address), true);
      continue;
    }
    SmallVector<Value> reads, writes;
    collectAccesses(step.op, reads, writes);
    for (Value memory : reads)
      add(getMemoryRegion(memory), false);
    for (Value memory : writes)
      add(getMemoryRegion(memory), true);
  }
  auto writesOnce = [&](unsigned step) {
    return isa<LoopNestOp, MatrixProductOp, AttentionOp, LibraryCallOp, LaunchOp>(steps[step].op);
  };
  for (auto &[root, accesses] : accessesOf) {
    // By where they begin, and how far those up to each go: what an access may meet is a stretch of them.
    std::vector<const Access *> writes;
    for (const Access &access : accesses)
      if (access.isWrite)
        writes.push_back(&access);
    llvm::stable_sort(
        writes, [](const Access *lhs, const Access *rhs) { return lhs->region.place.bytes < rhs->region.place.bytes; });
    std::vector<int64_t> ends;
    for (const Access *write : writes)
      ends.push_back(std::max(ends.empty() ? 0 : ends.back(), write->region.end));
    for (const Access &access : accesses) {
      size_t first =
          llvm::partition_point(ends, [&](int64_t end) { return end <= access.region.place.bytes; }) - ends.begin();
      for (const Access *write : ArrayRef(writes).drop_front(first)) {
        if (write->region.place.bytes >= access.region.end)
          break;
        if (access.step == write->step)
          continue;
        bool isRead = !access.isWrite && write->step < access.step;
        bool isOrdered = !writesOnce(access.step) || !writesOnce(write->step);
        if ((isRead || isOrdered) && mayOverlap(access.region, write->region))
          steps[std::min(access.step, write->step)].users.push_back(std::max(access.step, write->step));
      }
    }
  }
  for (auto [i, barrier] : llvm::enumerate(steps)) {
    if (isa<LoopNestOp, MatrixProductOp, AttentionOp, LibraryCallOp, LaunchOp, KernelOp>(barrier.op))
      continue;
    for (unsigned before = 0; before < i; ++before)
      steps[before].users.push_back(i);
    for (unsigned behind = i + 1; behind < steps.size(); ++behind)
      barrier.users.push_back(behind);
  }
  for (Step &step : steps) {
    llvm::sort(step.users);
    step.users.erase(std::unique(step.users.begin(), step.users.end()), step.users.end());
  }
}

std::vector<SmallVector<unsigned, 2>> Batcher::findSources() const {
  std::vector<SmallVector<unsigned, 2>> sources(steps.size());
  for (auto [i, step] : llvm::enumerate(steps))
    for (unsigned user : step.users)
      sources[user].push_back(i);
  return sources;
}

void Batcher::findLevels() {
  // Steps that others were joined to come before some that they depend on.
  std::vector<SmallVector<unsigned, 2>> sources = findSources();
  std::vector<size_t> missing(steps.size());
  SmallVector<unsigned> ready;
  for (auto [i, step] : llvm::enumerate(steps)) {
    step.level = 0;
    missing[i] = step.users.size();
    if (step.users.empty())
      ready.push_back(i);
  }
  for (size_t next = 0; next < ready.size(); ++next)
    for (unsigned source : sources[ready[next]]) {
      steps[source].level = std::max(steps[source].level, steps[ready[next]].level + 1);
      if (--missing[source] == 0)
        ready.push_back(source);
    }
}

/// The nest that computes what these do, in place of them.
LoopNestOp Batcher::joinNests(const KernelIR &ir, ArrayRef<unsigned> members) {
  SmallVector<StringRef> computes;
  for (unsigned member : members)
    llvm::append_range(computes, cast<LoopNestOp>(steps[member].op).getComputes().getAsValueRange<StringAttr>());
  LoopNestOp nest = writeNest(builder, ir, computes, openArrays(ir));
  for (unsigned member : members)
    steps[member].op->erase();
  return nest;
}

static bool mayBeOne(const KernelIR &lhs, const KernelIR &rhs) {
  FusionOptions limits;
  return lhs.prims.size() + rhs.prims.size() <= limits.maxNodes &&
         lhs.arrays.size() + rhs.arrays.size() <= limits.maxLoads;
}

/// Memory of the host function's own that nobody but these ops accesses.
static bool isPrivate(Value memory, ArrayRef<Operation *> members) {
  if (!memory.getDefiningOp<memref::AllocOp>())
    return false;
  SmallVector<Value> pending = {memory};
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      if (auto buffer = dyn_cast<BufferOp>(user))
        pending.push_back(buffer);
      else if (!llvm::is_contained(members, user))
        return false;
    }
  return true;
}

/// What these ops pass each other in memory is not written by the nest that they become.
static void dropUnread(KernelIR &ir, ArrayRef<Operation *> members) {
  auto getRoot = [&](unsigned array) { return resolveMemory(ir.arrays[array].value).root; };
  llvm::SmallDenseSet<Value> read;
  for (const Prim &prim : ir.prims)
    if (prim.kind == Prim::Kind::Load)
      read.insert(getRoot(prim.array));
  llvm::erase_if(ir.stores, [&](const KernelStore &store) {
    return !read.contains(getRoot(store.array)) && isPrivate(getRoot(store.array), members);
  });
  dropUnusedArrays(ir);
}

/// A nest that reads what another one writes at the same element becomes part of it, if all that it reads otherwise is there
/// before that one: nothing between them depends on the one and leads to the other. Functions that follow a product are its
/// epilogue instead.
LogicalResult Batcher::joinReaders() {
  std::vector<SmallVector<unsigned, 2>> sources = findSources();
  // The step that a step is part of.
  auto owners = llvm::to_vector(llvm::seq<unsigned>(0, steps.size()));
  auto getOwner = [&](unsigned step) {
    while (owners[step] != step)
      step = owners[step] = owners[owners[step]];
    return step;
  };
  auto isEpilogue = [&](unsigned step) {
    return llvm::any_of(sources[step], [&](unsigned source) {
      return steps[source].op && steps[source].isProduct() && findReader(steps[source]) == static_cast<int>(step);
    });
  };
  // What more lead to reads memory that they write in pieces.
  constexpr size_t mostSources = 64;
  for (unsigned i = 0; i < steps.size(); ++i) {
    if (!steps[i].ir || isEpilogue(i))
      continue;
    for (size_t next = 0; next < steps[i].users.size(); ++next) {
      unsigned reader = getOwner(steps[i].users[next]);
      Step &step = steps[reader];
      if (reader == i || !step.ir || sources[reader].size() > mostSources || !mayBeOne(*steps[i].ir, *step.ir))
        continue;
      bool isReady = llvm::all_of(sources[reader], [&](unsigned source) {
        unsigned owner = getOwner(source);
        return owner == i || owner == reader || steps[owner].level > steps[i].level;
      });
      std::optional<KernelIR> joined = isReady ? joinReader(*steps[i].ir, *step.ir, device) : std::nullopt;
      if (!joined)
        continue;
      dropUnread(*joined, {steps[i].op, step.op});
      builder.setInsertionPoint(step.op);
      stepOf.erase(steps[i].op);
      stepOf.erase(step.op);
      LoopNestOp nest = joinNests(*joined, {i, reader});
      FailureOr<KernelIR> ir = readNest(nest);
      if (failed(ir))
        return failure();
      steps[i].op = nest;
      steps[i].ir = std::move(*ir);
      stepOf[nest] = i;
      owners[reader] = i;
      llvm::append_range(steps[i].users, step.users);
      llvm::append_range(sources[i], sources[reader]);
      step = Step();
    }
  }
  // Steps that are part of others are none.
  std::vector<unsigned> numbers(steps.size());
  unsigned count = 0;
  for (unsigned i = 0; i < steps.size(); ++i)
    if (owners[i] == i)
      numbers[i] = count++;
  if (count == steps.size())
    return success();
  for (unsigned i = 0; i < steps.size(); ++i) {
    if (owners[i] != i)
      continue;
    Step &step = steps[i];
    for (unsigned &user : step.users)
      user = numbers[getOwner(user)];
    llvm::sort(step.users);
    step.users.erase(std::unique(step.users.begin(), step.users.end()), step.users.end());
    llvm::erase(step.users, numbers[i]);
    stepOf[step.op] = numbers[i];
    if (numbers[i] != i)
      steps[numbers[i]] = std::move(step);
  }
  steps.resize(count);
  return success();
}

/// Nests that write the columns of one result, unless one is what follows a product.
void Batcher::groupJoinedRows() {
  constexpr size_t mostPieces = 16;
  llvm::SmallDenseSet<int> readers;
  for (const Step &step : steps)
    if (step.isProduct())
      readers.insert(findReader(step));
  llvm::MapVector<std::pair<unsigned, Value>, SmallVector<unsigned>> piecesOf; // by level and memory
  for (auto [i, step] : llvm::enumerate(steps))
    if (step.ir && step.ir->stores.size() == 1) {
      Value memory = step.ir->arrays[step.ir->stores.front().array].value;
      piecesOf[{step.level, resolveMemory(memory).root}].push_back(i);
    }
  for (const auto &[place, pieces] : piecesOf) {
    if (pieces.size() < 2 || pieces.size() > mostPieces ||
        llvm::any_of(pieces, [&](unsigned piece) { return readers.contains(piece); }))
      continue;
    std::vector<KernelIR> kernels;
    for (unsigned piece : pieces)
      kernels.push_back(*steps[piece].ir);
    std::optional<JoinedRows> joined = matchJoinedRows(kernels);
    // What is read across goes through shared memory by itself.
    if (!joined || chooseRowsOfBlock(*joined, options.processors) == 0 ||
        llvm::any_of(kernels, [&](const KernelIR &kernel) { return readsAcross(kernel, options.processors); }))
      continue;
    for (unsigned piece : pieces) {
      steps[piece].group = numGroups;
      steps[piece].joinsRows = true;
    }
    ++numGroups;
  }
}

/// Nests that differ in their memory alone. Parameters limit the size of a batch.
void Batcher::groupNests() {
  llvm::StringMap<unsigned> known;
  std::map<std::pair<unsigned, unsigned>, SmallVector<unsigned>> bySignature;
  for (auto [i, step] : llvm::enumerate(steps)) {
    if (!step.ir || step.joinsRows)
      continue;
    unsigned signature = known.try_emplace(getSignature(*step.ir), known.size()).first->second;
    bySignature[{step.level, signature}].push_back(i);
  }
  for (auto &entry : bySignature) {
    ArrayRef<unsigned> members = entry.second;
    unsigned arrays = std::max<size_t>(steps[members.front()].ir->arrays.size(), 1);
    size_t most = std::max<size_t>(1, kMaxParameterBytes / (8 * arrays));
    while (members.size() >= 2 && most >= 2) {
      ArrayRef<unsigned> batch = members.take_front(most);
      if (batch.size() >= 2) {
        for (unsigned member : batch)
          steps[member].group = steps[member].part = numGroups;
        ++numGroups;
      }
      members = members.drop_front(batch.size());
    }
  }
}

/// Nests of one level that read the same elements become one: several reductions of one operand, and what else is
/// computed from it.
void Batcher::joinSiblings() {
  struct Anchor {
    unsigned step;
    KernelIR ir;
    int group = -1;
  };
  constexpr size_t mostAnchors = 4, nearestAnchors = 16;
  // What a step depends on: all of it comes before the level.
  std::vector<unsigned> sources(steps.size(), std::numeric_limits<unsigned>::max());
  for (const Step &step : steps)
    for (unsigned user : step.users)
      sources[user] = std::min(sources[user], step.level);
  // The earliest first: a nest may come before its level, to those that it is joined to.
  auto sequence = llvm::to_vector(llvm::seq<unsigned>(0, steps.size()));
  llvm::stable_sort(sequence, [&](unsigned lhs, unsigned rhs) { return steps[lhs].level > steps[rhs].level; });
  std::vector<Anchor> anchors;
  DenseMap<const void *, SmallVector<size_t>> anchorsOf; // by operand
  for (unsigned i : sequence) {
    Step &step = steps[i];
    if (!step.ir || step.group >= 0)
      continue;
    const KernelIR &ir = *step.ir;
    SmallVector<const void *> operands;
    for (const Prim &prim : ir.prims)
      if (prim.kind == Prim::Kind::Load && prim.dims.count() == ir.space.getNumDims())
        operands.push_back(ir.arrays[prim.array].value.getAsOpaquePointer());
    llvm::SmallSetVector<size_t, 4> candidates;
    for (const void *operand : operands)
      for (size_t candidate : ArrayRef(anchorsOf[operand]).take_back(nearestAnchors)) {
        unsigned level = steps[anchors[candidate].step].level;
        if (level == step.level || sources[i] > level)
          candidates.insert(candidate);
      }
    bool found = false;
    for (size_t candidate : candidates.getArrayRef().take_back(mostAnchors)) {
      Anchor &anchor = anchors[candidate];
      if (!mayBeOne(anchor.ir, ir))
        continue;
      std::optional<KernelIR> joined = joinKernels(anchor.ir, ir, device);
      if (!joined)
        joined = joinKernels(ir, anchor.ir, device);
      if (!joined)
        continue;
      if (anchor.group < 0)
        anchor.group = numGroups++;
      anchor.ir = std::move(*joined);
      for (unsigned member : {anchor.step, i})
        steps[member].group = steps[member].part = anchor.group;
      step.level = steps[anchor.step].level;
      found = true;
      break;
    }
    if (found)
      continue;
    for (const void *operand : operands)
      anchorsOf[operand].push_back(anchors.size());
    anchors.push_back({i, ir});
  }
  for (Anchor &anchor : anchors)
    if (anchor.group >= 0)
      joinedParts.try_emplace(anchor.group, std::move(anchor.ir));
}

/// Small nests of one level become one launch, whose blocks are theirs in turn.
void Batcher::groupSmallNests() {
  constexpr int64_t mostElements = int64_t(1) << 23;
  constexpr size_t mostParts = 16;
  struct Part {
    SmallVector<unsigned> steps;
    int64_t elements = 0;
    size_t parameterBytes = 0;
    bool mayShare = true;
  };
  std::map<unsigned, llvm::MapVector<int, Part>> partsOfLevel;
  for (auto [i, step] : llvm::enumerate(steps)) {
    if (!step.ir || step.partner >= 0 || step.joinsRows)
      continue;
    const KernelIR &ir = *step.ir;
    int part = step.part < 0 ? -1 - static_cast<int>(i) : step.part;
    Part &entry = partsOfLevel[step.level][part];
    entry.steps.push_back(i);
    entry.elements += ir.getOuterSize() * std::max<int64_t>(ir.getInnerSize(), 1);
    entry.parameterBytes += 8 * ir.arrays.size();
    entry.mayShare &= ir.symbols.empty();
  }
  for (auto &[level, parts] : partsOfLevel) {
    SmallVector<Part *> open;
    size_t bytes = 0;
    auto close = [&] {
      if (open.size() > 1) {
        for (Part *part : open)
          for (unsigned step : part->steps)
            steps[step].group = numGroups;
        ++numGroups;
      }
      open.clear();
      bytes = 0;
    };
    for (auto &[number, part] : parts) {
      if (!part.mayShare || part.elements > mostElements)
        continue;
      if (open.size() == mostParts || bytes + part.parameterBytes > kMaxParameterBytes)
        close();
      open.push_back(&part);
      bytes += part.parameterBytes;
    }
    close();
  }
}

int Batcher::findReader(const Step &product) const {
  Value result = cast<MatrixProductOp>(product.op).getResult();
  if (!result.getDefiningOp<memref::AllocOp>())
    return -1;
  int reader = -1;
  SmallVector<Value> pending = {result};
  while (!pending.empty()) {
    Value memory = pending.pop_back_val();
    for (Operation *user : memory.getUsers()) {
      if (user == product.op)
        continue;
      if (auto buffer = dyn_cast<BufferOp>(user)) {
        pending.push_back(buffer);
        continue;
      }
      auto step = stepOf.find(user);
      if (step == stepOf.end() || !steps[step->second].ir || (reader >= 0 && reader != static_cast<int>(step->second)))
        return -1;
      reader = step->second;
    }
  }
  return reader;
}

/// Writes rows that begin at multiples of 16 bytes, and reads nothing but the product.
static bool isPlainEpilogue(const KernelIR &ir, Value product) {
  std::optional<Epilogue> epilogue = matchEpilogue(ir, product);
  return epilogue && epilogue->loads.empty() && epilogue->result.ld % 8 == 0;
}

/// Many small products of one shape become one launch of ours, with the function
/// that follows each of them. Large products, and few, are the library's.
void Batcher::groupProducts() {
  constexpr size_t fewest = 4;
  constexpr int64_t largest = int64_t(512) * 512 * 512;
  llvm::StringMap<unsigned> known;
  // By shape, and the group of the nests that follow (-1: none that an epilogue can be).
  llvm::MapVector<std::pair<unsigned, int>, SmallVector<unsigned>> candidates;
  for (auto [i, step] : llvm::enumerate(steps)) {
    auto product = dyn_cast<MatrixProductOp>(step.op);
    if (!product || product.getLoweringConfig())
      continue;
    std::optional<MatmulSpec> spec = describeMatmul(product);
    if (!spec || spec->m * spec->n * spec->k > largest)
      continue;
    std::string key;
    llvm::raw_string_ostream os(key);
    os << step.level << ' ' << spec->element << ' ' << spec->m << ' ' << spec->n << ' ' << spec->k << ' ' << spec->lda
       << ' ' << spec->ldb << ' ' << spec->ldd << ' ' << spec->transposedB << spec->hasBias;
    int reader = findReader(step);
    bool fuses = reader >= 0 && isPlainEpilogue(*steps[reader].ir, product.getResult());
    unsigned shape = known.try_emplace(key, known.size()).first->second;
    candidates[{shape, fuses ? steps[reader].group : -1}].push_back(i);
  }
  for (const auto &[key, members] : candidates) {
    if (members.size() < fewest)
      continue;
    int nestGroup = key.second;
    bool fuses = nestGroup >= 0;
    if (fuses) // All nests of the group, and nothing else.
      fuses = static_cast<size_t>(llvm::count_if(steps, [&, nestGroup = nestGroup](const Step &step) {
                return step.group == nestGroup;
              })) == members.size();
    // Each operand and the result may need a table.
    size_t tables = cast<MatrixProductOp>(steps[members[0]].op).getAddend() ? 4 : 3;
    for (ArrayRef<unsigned> rest(members); !rest.empty();) {
      ArrayRef<unsigned> batch = rest.take_front(kMaxParameterBytes / (8 * tables));
      // The first batch keeps the number of the nests' group.
      int group = fuses && rest.size() == members.size() ? nestGroup : numGroups++;
      for (unsigned product : batch) {
        setEmitter(cast<MatrixProductOp>(steps[product].op), kMmaEmitter);
        steps[product].group = group;
        if (!fuses)
          continue;
        unsigned nest = findReader(steps[product]);
        steps[nest].group = group;
        steps[nest].partner = product;
        steps[product].partner = nest;
      }
      rest = rest.drop_front(batch.size());
    }
  }
}

/// Products for kernels on warpgroup instructions, each with the function that follows it.
void Batcher::chooseOwnProducts() {
  for (auto [i, step] : llvm::enumerate(steps)) {
    auto op = dyn_cast<MatrixProductOp>(step.op);
    if (!op || step.group >= 0)
      continue;
    bool isAsked = getEmitter(op) == kWgmmaEmitter;
    if (op.getLoweringConfig() && !isAsked)
      continue;
    std::optional<WgmmaProduct> product = describeWgmma(op);
    if (!product)
      continue;
    int reader = findReader(step);
    std::optional<Epilogue> epilogue;
    if (reader >= 0 && steps[reader].partner < 0)
      epilogue = matchEpilogue(*steps[reader].ir, op.getResult());
    if (!isAsked && !isOurs(*product, op, epilogue.has_value(), options))
      continue;
    setEmitter(op, kWgmmaEmitter);
    if (!epilogue)
      continue;
    step.group = steps[reader].group = numGroups++;
    step.partner = reader;
    steps[reader].partner = i;
  }
}

/// Kahn's algorithm on the graph whose nodes are groups; of what is ready, the earliest in the
/// function goes first. Members of a group end up next to each other.
SmallVector<unsigned> Batcher::order() const {
  std::vector<unsigned> ownerOf(steps.size());
  std::vector<SmallVector<unsigned, 1>> members;
  DenseMap<int, unsigned> ownerOfGroup;
  for (auto [i, step] : llvm::enumerate(steps)) {
    if (step.group >= 0) {
      auto [it, inserted] = ownerOfGroup.try_emplace(step.group, members.size());
      ownerOf[i] = it->second;
      if (!inserted) {
        members[it->second].push_back(i);
        continue;
      }
    } else {
      ownerOf[i] = members.size();
    }
    members.push_back({static_cast<unsigned>(i)});
  }
  std::vector<unsigned> missing(members.size());
  for (auto [i, step] : llvm::enumerate(steps))
    for (unsigned user : step.users)
      missing[ownerOf[user]] += ownerOf[user] != ownerOf[i];
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned owner = 0; owner < members.size(); ++owner)
    if (missing[owner] == 0)
      ready.push(owner);
  SmallVector<unsigned> result;
  while (!ready.empty()) {
    unsigned owner = ready.top();
    ready.pop();
    for (unsigned id : members[owner]) {
      result.push_back(id);
      for (unsigned user : steps[id].users)
        if (ownerOf[user] != owner && --missing[ownerOf[user]] == 0)
          ready.push(ownerOf[user]);
    }
  }
  return result;
}

/// One nest for several: instances of one, or their join.
Operation *Batcher::buildPart(ArrayRef<unsigned> members) {
  auto first = cast<LoopNestOp>(steps[members.front()].op);
  if (members.size() == 1)
    return first;
  auto joined = joinedParts.find(steps[members.front()].part);
  if (joined == joinedParts.end()) {
    SmallVector<Value> memory;
    for (unsigned member : members)
      llvm::append_range(memory, cast<LoopNestOp>(steps[member].op).getMemory());
    first.getMemoryMutable().assign(memory);
    first.setInstances(members.size());
    for (unsigned member : members.drop_front())
      steps[member].op->erase();
    return first;
  }
  return joinNests(joined->second, members);
}

/// What is computed by one launch, at the builder's place.
void Batcher::buildGroup(ArrayRef<unsigned> members) {
  llvm::MapVector<int, SmallVector<unsigned>> parts;
  for (unsigned member : members) {
    const Step &step = steps[member];
    bool isAlone = step.part < 0 || step.partner >= 0 || step.isProduct();
    parts[isAlone ? -1 - static_cast<int>(member) : step.part].push_back(member);
  }
  bool isLaunch = parts.size() > 1;
  OpBuilder::InsertionGuard guard(builder);
  if (isLaunch) {
    SmallVector<Location> locations;
    for (unsigned member : members)
      locations.push_back(steps[member].op->getLoc());
    auto launch = LaunchOp::create(builder, builder.getFusedLoc(locations));
    builder.createBlock(&launch.getBody());
  }
  auto place = [&](Operation *op) { op->moveBefore(builder.getBlock(), builder.getInsertionPoint()); };
  for (auto &[part, numbers] : parts) {
    const Step &step = steps[numbers.front()];
    if (step.isAbsorbed())
      continue; // With its epilogue.
    if (step.partner >= 0) {
      // What is between them is in registers.
      auto product = cast<MatrixProductOp>(steps[step.partner].op);
      Operation *allocation = product.getResult().getDefiningOp();
      SmallVector<Operation *> memory = {allocation};
      for (size_t i = 0; i < memory.size(); ++i)
        for (Operation *user : memory[i]->getUsers())
          if (isa<BufferOp>(user))
            memory.push_back(user);
      for (Operation *op : memory)
        place(op);
      place(product);
    }
    place(buildPart(numbers));
  }
}

void Batcher::rewrite(ArrayRef<unsigned> order) {
  if (body.empty())
    return;
  // Memory comes first, copies last.
  Operation *first = &body.front();
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (!isa<BufferOp, memref::AllocOp, memref::GetGlobalOp>(op))
      continue;
    if (&op == first)
      first = first->getNextNode();
    else
      op.moveBefore(first);
  }
  Block::iterator end = body.mightHaveTerminator() ? body.back().getIterator() : body.end();
  while (end != body.begin() && isa<memref::CopyOp>(*std::prev(end)))
    --end;
  builder.setInsertionPoint(&body, end);
  for (size_t i = 0, count = 1; i < order.size(); i += count) {
    int group = steps[order[i]].group;
    count = 1;
    while (group >= 0 && i + count < order.size() && steps[order[i + count]].group == group)
      ++count;
    buildGroup(order.slice(i, count));
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isa<BufferOp, memref::AllocOp>(op) && op.use_empty())
      op.erase();
}

LogicalResult Batcher::run() {
  if (failed(collectSteps()))
    return failure();
  findDependences();
  findLevels();
  if (failed(joinReaders()))
    return failure();
  findLevels(); // Of what is left.
  groupJoinedRows();
  groupNests();
  groupProducts();
  auto chip = host->getAttrOfType<StringAttr>(kHostChipAttr);
  if (chip.getValue() == "sm_90a" && options.products != OwnProducts::Never)
    chooseOwnProducts();
  joinSiblings();
  groupSmallNests();
  SmallVector<unsigned> sequence = order();
  if (sequence.size() != steps.size())
    return host.emitOpError("expected steps that do not depend on themselves");
  rewrite(sequence);
  return success();
}

LogicalResult fxgraph::gpu::batchKernels(mlir::func::FuncOp host, const GPUOptions &options) {
  return visitSteps(host, [&](Block &steps) {
    if (failed(transposeProducts(host, steps, options)))
      return LogicalResult(failure());
    return Batcher(host, steps, options).run();
  });
}
