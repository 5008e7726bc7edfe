// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IR as Python values, in one walk:
//
//   function   (name, [(value, type, attributes)], [op], attributes)
//   op         (name, [operand value], [result value], attributes, [result type], [region])
//   region     ([(value, type)], [op]): its one block
//   value      "%0", "%1", …: unique in its function
//   type       ("tensor", dtype, (extent or None, …), encoding or None), else its text
//   attribute  bool, int, float, str, None (unit), list, dict, ("type", type),
//              ("dense", type, bytes: row-major little-endian elements, bools a byte
//              each; one element for a splat), else ("text", its text)
//
// Linear in the ops, attributes and literals. An op whose regions have not one block each
// is an error that names it.

#include "Native.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include <unordered_map>

using namespace fxgraph::python;

static void append(MlirStringRef piece, void *text) { static_cast<std::string *>(text)->append(piece.data, piece.length); }

static nb::str asString(MlirStringRef text) { return nb::str(text.data, text.length); }

template <typename Thing, void (*print)(Thing, MlirStringCallback, void *)>
static std::string toText(Thing thing) {
  std::string text;
  print(thing, append, &text);
  return text;
}

namespace {
class Walker {
public:
  nb::object function(MlirOperation op);

private:
  nb::object type(MlirType type);
  nb::object makeType(MlirType type);
  nb::object attribute(MlirAttribute attribute);
  nb::object dense(MlirAttribute attribute);
  nb::object attributes(MlirOperation op);
  nb::str name(MlirValue value);
  nb::object op(MlirOperation op);
  nb::list ops(MlirBlock block);

  /// Types repeat: each is described once.
  std::unordered_map<const void *, nb::object> types;
  std::unordered_map<const void *, nb::str> names;
};
} // namespace

nb::object Walker::makeType(MlirType type) {
  if (!mlirTypeIsARankedTensor(type))
    return nb::str(toText<MlirType, mlirTypePrint>(type).c_str());
  nb::list shape;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    shape.append(mlirShapedTypeIsDynamicDim(type, i) ? nb::none() : nb::object(nb::int_(mlirShapedTypeGetDimSize(type, i))));
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  nb::object encodingText = nb::none();
  if (!mlirAttributeIsNull(encoding))
    encodingText = nb::str(toText<MlirAttribute, mlirAttributePrint>(encoding).c_str());
  std::string dtype = toText<MlirType, mlirTypePrint>(mlirShapedTypeGetElementType(type));
  return nb::make_tuple("tensor", dtype.c_str(), nb::tuple(shape), encodingText);
}

nb::object Walker::type(MlirType type) {
  auto [it, isNew] = types.try_emplace(type.ptr);
  if (isNew)
    it->second = makeType(type);
  return it->second;
}

nb::object Walker::dense(MlirAttribute attribute) {
  MlirType shaped = mlirAttributeGetType(attribute);
  MlirType element = mlirShapedTypeGetElementType(shaped);
  bool splat = mlirDenseElementsAttrIsSplat(attribute);
  int64_t count = splat ? 1 : mlirElementsAttrGetNumElements(attribute);
  nb::object bytes;
  if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1) {
    std::string bools(count, '\0');
    for (int64_t i = 0; i < count; ++i)
      bools[i] = splat ? mlirDenseElementsAttrGetBoolSplatValue(attribute) : mlirDenseElementsAttrGetBoolValue(attribute, i);
    bytes = nb::bytes(bools.data(), bools.size());
  } else {
    int64_t width = 8;
    if (mlirTypeIsAInteger(element))
      width = (mlirIntegerTypeGetWidth(element) + 7) / 8;
    else if (mlirTypeIsAFloat(element))
      width = (mlirFloatTypeGetWidth(element) + 7) / 8;
    else if (!mlirTypeIsAIndex(element))
      return nb::make_tuple("text", toText<MlirAttribute, mlirAttributePrint>(attribute).c_str());
    bytes = nb::bytes(mlirDenseElementsAttrGetRawData(attribute), count * width);
  }
  return nb::make_tuple("dense", type(shaped), bytes);
}

template <typename Get>
static nb::object makeList(MlirAttribute attribute, Get get) {
  nb::list result;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(attribute); ++i)
    result.append(get(attribute, i));
  return result;
}

nb::object Walker::attribute(MlirAttribute attribute) {
  if (mlirAttributeIsABool(attribute))
    return nb::bool_(mlirBoolAttrGetValue(attribute));
  if (mlirAttributeIsAInteger(attribute)) {
    bool isUnsigned = mlirTypeIsAInteger(mlirAttributeGetType(attribute)) && mlirIntegerTypeIsUnsigned(mlirAttributeGetType(attribute));
    if (isUnsigned)
      return nb::int_(mlirIntegerAttrGetValueUInt(attribute));
    bool isSigned = mlirTypeIsAInteger(mlirAttributeGetType(attribute)) && mlirIntegerTypeIsSigned(mlirAttributeGetType(attribute));
    return nb::int_(isSigned ? mlirIntegerAttrGetValueSInt(attribute) : mlirIntegerAttrGetValueInt(attribute));
  }
  if (mlirAttributeIsAFloat(attribute))
    return nb::float_(mlirFloatAttrGetValueDouble(attribute));
  if (mlirAttributeIsAString(attribute))
    return asString(mlirStringAttrGetValue(attribute));
  if (mlirAttributeIsAUnit(attribute))
    return nb::none();
  if (mlirAttributeIsAType(attribute))
    return nb::make_tuple("type", type(mlirTypeAttrGetValue(attribute)));
  if (mlirAttributeIsAArray(attribute)) {
    nb::list result;
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(attribute); ++i)
      result.append(this->attribute(mlirArrayAttrGetElement(attribute, i)));
    return result;
  }
  if (mlirAttributeIsADictionary(attribute)) {
    nb::dict result;
    for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(attribute); ++i) {
      MlirNamedAttribute entry = mlirDictionaryAttrGetElement(attribute, i);
      result[asString(mlirIdentifierStr(entry.name))] = this->attribute(entry.attribute);
    }
    return result;
  }
  if (mlirAttributeIsADenseBoolArray(attribute))
    return makeList(attribute, [](MlirAttribute a, intptr_t i) { return nb::object(nb::bool_(mlirDenseBoolArrayGetElement(a, i))); });
  if (mlirAttributeIsADenseI32Array(attribute))
    return makeList(attribute, mlirDenseI32ArrayGetElement);
  if (mlirAttributeIsADenseI64Array(attribute))
    return makeList(attribute, mlirDenseI64ArrayGetElement);
  if (mlirAttributeIsADenseF64Array(attribute))
    return makeList(attribute, mlirDenseF64ArrayGetElement);
  if (mlirAttributeIsADenseElements(attribute))
    return dense(attribute);
  return nb::make_tuple("text", toText<MlirAttribute, mlirAttributePrint>(attribute).c_str());
}

nb::object Walker::attributes(MlirOperation op) {
  nb::dict result;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute entry = mlirOperationGetAttribute(op, i);
    result[asString(mlirIdentifierStr(entry.name))] = attribute(entry.attribute);
  }
  return result;
}

nb::str Walker::name(MlirValue value) {
  auto [it, isNew] = names.try_emplace(value.ptr);
  if (isNew)
    it->second = nb::str(("%" + std::to_string(names.size() - 1)).c_str());
  return it->second;
}

nb::object Walker::op(MlirOperation op) {
  nb::str opName = asString(mlirIdentifierStr(mlirOperationGetName(op)));
  nb::list operands, results, resultTypes, regions;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    operands.append(name(mlirOperationGetOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    results.append(name(result));
    resultTypes.append(type(mlirValueGetType(result)));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (mlirBlockIsNull(block) || !mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
      throw nb::value_error((std::string("expected regions of one block but got ") + opName.c_str()).c_str());
    nb::list arguments;
    for (intptr_t j = 0; j < mlirBlockGetNumArguments(block); ++j) {
      MlirValue argument = mlirBlockGetArgument(block, j);
      arguments.append(nb::make_tuple(name(argument), type(mlirValueGetType(argument))));
    }
    regions.append(nb::make_tuple(arguments, ops(block)));
  }
  return nb::make_tuple(opName, operands, results, attributes(op), resultTypes, regions);
}

nb::list Walker::ops(MlirBlock block) {
  nb::list list;
  for (MlirOperation inner = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(inner);
       inner = mlirOperationGetNextInBlock(inner))
    list.append(op(inner));
  return list;
}

nb::object Walker::function(MlirOperation op) {
  names.clear();
  nb::dict attrs = nb::cast<nb::dict>(attributes(op));
  nb::list arguments, body;
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (!mlirBlockIsNull(block)) {
    nb::object none = nb::none();
    nb::object extras = attrs.contains("arg_attrs") ? nb::object(attrs["arg_attrs"]) : none;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
      MlirValue argument = mlirBlockGetArgument(block, i);
      nb::object extra = extras.is_none() ? nb::object(nb::dict()) : nb::object(extras[i]);
      arguments.append(nb::make_tuple(name(argument), type(mlirValueGetType(argument)), extra));
    }
    body = ops(block);
  }
  return nb::make_tuple(attrs["sym_name"], arguments, body, attrs);
}

namespace {
/// Waits without the GIL: who holds the lock may need it.
struct ModuleLock {
  explicit ModuleLock(FxGraphModule *module) : module(module) {
    nb::gil_scoped_release release;
    fxgraphModuleLock(module);
  }
  ~ModuleLock() { fxgraphModuleUnlock(module); }
  FxGraphModule *module;
};
} // namespace

nb::list fxgraph::python::walk(Module &module) {
  ModuleLock lock(module.handle.get());
  MlirModule mlirModule = fxgraphModuleGetMlir(module.handle.get());
  nb::list functions;
  Walker walker;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(mlirModule)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef opName = mlirIdentifierStr(mlirOperationGetName(op));
    if (std::string(opName.data, opName.length) == "func.func")
      functions.append(walker.function(op));
  }
  return functions;
}
