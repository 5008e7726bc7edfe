// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the schedules of generated kernels share: the function, addresses, values at
// one position of the loop nest, reductions across threads.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_KERNELEMITTER_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_KERNELEMITTER_H

#include "Emit/EmitKernel.h"
#include "Kernel/KernelSchedule.h"
#include "Kernel/ScalarMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fxgraph::gpu {

/// Values that were computed at one position of the loop nest.
struct Scope {
  SmallVector<Value> dims; ///< first index along each dimension
  int vectorDim = -1;      ///< the dimension along which values are vectors
  unsigned lanes = 1;
  DenseMap<unsigned, Value> prims;
  DenseMap<std::pair<unsigned, unsigned>, Value> atoms;
  DenseMap<unsigned, Value> tables; ///< arrays whose pointer was read from a table
  const Scope *parent = nullptr;    ///< position further out
  /// A dimension along which the position is so many elements behind `stepFirst`; -1: none. What is linear in it is computed
  /// from there, as it is for other positions.
  int stepDim = -1;
  int64_t step = 0;
  Value stepFirst;
  /// Row-major positions along several dimensions each, where `dims` follows from these: an address that is dense along
  /// them is computed without quotients.
  SmallVector<std::pair<ArrayRef<unsigned>, Value>, 2> positions;

  Value find(unsigned prim) const {
    for (const Scope *scope = this; scope; scope = scope->parent)
      if (auto it = scope->prims.find(prim); it != scope->prims.end())
        return it->second;
    return {};
  }
};

/// A vector of a box.
struct BoxPlace {
  Scope scope;
  Value shared;  ///< where its first element lies in shared memory
  Value inBox;   ///< null: always
  Value inArray; ///< Scans: the same for the box, which may be partial
  Value
      inRun; ///< Boxes whose runs begin anywhere: elements between the first of the run and the vector, as if that began
             ///< there
};

/// A vector in shared memory: elements `stride` apart, of which some are accessed together.
struct BoxVector {
  Value place;
  int64_t lanes, together, stride;
};

/// The vectors of a thread (KernelSchedule.h).
struct BoxWalk {
  SmallVector<Digit> digits; ///< of a vector's number, the fastest last
  BoxPath path;
  SmallVector<Value> own; ///< elements along each digit, from the one that is split, to where the thread begins
  Value inBox;            ///< null: all threads have some vectors
};

/// Running value of a reduction: one value, or for argmax the value and where.
using ReduceState = SmallVector<Value, 2>;

/// A function whose blocks belong to several kernels.
struct SharedFunction {
  mlir::gpu::GPUFuncOp function;
  Value block;
  unsigned nextArgument = 0;
  int64_t nextBlock = 0;
  mlir::Block *others = nullptr; ///< what the blocks of later kernels run
};

class KernelEmitter {
public:
  /// `shared`: the function that the kernel becomes part of, where the builder stands; null: its own.
  KernelEmitter(OpBuilder &builder, const KernelIR &ir, const KernelUses &uses, const KernelSchedule &schedule,
                SharedFunction *shared = nullptr)
      : b(builder), ir(ir), math(builder, ir.loc, roundsResults(ir)), loc(ir.loc), uses(uses), schedule(schedule),
        shared(shared) {}
  static mlir::gpu::GPUFuncOp createFunction(OpBuilder &builder, Location loc, StringRef name,
                                             ArrayRef<const KernelIR *> kernels, int64_t block);
  FailureOr<LaunchShape> run();

private:
  friend class JoinedRowsEmitter;
  // Index arithmetic (EmitIndices.cpp).
  Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }
  Value evaluate(Scope &scope, const IndexExpr &expr, unsigned lane);
  Value evaluateAtom(Scope &scope, unsigned atom, unsigned lane);
  Value addIndex(Value lhs, Value rhs) { return mlir::arith::AddIOp::create(b, loc, lhs, rhs); }
  Value mulIndex(Value lhs, int64_t factor) {
    return factor == 1 ? lhs : mlir::arith::MulIOp::create(b, loc, lhs, index(factor)).getResult();
  }
  SmallVector<Digit> getDigits(ArrayRef<unsigned> dims, unsigned lanes) const;
  SmallVector<Digit> getTiledDigits(ArrayRef<unsigned> dims, unsigned lanes) const;
  void delinearize(Value position, ArrayRef<Digit> digits, SmallVectorImpl<Value> &values);
  Value indexVector(Scope &scope, const IndexExpr &expr, Type type);
  uint64_t getAlignment(const Scope &scope, const KernelArray &array, const IndexExpr &address) const {
    return gpu::getAlignment(ir, array, address, scope.lanes > 1 ? scope.vectorDim : -1, scope.lanes);
  }

  // Values (EmitValues.cpp).
  bool varies(const Scope &scope, const llvm::SmallBitVector &dims) const {
    return scope.lanes > 1 && dims.test(scope.vectorDim);
  }
  bool varies(const Scope &scope, const IndexExpr &expr) const { return varies(scope, ir.space.getDims(expr)); }
  Value widen(const Scope &scope, Value value, bool wide);
  LogicalResult compute(Scope &scope, ArrayRef<unsigned> targets);
  FailureOr<Value> computePrim(Scope &scope, const Prim &prim);
  Value getMemory(Scope &scope, unsigned array);
  void openTables(Scope &scope);
  Value loadMemory(Scope &scope, const Prim &prim);
  Value emitLoad(Scope &scope, const Prim &prim);
  Value emitTests(Scope &scope, ArrayRef<RangeTest> tests);
  Value fromMemory(Value value, Type elementType);
  Value toMemory(Value value, Type elementType);
  /// The element of a vector, or the one value that all lanes have.
  Value getLane(Value value, int64_t lane);
  Value isBelow(Value at, int64_t limit) {
    return mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::ult, at, index(limit));
  }
  /// Both conditions; null stands for one that always holds.
  Value both(Value lhs, Value rhs) {
    return lhs && rhs ? mlir::arith::AndIOp::create(b, loc, lhs, rhs).getResult() : lhs ? lhs : rhs;
  }
  void emitStore(Scope &scope, const KernelStore &store);

  // Reductions (EmitStates.cpp).
  bool isArg(const Prim &prim) const { return prim.reduce == ReduceKind::ArgMax || prim.reduce == ReduceKind::ArgMin; }
  ReduceState neutralState(unsigned reduce, unsigned lanes);
  ReduceState combineStates(unsigned reduce, const ReduceState &lhs, const ReduceState &rhs);
  LogicalResult accumulate(Scope &scope, unsigned reduce, ReduceState &state, Value valid);
  ReduceState collapseLanes(unsigned reduce, const ReduceState &state);
  ReduceState reduceAcross(unsigned reduce, ReduceState state, unsigned threadsPerRow, Value lane);
  ReduceState reduceStrip(unsigned reduce, const ReduceState &state, unsigned width, Value thread);
  /// Combines the states of the blocks of a cluster, which each thread has of its own; all of them get the results.
  void combineInCluster(ArrayRef<unsigned> reduces, MutableArrayRef<ReduceState> states, Value rank);
  Value shuffle(Value value, unsigned offset);
  /// Elements of shared memory.
  Value addShared(int64_t count, Type type);
  /// The same for values of a type, which may be i1, and access to them.
  Value addSlots(int64_t count, Type type);
  void storeSlot(Value value, Value slots, Value at);
  Value loadSlot(Value slots, Value at, Type type);
  SmallVector<unsigned> reducesOfPhase(unsigned phase) const;
  LogicalResult computeRowValues(Scope &scope, unsigned phase);

  // Scans (EmitScan.cpp, EmitScanBoxes.cpp).
  std::pair<Value, Value> scanButterfly(Value neutral, Value total, Value place, int64_t threads, int64_t apart,
                                        function_ref<Value(Value, Value)> combine);
  /// A column of a box: of which memory, and which of its parts is the thread's.
  struct ScanColumn {
    Value memory;        ///< shared: of the running sum
    Value start;         ///< of the thread's part
    Value number;        ///< of the column in the box
    Value exists;        ///< null: always
    Value part;          ///< number of the thread's part
    Value piece;         ///< Scans that are spread: number of the box in the column,
    Value neighbour;     ///< and of the column of boxes
    int64_t carries = 0; ///< where the words of the running sum begin
  };
  LogicalResult scanColumn(unsigned scan, const ScanColumn &column, Value &before);
  Value carryOver(unsigned scan, const ScanColumn &column, Value total);
  Value reduceColumn(unsigned scan, const ScanColumn &column, Value value);
  SmallVector<unsigned> getScans() const;
  LogicalResult emitScans(Scope &scope, Value valid, MutableArrayRef<Value> carried, Value lane);

  // Runs (EmitRuns.cpp).
  /// What goes through shared memory, by prim and by number of the store, the first element of the block's run, and the
  /// elements left free in front of those of the thread's result.
  struct Run {
    Value start, free;
    DenseMap<unsigned, Value> loads, stores;
  };
  Value getRunPlace(Value element);
  void forRunVectors(function_ref<void(Value, Value)> whole, function_ref<void(Value, Value)> single);
  void openRun(Value block);
  void openRunResult(Value block, Value number);
  BoxVector getRunVector(Value at, int64_t lanes);
  Value getInRun(Scope &scope, const IndexExpr &address);
  void closeRun();

  // Boxes (BoxWalk.cpp).
  /// Goes so many elements along a digit.
  using MoveAlong = function_ref<void(const Digit &digit, Value elements)>;
  BoxWalk planWalk(ArrayRef<Digit> digits);
  /// From the first vector of the box to what the thread's vectors have in common, and from there to number `i` of them.
  /// Returns whether that is in the box; null: always.
  void enterBox(const BoxWalk &walk, MoveAlong move);
  Value goToVector(const BoxWalk &walk, int64_t i, MoveAlong move);
  /// Computes what the nest stores, and stores it under a condition.
  LogicalResult storeResults(Scope &scope, Value condition);
  SmallVector<unsigned> getTargets() const;
  void storeToBox(Value value, Value memory, const BoxVector &at);
  Value loadFromBox(Value memory, const BoxVector &at);
  Value getBoxAddress(Value memory, Value place);

  // Boxes of memory in two orders (EmitBoxes.cpp).
  struct Box;
  struct SideWalk;
  struct Loaded;
  struct BoxResults;
  void openBox(Box &box);
  SideWalk planSide(bool isRead);
  void openAt(const Box &box, const SideWalk &walk, unsigned lanes, Value across, Value along, BoxPlace &place);
  BoxPlace openPlace(const Box &box, const SideWalk &walk, int64_t i);
  BoxResults openResults(const Box &box, const SideWalk &walk, int64_t i);
  BoxResults openJoined(const Box &box, const SideWalk &walk, int64_t i);
  LogicalResult emitRowsBehind(const Box &box);
  Value getBefore(const Box &box, const SideWalk &walk, Value across);
  BoxResults openShifted(const Box &box, const SideWalk &walk, int64_t i);
  SideWalk planEnds();
  BoxResults openEnd(const Box &box, const SideWalk &walk, int64_t i);
  BoxVector getVector(const SideWalk &walk, const BoxPlace &place, Value memory);
  Value choose(Type type, Value condition, function_ref<Value()> yes, function_ref<Value()> no);
  Value loadVector(Value memory, Value address, mlir::VectorType type);
  void storeVector(Value vector, Value memory, Value address);
  Loaded loadRagged(BoxPlace &place, const Prim &prim);
  void storeRagged(const Loaded &loaded, Value memory, const BoxPlace &place);
  LogicalResult loadDirect(BoxResults &results, ArrayRef<unsigned> loads);
  LogicalResult storeNeighbours(MutableArrayRef<BoxPlace> places, Value areNeighbours);

  // Schedules.
  LogicalResult emitFlat();
  /// What is loaded from memory, before anything is computed from it: no load is moved across a division, which is a branch.
  SmallVector<unsigned> getLoads() const;
  LogicalResult emitBoxes();
  LogicalResult emitScanBoxes();
  LogicalResult emitReduction();
  LogicalResult emitLoops();
  LogicalResult emitTiles();
  LogicalResult emitElementStores(Scope &scope, Value valid);

  /// Builds `body` under a condition (or without one if it is null).
  LogicalResult guarded(Value condition, function_ref<LogicalResult()> body);
  /// Opens the kernel's blocks.
  /// The kernel's arrays: the function's arguments from `first` on.
  void bindArrays(unsigned first);
  void openBlocks(int64_t grid, int64_t block);

  OpBuilder &b;
  const KernelIR &ir;
  ScalarMath math;
  Location loc;
  mlir::gpu::GPUFuncOp function;
  SmallVector<Value> arrays, arguments;
  const KernelUses &uses;
  const KernelSchedule &schedule;
  SharedFunction *shared;
  Value blockId, threadId;
  Run ownRun;
  DenseMap<unsigned, Value> scanSlots; ///< shared memory in which warps pass each other their totals
  LaunchShape launch;
};

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_KERNELEMITTER_H
