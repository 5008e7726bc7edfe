// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of libraries, and attention, which is a kernel with a place among them.

#include "ProgramBuilder.h"

using namespace fxgraph;
using namespace fxgraph::gpu;

LogicalResult ProgramBuilder::writeLibraryStep(const FusionStep &step) {
  if (getConvolution(step.op)) {
    writeConvolution(step);
    return success();
  }
  return writeMatmul(step);
}

LogicalResult ProgramBuilder::writeMatmul(const FusionStep &step) {
  Operation *op = step.op;
  bool plain = isa<MmOp, BmmOp>(op);
  Value lhs = op->getOperand(plain ? 0 : 1), rhs = op->getOperand(plain ? 1 : 2);
  ArrayRef<int64_t> left = getShape(lhs), right = getShape(rhs), result = getShape(step.result);
  size_t rank = left.size();
  int64_t m = left[rank - 2], k = left[rank - 1], n = right[rank - 1], batch = rank == 3 ? left[0] : 1;
  mlir::NamedAttrList config;
  SmallVector<std::pair<StringRef, Value>> buffers;
  auto set = [&](const Twine &name, int64_t value) { config.set(name.str(), builder.getI64IntegerAttr(value)); };
  config.set("dtype", TypeAttr::get(getElementType(lhs)));
  set("m", m);
  set("n", n);
  set("k", k);
  if (batch != 1)
    set("batch", batch);
  auto addMatrix = [&](StringRef name, Value value, bool mayTranspose) {
    ArrayRef<int64_t> shape = getShape(value);
    ValueStorage storage = plan.getStorage(value);
    int64_t rows = shape[rank - 2], columns = shape[rank - 1];
    int64_t rowStride = storage.layout.strides[rank - 2], columnStride = storage.layout.strides[rank - 1];
    bool rowMajor = (columns == 1 || columnStride == 1) && (rows == 1 || rowStride >= columns);
    int64_t ld;
    if (rowMajor || !mayTranspose) {
      ld = rows == 1 ? std::max<int64_t>(columns, 1) : rowStride;
    } else {
      config.set(("trans_" + name).str(), builder.getBoolAttr(true));
      ld = columns == 1 ? rows : columnStride;
    }
    set("ld" + name, ld);
    if (batch != 1)
      set("stride_" + name, storage.layout.strides[0]);
    buffers.push_back({name, refer(value)});
  };
  addMatrix("a", lhs, true);
  addMatrix("b", rhs, true);
  addMatrix("d", step.result, false);
  double alpha = plain ? 1 : op->getAttrOfType<FloatAttr>("alpha").getValueAsDouble();
  double beta = plain ? 0 : op->getAttrOfType<FloatAttr>("beta").getValueAsDouble();
  if (alpha != 1)
    config.set("alpha", builder.getF64FloatAttr(alpha));
  std::string epilogue;
  if (step.epilogue)
    epilogue = isa<ReluOp>(step.epilogue) ? "relu" : "gelu_tanh";
  if (beta != 0) {
    Value addend = op->getOperand(0);
    ArrayRef<int64_t> shape = getShape(addend);
    if (shape == result) {
      config.set("beta", builder.getF64FloatAttr(beta));
      set("ldc", n);
      if (batch != 1)
        set("stride_c", m * n);
      buffers.push_back({"c", refer(addend)});
    } else {
      epilogue += epilogue.empty() ? "bias" : "_bias";
      buffers.push_back({"bias", refer(addend)});
      if (batch != 1 && shape.size() == 3 && shape[0] == batch)
        set("stride_bias", n);
    }
  }
  if (!epilogue.empty())
    config.set("epilogue", builder.getStringAttr(epilogue));
  addLibraryCall("matmul", buffers, config, op->getLoc());
  return success();
}

AttentionSpec ProgramBuilder::describeAttention(ScaledDotProductAttentionOp op) const {
  AttentionSpec spec(op.getLoc());
  ArrayRef<int64_t> query = getShape(op.getQuery()), value = getShape(op.getValue()), result = getShape(op.getResult());
  spec.element = getElementType(op.getResult());
  spec.leading.assign(result.begin(), result.end() - 2);
  spec.queries = query[query.size() - 2];
  spec.keys = value[value.size() - 2];
  spec.width = query.back();
  spec.valueWidth = value.back();
  spec.causal = op.getIsCausal();
  if (spec.causal) // Nobody sees the others.
    spec.keys = std::min(spec.keys, spec.queries);
  spec.processors = options.processors;
  spec.hasWarpgroups = options.chip == "sm_90a";
  spec.tiling = op->getAttrOfType<mlir::DictionaryAttr>(kAttentionTilingAttr);
  spec.scale = op.getScale() ? op.getScale()->convertToDouble() : 1 / std::sqrt(static_cast<double>(spec.width));
  auto open = [&](Value value, AttentionSpec::Operand &operand) {
    // A dimension that broadcasts, or is not there, has a stride of 0.
    ArrayRef<int64_t> strides = plan.getStorage(value).layout.strides, shape = getShape(value);
    auto stride = [&](size_t fromEnd) {
      size_t rank = shape.size();
      return fromEnd >= rank || shape[rank - 1 - fromEnd] == 1 ? 0 : strides[rank - 1 - fromEnd];
    };
    operand.column = stride(0);
    operand.row = stride(1);
    for (size_t i = spec.leading.size(); i-- > 0;)
      operand.leading.push_back(stride(i + 2));
  };
  open(op.getQuery(), spec.q);
  open(op.getKey(), spec.k);
  open(op.getValue(), spec.v);
  if (Value mask = op.getAttnMask()) {
    spec.maskElement = getElementType(mask);
    open(mask, spec.mask);
    spec.maskOffset = plan.getStorage(mask).layout.offset;
  }
  open(op.getResult(), spec.out);
  foldProblems(spec);
  return spec;
}

LogicalResult ProgramBuilder::writeAttention(ScaledDotProductAttentionOp op, unsigned number) {
  AttentionSpec spec = describeAttention(op);
  spec.name = nameKernel(number, {op.getOperation()});
  FailureOr<AttentionTiling> chosen = chooseAttentionTiling(spec);
  if (failed(chosen))
    return failure();
  const AttentionTiling &tiling = *chosen;
  KernelArgument result{{{op.getResult(), 0}}}, scratch{{{Value(), static_cast<int64_t>(scratchOffset)}}};
  SmallVector<KernelArgument> arguments;
  for (Value operand : op->getOperands())
    arguments.push_back({{{operand, 0}}});
  arguments.push_back(tiling.splits > 1 ? scratch : result);
  builder.setInsertionPointToEnd(kernels.getBody());
  LaunchShape launch = emitAttention(builder, spec, tiling);
  addLaunch(spec.name, launch, arguments, spec.loc);
  if (tiling.splits == 1)
    return success();
  std::string join = spec.name + "_join";
  builder.setInsertionPointToEnd(kernels.getBody());
  launch = emitAttentionJoin(builder, spec, tiling, join);
  addLaunch(join, launch, {scratch, result}, spec.loc);
  return success();
}

void ProgramBuilder::writeConvolution(const FusionStep &step) {
  ConvolutionInfo conv = *getConvolution(step.op);
  mlir::NamedAttrList config;
  auto set = [&](StringRef name, ArrayRef<int64_t> values) { config.set(name, builder.getDenseI64ArrayAttr(values)); };
  config.set("dtype", TypeAttr::get(getElementType(step.result)));
  config.set("layout", builder.getStringAttr(step.channelsLast ? "nhwc" : "nchw"));
  set("input_shape", getShape(conv.input));
  set("filter_shape", getShape(conv.weight));
  set("stride", conv.stride);
  set("padding", conv.padding);
  set("dilation", conv.dilation);
  config.set("groups", builder.getI64IntegerAttr(conv.groups));
  addLibraryCall("conv", {{"input", refer(conv.input)}, {"filter", refer(conv.weight)}, {"output", refer(step.result)}},
                 config, step.op->getLoc());
}

void ProgramBuilder::addLibraryCall(StringRef callee, ArrayRef<std::pair<StringRef, Value>> buffers,
                                    const mlir::NamedAttrList &config, Location loc) {
  SmallVector<Value> values;
  SmallVector<StringRef> names;
  for (auto [name, value] : buffers) {
    names.push_back(name);
    values.push_back(value);
  }
  LibraryCallOp::create(hostBuilder, loc, callee, values, builder.getStrArrayAttr(names),
                        config.getDictionary(builder.getContext()));
  ++numLaunches;
}
