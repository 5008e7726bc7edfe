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

/// `{$first, …}`, `count` of them.
static std::string listRegisters(size_t first, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

static std::string getInstruction(int64_t columns, Type element) {
  std::string type = element.isBF16() ? "bf16" : "f16";
  return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + "k16.f32." + type + "." + type + " ";
}

SmallVector<Value> WarpgroupMatrix::multiply(ArrayRef<Value> acc, ArrayRef<Value> left, Value right, int64_t columns,
                                             bool depthMajor) {
  size_t count = columns / 2, operand = count + acc.size();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\n.reg .pred p;\nsetp.ne.b32 p, " << !acc.empty() << ", 0;\n"
     << getInstruction(columns, element) << listRegisters(0, count) << ", ";
  if (left.size() == 4)
    os << listRegisters(operand, 4);
  else
    os << '$' << operand;
  os << ", $" << operand + left.size() << ", p, 1, 1" << (left.size() == 4 ? "" : ", 0") << ", " << !depthMajor
     << ";\n}";
  SmallVector<Value> inputs(left);
  inputs.push_back(right);
  return emit(text, acc, inputs, b.getF32Type(), count);
}

SmallVector<Value> WarpgroupMatrix::multiply(ArrayRef<Value> acc, ArrayRef<Value> left, Value right, int64_t columns,
                                             bool leftDepthMajor, bool rightDepthMajor, Steps steps,
                                             Value accumulates) {
  size_t count = columns / 2, operand = 2 * acc.size();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\n.reg .pred p, q;\n.reg .b64 r";
  for (size_t i = 0; i < left.size(); ++i)
    os << ", l" << i;
  os << ";\nsetp.ne.b32 p, $" << operand + left.size() + 1 << ", 0;\nsetp.ne.b32 q, 1, 0;\n";
  // Within the 1024 bytes that tiles are aligned to no bit is set: `or` needs no carry into the upper word.
  auto getOperation = [&](int64_t bytes) { return (steps.count - 1) * bytes < 1024 ? "or.b64 " : "add.s64 "; };
  for (int64_t step = 0; step < steps.count; ++step) {
    os << getOperation(steps.right) << "r, $" << operand + left.size() << ", " << step * steps.right / 16 << ";\n";
    for (size_t i = 0; i < left.size(); ++i)
      os << getOperation(steps.left) << 'l' << i << ", $" << operand + i << ", " << step * steps.left / 16 << ";\n"
         << getInstruction(columns, element) << listRegisters(i * count, count) << ", l" << i << ", r, "
         << (step == 0 ? 'p' : 'q') << ", 1, 1, " << !leftDepthMajor << ", " << !rightDepthMajor << ";\n";
  }
  os << '}';
  SmallVector<Value> inputs(left);
  inputs.append({right, accumulates});
  return emit(text, acc, inputs, Type(), acc.size());
}

std::optional<WarpgroupText> WarpgroupText::parse(StringRef text) {
  WarpgroupText parsed;
  for (StringRef order : {"wgmma.fence", "wgmma.commit_group", "wgmma.wait_group", "fence.proxy.async"})
    if (text.starts_with(order)) {
      parsed.isWait = order == "wgmma.wait_group";
      return parsed;
    }
  if (!text.consume_front("{\n") || !text.consume_back("}"))
    return std::nullopt;
  // An operand is a word, or a list of such in braces.
  auto take = [](StringRef &rest) {
    SmallVector<StringRef> words;
    rest = rest.ltrim(", ");
    bool isList = rest.consume_front("{");
    StringRef all = rest.take_until([&](char c) { return c == (isList ? '}' : ','); });
    rest = rest.drop_front(std::min(rest.size(), all.size() + 1));
    for (StringRef word : llvm::split(all, ','))
      words.push_back(word.trim());
    return words;
  };
  for (StringRef line : llvm::split(text.trim(), '\n')) {
    if (!line.consume_back(";"))
      return std::nullopt;
    if (line.starts_with(".reg "))
      continue;
    auto [name, rest] = line.split(' ');
    StringRef first = take(rest).front();
    if (name == "setp.ne.b32") {
      parsed.statements.push_back(Test{first, take(rest).front()});
    } else if (name == "add.s64" || name == "or.b64") {
      Add add{first, take(rest).front(), /*withoutCarry=*/name == "or.b64"};
      if (take(rest).front().getAsInteger(10, add.number))
        return std::nullopt;
      parsed.statements.push_back(add);
    } else {
      Product product;
      if (!name.consume_front("wgmma.mma_async.sync.aligned.m64n") || name.consumeInteger(10, product.columns) ||
          !name.consume_front("k16.f32."))
        return std::nullopt;
      product.isBF16 = name.starts_with("bf16");
      rest = line.split(' ').second;
      for (StringRef sum : take(rest))
        if (!sum.consume_front("$") || sum.getAsInteger(10, product.sums.emplace_back()))
          return std::nullopt;
      product.left = take(rest);
      product.right = take(rest).front();
      product.accumulates = take(rest).front();
      take(rest), take(rest); // The signs of the operands: as they are.
      if (product.left.size() == 1)
        product.leftDepthMajor = take(rest).front() == "0";
      product.rightDepthMajor = take(rest).front() == "0";
      parsed.statements.push_back(std::move(product));
    }
  }
  return parsed;
}
