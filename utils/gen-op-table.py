#!/usr/bin/env python3
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Condenses the ODS records into python/fxgraph/importer/op_table.json.

The input is what `llvm-tblgen --dump-json` prints for FxGraphOps.td (the build
writes it to include/fxgraph/Dialect/IR/FxGraphOps.json). Without --records the
records are dumped here, so that the table can be made before anything is built.
`--check` compares instead of writing and exits with 1 if the table is stale.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "python", "fxgraph", "importer", "op_table.json")
ATTR_KINDS = {
    "I64Attr": "i64", "F64Attr": "f64", "BoolAttr": "bool", "StrAttr": "str",
    "DenseI64ArrayAttr": "i64_array", "DenseF64ArrayAttr": "f64_array", "TypeAttr": "type",
    "ElementsAttr": "elements", "DictionaryAttr": "dict",
}
TENSOR_KINDS = {
    "FxGraph_Tensor": "any", "FxGraph_FloatTensor": "float",
    "FxGraph_BoolTensor": "bool", "FxGraph_IndexTensor": "int",
    "FxGraph_IntOrBoolTensor": "int", "FxGraph_Int8Tensor": "int", "AnyType": "any",
    "FxGraph_QuantizableTensor": "float", "FxGraph_QuantizedTensor": "int", "FxGraph_ByteTensor": "int", "FxGraph_EightBitTensor": "int",
    "FxGraph_ProductTensor": "any", "FxGraph_DrawnInteger": "int", "FxGraph_Float8Tensor": "float", "FxGraph_Float32Tensor": "float",
    "FxGraph_ScaledProductTensor": "float",
}
NO_TENSORS = {"Index": "index", "I1": "i1"}


def dump_records():
    tblgen = shutil.which("llvm-tblgen-22") or shutil.which("llvm-tblgen")
    if not tblgen:
        sys.exit("gen-op-table: expected llvm-tblgen-22 on PATH")
    include = os.path.join(ROOT, "include")
    mlir_include = "/usr/lib/llvm-22/include"
    config = shutil.which("llvm-config-22")
    if config:
        mlir_include = subprocess.check_output([config, "--includedir"], text=True).strip()
    return json.loads(subprocess.check_output([
        tblgen, "--dump-json", "-I", include, "-I", mlir_include,
        os.path.join(include, "fxgraph", "Dialect", "IR", "FxGraphOps.td")]))


def parse_default(text, kind):
    """The C++ default value as a Python one."""
    if kind == "bool":
        return text == "true"
    if kind == "f64":
        return float(text)
    if kind == "i64":
        return 2**63 - 1 if text == "INT64_MAX" else int(text)
    if kind == "str":
        return text.strip('"')
    if kind == "dict":
        return {}
    if kind == "f64_array" and text == "{}":
        return []
    raise SystemExit(f"gen-op-table: no rule for the default {text!r} of kind {kind}")


def describe_attr(records, name):
    """(kind, optional, default or None) of an attribute constraint, or None."""
    optional, default = False, None
    while name not in ATTR_KINDS:
        record = records[name]
        classes = record["!superclasses"]
        if "Attr" not in classes:
            return None
        optional |= bool(record["isOptional"])
        if record["defaultValue"] is not None and default is None:
            default = record["defaultValue"]
        if not record["baseAttr"]:
            raise SystemExit(f"gen-op-table: no rule for the attribute {name}")
        name = record["baseAttr"]["def"]
    kind = ATTR_KINDS[name]
    return kind, optional, None if default is None else parse_default(default, kind)


def describe_value(records, name):
    """(arity, element kind) of an operand or result constraint."""
    record = records[name]
    arity = "single"
    for cls, word in (("Variadic", "variadic"), ("Optional", "optional")):
        if cls in record["!superclasses"]:
            arity, name = word, record["baseType"]["def"]
    return arity, (TENSOR_KINDS | NO_TENSORS)[name]


def condense(records):
    table = {}
    for def_name in sorted(records["!instanceof"]["FxGraph_Op"]):
        record = records[def_name]
        traits = {t["def"] for t in record["traits"]}
        op = {"operands": [], "attrs": [], "results": []}
        for constraint, name in record["arguments"]["args"]:
            attr = describe_attr(records, constraint["def"]) if (
                constraint["def"] in ATTR_KINDS or "Attr" in records[constraint["def"]]["!superclasses"]) else None
            if attr:
                kind, optional, default = attr
                entry = {"name": name, "kind": kind}
                if optional:
                    entry["optional"] = True
                if default is not None:
                    entry["default"] = default
                op["attrs"].append(entry)
            else:
                arity, kind = describe_value(records, constraint["def"])
                op["operands"].append({"name": name, "arity": arity, "type": kind})
        for constraint, name in record["results"]["args"]:
            arity, kind = describe_value(records, constraint["def"])
            op["results"].append({"name": name, "arity": arity, "type": kind})
        op["promotion"] = records[record["promotion"]["def"]]["value"]
        inverse = records[record["inverse"]["def"]]["value"]
        if inverse != "none":
            op["inverse"] = inverse
        if any(records[trait].get("cppInterfaceName") == "ReductionOpInterface" for trait in traits):
            op["reduction"] = True
        if "Pure" not in traits:
            op["effects"] = True
        failure = records[record["failure"]["def"]]["value"]
        if failure != "never":
            op["fails_on"] = failure
        if record["torchAliases"]:
            op["aliases"] = record["torchAliases"]
        if "AttrSizedOperandSegments" in traits:
            op["segments"] = True
        if "SameOperandsAndResultType" in traits:
            op["same_type"] = True
        op["overloads"] = record["torchOverloads"]
        table[record["opName"]] = op
    return dict(sorted(table.items()))


def format_table(table):
    """One op on a line each for overloads-free parts: small diffs, still JSON."""
    lines = []
    for name, op in table.items():
        overloads = op.pop("overloads")
        head = json.dumps(op, separators=(", ", ": "))[:-1]
        body = ",\n   ".join(json.dumps(o) for o in overloads)
        tail = f',\n  "overloads": [\n   {body}]}}' if overloads else ', "overloads": []}'
        lines.append(f' "{name}": {head}{tail}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", help="JSON of llvm-tblgen --dump-json")
    parser.add_argument("--check", action="store_true", help="compare with the committed table")
    parser.add_argument("-o", default=TABLE)
    args = parser.parse_args()
    if args.records:
        with open(args.records) as stream:
            records = json.load(stream)
    else:
        records = dump_records()
    text = format_table(condense(records))
    if args.check:
        with open(args.o) as stream:
            if stream.read() != text:
                sys.exit("gen-op-table: op_table.json is stale, run utils/gen-op-table.py")
        return
    temporary = args.o + ".tmp"
    with open(temporary, "w") as stream:
        stream.write(text)
    os.replace(temporary, args.o)


if __name__ == "__main__":
    main()
