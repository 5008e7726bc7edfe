// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix instruction of warp groups (wgmma m64nNk16, sm_90a), as inline PTX: NVVM's
// op has no form whose left operand is in registers. Instructions run asynchronously;
// registers that they use pass through the ops that start and await them, so that
// nothing touches one in between.

#ifndef FXGRAPH_LIB_BACKEND_GPU_EMIT_WARPGROUPMATRIX_H
#define FXGRAPH_LIB_BACKEND_GPU_EMIT_WARPGROUPMATRIX_H

#include "Kernel/ScalarMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <variant>

namespace fxgraph::gpu {

class WarpgroupMatrix {
public:
  WarpgroupMatrix(OpBuilder &builder, Location loc, Type element) : b(builder), loc(loc), element(element) {}

  /// Descriptors of operands in shared memory: 128-byte rows, swizzled. `depthMajor`: a row
  /// holds 64 of the elements that are summed over. Else a row holds 64 columns of the
  /// right operand, and the next 64 are `panelBytes` behind.
  Value describe(Value sharedPointer, bool depthMajor, int64_t panelBytes);
  /// The same without the address (PTX ISA, "Matrix descriptor"): lengths are in units of 16
  /// bytes, groups of eight rows are 1024 bytes apart, the swizzle is that of 128 bytes.
  static constexpr int64_t getDescriptorFields(bool depthMajor, int64_t panelBytes) {
    return (depthMajor ? 1 : panelBytes / 16) << 16 | int64_t(1024 / 16) << 32 | int64_t(1) << 62;
  }
  /// The descriptor of what lies `bytes` (of 16) behind.
  Value advance(Value descriptor, int64_t bytes);

  /// acc + left x right for 64 rows and `columns` columns, of one step of 16; zero + … where acc
  /// is empty. The left operand: a descriptor or four registers; the right one is depth-major
  /// or not.
  SmallVector<Value> multiply(ArrayRef<Value> acc, ArrayRef<Value> left, Value right, int64_t columns, bool depthMajor);
  /// The same for several steps, whose operands are all described, as one text: what the compilers see of the sums
  /// is one operation, not one for each step. `acc` has the sums of the first of `left`, then those of the next;
  /// `accumulates` is an i32, and where it is 0 the sums start from zero.
  struct Steps {
    int64_t count, left, right; ///< how many, and bytes from one to the next in each operand
  };
  SmallVector<Value> multiply(ArrayRef<Value> acc, ArrayRef<Value> left, Value right, int64_t columns,
                              bool leftDepthMajor, bool rightDepthMajor, Steps steps, Value accumulates);
  /// Before the first instruction that uses registers which others have written.
  void fence(MutableArrayRef<Value> registers) { pass("wgmma.fence.sync.aligned;", registers); }
  /// Ends a group of instructions.
  void commit() { pass("wgmma.commit_group.sync.aligned;", {}); }
  /// Waits until at most `pending` groups are not done.
  void wait(int64_t pending, MutableArrayRef<Value> registers) {
    pass("wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";", registers);
  }
  /// What threads have written to shared memory is seen by the instructions that follow.
  void fenceShared() { pass("fence.proxy.async.shared::cta;", {}); }

private:
  void pass(const std::string &text, MutableArrayRef<Value> registers);
  SmallVector<Value> emit(const std::string &text, ArrayRef<Value> tied, ArrayRef<Value> inputs, Type resultType,
                          size_t numResults);

  OpBuilder &b;
  Location loc;
  Type element;
};

/// What an inline PTX of WarpgroupMatrix says, for the emulator; nullopt for any other text.
struct WarpgroupText {
  /// An operand: a register of the text, or one that the text names itself.
  struct Product {
    int64_t columns = 0;
    bool isBF16 = false, leftDepthMajor = true, rightDepthMajor = true;
    SmallVector<unsigned> sums;
    SmallVector<StringRef> left; ///< one descriptor, or four registers
    StringRef right, accumulates;
  };
  struct Add {
    StringRef result, operand;
    bool withoutCarry = false;
    int64_t number = 0;
  };
  struct Test { ///< result = operand != 0
    StringRef result, operand;
  };
  using Statement = std::variant<Product, Add, Test>;
  bool isWait = false;                 ///< for products
  SmallVector<Statement> statements{}; ///< none: it only orders others
  static std::optional<WarpgroupText> parse(StringRef text);
};

} // namespace fxgraph::gpu

#endif // FXGRAPH_LIB_BACKEND_GPU_EMIT_WARPGROUPMATRIX_H
