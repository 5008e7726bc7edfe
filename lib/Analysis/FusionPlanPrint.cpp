// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text form of a plan, for --fxgraph-print-fusion-plan.

#include "fxgraph/Analysis/FusionPlan.h"
#include "fxgraph/Dialect/IR/HostOps.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace fxgraph;

static void printValue(raw_ostream &os, Value value, mlir::AsmState &state) { value.printAsOperand(os, state); }

void FusionPlan::print(raw_ostream &os, Operation *function) const {
  mlir::AsmState state(function);
  for (const FusionStep &step : steps) {
    switch (step.kind) {
    case FusionStep::Kind::Library:
      os << "library " << step.op->getName().getStringRef();
      if (step.epilogue)
        os << " + " << step.epilogue->getName().getStringRef();
      os << " -> ";
      printValue(os, step.result, state);
      break;
    case FusionStep::Kind::Region:
      if (auto kernel = dyn_cast<KernelOp>(step.op))
        os << "kernel \"" << kernel.getName() << "\" ->";
      else
        os << step.op->getName().getStringRef() << " ->";
      for (Value result : step.op->getResults()) {
        os << ' ';
        printValue(os, result, state);
      }
      break;
    case FusionStep::Kind::Collective:
      os << "start " << step.op->getName().getStringRef() << " ->";
      for (Value result : step.op->getResults()) {
        os << ' ';
        printValue(os, result, state);
      }
      break;
    case FusionStep::Kind::Wait:
      os << "wait for ";
      printValue(os, step.op->getOperand(0), state);
      os << " -> ";
      printValue(os, step.op->getResult(0), state);
      break;
    case FusionStep::Kind::Write:
      os << "write argument ";
      printValue(os, step.op->getOperand(0), state);
      break;
    case FusionStep::Kind::Kernel: {
      const FusionKernel &kernel = *kernels[step.kernel];
      os << "kernel [";
      for (unsigned i = 0; i < kernel.space.getNumDims(); ++i)
        os << (i ? ", " : "") << kernel.space.getSize(i) << (kernel.inner[i] ? "r" : "");
      os << "] {";
      for (const auto &[i, op] : llvm::enumerate(kernel.ops))
        os << (i ? ", " : "") << op->getName().stripDialect();
      os << "} ->";
      for (const KernelOutput &output : kernel.outputs) {
        os << ' ';
        printValue(os, output.storage, state);
      }
      llvm::SmallSetVector<Value, 8> loads;
      for (const KernelNode &node : kernel.nodes)
        if (node.kind == KernelNode::Kind::Load)
          loads.insert(node.value);
      os << " reads";
      for (Value value : loads) {
        os << ' ';
        printValue(os, value, state);
      }
      break;
    }
    }
    os << '\n';
  }
  for (const auto &[value, where] : storage) {
    if (where.kind != ValueStorage::Kind::Part)
      continue;
    os << "part ";
    printValue(os, value, state);
    os << " of ";
    printValue(os, where.base, state);
    os << " offset " << where.layout.offset << " strides [";
    llvm::interleaveComma(where.layout.strides, os);
    os << "]\n";
  }
}
