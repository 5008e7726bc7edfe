# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dialect's ODS records, for the scripts that check or write documents."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TD_DIR = os.path.join(ROOT, "include", "fxgraph", "Dialect", "IR")
GROUPS = ["Pointwise", "View", "SplitCat", "Contraction", "ConvNorm", "Reduction", "Indexing", "Structural", "ControlFlow", "Collective", "Packed"]


def test_name(group):
    """SplitCat -> split-cat, the name of the group's tests."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", group).lower()


def run_tblgen(tool, path, *flags):
    """Output of llvm-tblgen or mlir-tblgen on a td file of the project."""
    binary = shutil.which(f"{tool}-22") or shutil.which(tool)
    if not binary:
        sys.exit(f"expected {tool}-22 on PATH")
    config = shutil.which("llvm-config-22") or shutil.which("llvm-config")
    mlir_include = subprocess.check_output([config, "--includedir"], text=True).strip() if config else "/usr/lib/llvm-22/include"
    return subprocess.check_output([binary, *flags, "-I", os.path.join(ROOT, "include"), "-I", mlir_include, path], text=True)


def dump_records():
    return json.loads(run_tblgen("llvm-tblgen", os.path.join(TD_DIR, "FxGraphOps.td"), "--dump-json"))


def load_passes():
    """{family: [record]} of the passes, in the order of their td files."""
    families = {}
    for path in sorted(glob.glob(os.path.join(ROOT, "include", "fxgraph", "Transforms", "*", "Passes.td"))):
        records = json.loads(run_tblgen("llvm-tblgen", path, "--dump-json"))
        text = read(os.path.relpath(path, ROOT))
        names = [name for name in re.findall(r"^def (\w+)", text, re.M) if "PassBase" in records.get(name, {}).get("!superclasses", [])]
        families[os.path.basename(os.path.dirname(path))] = [records[name] for name in names]
    return families


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


class Value:
    """An operand or a result."""

    def __init__(self, records, name, constraint):
        self.name, self.optional, self.variadic = name, False, False
        record = records[constraint]
        while "Optional" in record["!superclasses"] or "Variadic" in record["!superclasses"]:
            self.optional |= "Optional" in record["!superclasses"]
            self.variadic |= "Variadic" in record["!superclasses"]
            record = records[record["baseType"]["def"]]
        # "floating-point tensor of floating-point values" says it twice.
        self.type = re.sub(r" of [\w -]+ values$", "", record["summary"])


class Attribute:
    def __init__(self, records, name, constraint):
        self.name, self.optional, self.default = name, False, None
        record = records[constraint]
        self.summary = None
        while True:
            self.optional |= bool(record["isOptional"])
            if self.default is None:
                self.default = record["defaultValue"]
            if not record["baseAttr"]:
                break
            if "ConfinedAttr" in record["!superclasses"]:
                self.summary = records[record["attrConstraints"][0]["def"]]["summary"]
            record = records[record["baseAttr"]["def"]]
        self.type = self.summary or record["summary"].replace(" attribute", "")


class Op:
    def __init__(self, records, name):
        record = records[name]
        self.record_name = name
        self.class_name = name.split("_", 1)[1]
        self.name = record["opName"]
        self.summary = record["summary"]
        self.description = textwrap.dedent(record["description"]).strip()
        self.overloads = record["torchOverloads"]
        self.constraints = [tuple(text.split(": ", 1)) for text in record["classConstraints"] + record["constraints"]]
        self.operands, self.attributes = [], []
        for constraint, argument in record["arguments"]["args"]:
            kind = records[constraint["def"]]["!superclasses"]
            if "Attr" in kind:
                self.attributes.append(Attribute(records, argument, constraint["def"]))
            else:
                self.operands.append(Value(records, argument, constraint["def"]))
        self.results = [Value(records, result, constraint["def"]) for constraint, result in record["results"]["args"]]
        traits = [records[trait["def"]] for trait in record["traits"]]
        self.interfaces = [trait["cppInterfaceName"] for trait in traits if trait.get("cppInterfaceName")]
        names = [trait["def"] for trait in record["traits"]]
        self.pure = "Pure" in names
        self.infers = "FxGraph_InferTypes" in names
        self.same_type = "SameOperandsAndResultType" in names

    def implements(self, interface):
        return interface in self.interfaces


def load_ops():
    """The ops by group, in the order of the td files."""
    records = dump_records()
    result = {}
    for group in GROUPS:
        names = re.findall(r"^def (FxGraph_\w+Op)\b", read("include", "fxgraph", "Dialect", "IR", f"Ops{group}.td"), re.M)
        result[group] = [Op(records, name) for name in names]
    return result


def sources(*folder):
    """The C++ text of a folder, without comments."""
    text = ""
    for path in sorted(glob.glob(os.path.join(ROOT, *folder, "*.cpp"))):
        with open(path, encoding="utf-8") as file:
            text += re.sub(r"//.*", "", file.read())
    return text


def evaluated(text):
    """Op classes that an evaluator is registered for."""
    return set(re.findall(r"\.add<(\w+Op)[>,]", text))


def lowered(text):
    """Op classes that are template arguments of a pattern or of a list of patterns."""
    # Questions about ops are no patterns.
    text = re.sub(r"\b(isa|isa_and_present|dyn_cast|cast|is_same_v|getDefiningOp|getParentOfType|add(Il|L)egalOp)<[^<>()]*>", "", text)
    return set(re.findall(r"(?<=[<,\s])(\w+Op)(?=\s*[>,])", text))


def write_or_check(path, text, check):
    """Writes the file; with `check` only compares. Returns an exit status."""
    full = os.path.join(ROOT, path)
    old = None
    if os.path.exists(full):
        with open(full, encoding="utf-8") as file:
            old = file.read()
    if not check:
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    if old == text:
        return 0
    print(f"{path} is out of date: run utils/{os.path.basename(sys.argv[0])}")
    return 1
