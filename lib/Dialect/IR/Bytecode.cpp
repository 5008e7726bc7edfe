// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect's version in .mlirbc files. A file holds an op's attributes by their
// position in its definition, so that an op that gains, loses or reorders an attribute
// cannot read older files by itself: count kVersion up, and read the older layout in
// the op's readProperties (DialectBytecodeReader::getDialectVersion) or mend the op in
// upgradeFromVersion. test/Dialect/IR/bytecode.test loads files of every version.
//
// Attributes are written as text, which needs no version.

#include "Bytecode.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace fxgraph;

/// 2: fxgraph.opaque has effects.
static constexpr uint64_t kVersion = 2;

namespace {
struct Version : public mlir::DialectVersion {
  explicit Version(uint64_t number) : number(number) {}
  uint64_t number;
};

struct BytecodeInterface : public mlir::BytecodeDialectInterface {
  explicit BytecodeInterface(mlir::Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  void writeVersion(mlir::DialectBytecodeWriter &writer) const final { writer.writeVarInt(kVersion); }

  std::unique_ptr<mlir::DialectVersion> readVersion(mlir::DialectBytecodeReader &reader) const final {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number > kVersion) {
      reader.emitError() << "expected fxgraph bytecode of version <= " << kVersion << " but got " << number
                         << "; it was written by a newer fxgraph";
      return nullptr;
    }
    return std::make_unique<Version>(number);
  }
};
} // namespace

static uint64_t getVersion(mlir::DialectBytecodeReader &reader) {
  auto version = reader.getDialectVersion<FxGraphDialect>();
  return succeeded(version) ? static_cast<const Version *>(*version)->number : 1;
}

LogicalResult OpaqueOp::readProperties(mlir::DialectBytecodeReader &reader, mlir::OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.args)) ||
      (getVersion(reader) >= 2 && failed(reader.readOptionalAttribute(properties.effects))))
    return failure();
  return reader.readAttribute(properties.target);
}

void OpaqueOp::writeProperties(mlir::DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeOptionalAttribute(properties.args);
  writer.writeOptionalAttribute(properties.effects);
  writer.writeAttribute(properties.target);
}

void fxgraph::addBytecodeInterface(FxGraphDialect *dialect) { dialect->addInterfaces<BytecodeInterface>(); }
