// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/WarpgroupMatrix.h"

using namespace fxgraph;
using namespace fxgraph::gpu;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;

Value WarpgroupMatrix::describe(Value sharedPointer, bool depthMajor, int64_t panelBytes) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto number = [&](Type type, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)).getResult();
  };
  Value address = LLVM::PtrToIntOp::create(b, loc, i32, sharedPointer);
  address = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, address, number(i32, 4)), number(i32, 0x3fff));
  return arith::OrIOp::create(b, loc, arith::ExtUIOp::create(b, loc, i64, address),
                              number(i64, getDescriptorFields(depthMajor, panelBytes)));
}

Value WarpgroupMatrix::advance(Value descriptor, int64_t bytes) {
  if (bytes == 0)
    return descriptor;
  return arith::AddIOp::create(b, loc, descriptor, arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bytes / 16)));
}

SmallVector<Value> WarpgroupMatrix::emit(const std::string &text, ArrayRef<Value> tied, ArrayRef<Value> inputs,
                                         Type resultType, size_t numResults) {
  auto letter = [](Type type) { return type.isInteger(64) ? "l" : type.isInteger(32) ? "r" : "f"; };
  SmallVector<std::string> constraints;
  SmallVector<Type> types;
  for (size_t i = 0; i < numResults; ++i) {
    types.push_back(resultType ? resultType : tied[i].getType());
    constraints.push_back(std::string("=") + letter(types.back()));
  }
  SmallVector<Value> operands(tied);
  for (size_t i = 0; i < tied.size(); ++i)
    constraints.push_back(std::to_string(i));
  for (Value input : inputs) {
    constraints.push_back(letter(input.getType()));
    operands.push_back(input);
  }
  Type result = LLVM::LLVMVoidType::get(b.getContext());
  if (numResults == 1)
    result = types.front();
  else if (numResults > 1)
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  auto op = LLVM::InlineAsmOp::create(b, loc, numResults ? TypeRange(result) : TypeRange(), operands, text,
                                      llvm::join(constraints, ","), /*has_side_effects=*/true,
                                      /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                      /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/mlir::ArrayAttr());
  if (numResults == 1)
    return {op.getResult(0)};
  SmallVector<Value> results;
  for (size_t i = 0; i < numResults; ++i)
    results.push_back(LLVM::ExtractValueOp::create(b, loc, op.getResult(0), static_cast<int64_t>(i)));
  return results;
}

void WarpgroupMatrix::pass(const std::string &text, MutableArrayRef<Value> registers) {
  llvm::copy(emit(text, registers, {}, Type(), registers.size()), registers.begin());
}

SmallVector<Value> WarpgroupMatrix::multiply(ArrayRef<Value> acc, ArrayRef<Value> left, Value right, int64_t columns,
                                             bool depthMajor) {
  size_t count = columns / 2;
  std::string type = element.isBF16() ? "bf16" : "f16", text;
  llvm::raw_string_ostream os(text);
  size_t operand = count + acc.size();
  auto list = [&](size_t first, size_t number) {
    os << '{';
    for (size_t i = 0; i < number; ++i)
      os << (i ? ", $" : "$") << first + i;
    os << '}';
  };
  os << "{\n.reg .pred p;\nsetp.ne.b32 p, " << !acc.empty() << ", 0;\nwgmma.mma_async.sync.aligned.m64n" << columns
     << "k16.f32." << type << "." << type << " ";
  list(0, count);
  os << ", ";
  if (left.size() == 4)
    list(operand, 4);
  else
    os << '$' << operand;
  os << ", $" << operand + left.size() << ", p, 1, 1" << (left.size() == 4 ? "" : ", 0") << ", " << !depthMajor
     << ";\n}";
  SmallVector<Value> inputs(left);
  inputs.push_back(right);
  return emit(text, acc, inputs, b.getF32Type(), count);
}

std::optional<WarpgroupInstruction> WarpgroupInstruction::parse(StringRef text) {
  WarpgroupInstruction parsed;
  for (StringRef order : {"wgmma.fence", "wgmma.commit_group", "wgmma.wait_group", "fence.proxy.async"})
    if (text.starts_with(order)) {
      parsed.isWait = order == "wgmma.wait_group";
      return parsed;
    }
  parsed.isProduct = true;
  parsed.accumulates = text.consume_front("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n");
  if ((!parsed.accumulates && !text.consume_front("{\n.reg .pred p;\nsetp.ne.b32 p, 0, 0;\n")) ||
      !text.consume_front("wgmma.mma_async.sync.aligned.m64n") || text.consumeInteger(10, parsed.columns) ||
      !text.consume_front("k16.f32."))
    return std::nullopt;
  parsed.isBF16 = text.starts_with("bf16");
  parsed.leftInRegisters = text.count('{') == 2;
  parsed.depthMajor = text.ends_with(", 0;\n}");
  return parsed;
}
