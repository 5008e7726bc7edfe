# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %source/include/fxgraph %t fx-opt | FileCheck %s
# CHECK: {{^[1-9][0-9]*}} functions of the library, {{[1-9][0-9]*}} rules: 0 failures
"""Rules are anybody's: each constraint and rewrite of the library is called with ops and
values of every kind that it was not made for. It holds, refuses or ends the pass with an
error; it does not crash, and what it lets through is right (rewrites are verified).
"""
import os
import re
import subprocess
import sys

include, folder, fx_opt = sys.argv[1], sys.argv[2], sys.argv[3:]
GRAPH = """func.func @f(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %n: tensor<?xf32>, %s: tensor<f32>) -> (tensor<4x4xf32>, tensor<?xf32>, tensor<f32>) {
  %0 = fxgraph.relu %x : tensor<4x4xf32>
  %1:2 = fxgraph.split_with_sizes %0 sizes [2, 2] dim 1 : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %2 = fxgraph.cat %1#1, %1#0 dim 1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  %3 = fxgraph.permute %2 dims [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = fxgraph.linear %3, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = fxgraph.softmax %4 dim 1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = fxgraph.neg %n : tensor<?xf32>
  %7 = fxgraph.abs %s : tensor<f32>
  return %5, %6, %7 : tensor<4x4xf32>, tensor<?xf32>, tensor<f32>
}
"""
ROOTS = ("relu", "split_with_sizes", "cat", "permute", "linear", "softmax", "neg", "abs")
STATEMENTS = ("Reassociates", "ChangesPrecision", "DropsEffects", "GroupSize", "SharedOperand", "VaryingExtents", "VaryingAttribute")
# What a rule can give for a parameter.
ARGUMENTS = {"Op": ["root"], "Value": ["root.0"], "ValueRange": ["values"], "Attr": ['attr<"0 : i64">', 'attr<"\\"dim\\"">'],
             "Type": ['type<"tensor<4x4xf32>">'], "TypeRange": ["types"]}


def functions():
    for path in ("Rules.pdll", "Transforms/GroupFusion/Group.pdll", "Transforms/Utils/Constraints.pdll"):
        with open(os.path.join(include, path), encoding="utf-8") as file:
            for kind, name, parameters, _, result in re.findall(r"^(Constraint|Rewrite) (\w+)\((.*?)\)( -> (\w+))?;", file.read(), re.M):
                if name not in STATEMENTS:
                    yield kind, name, [parameter.split(":")[1].strip() for parameter in parameters.split(",") if parameter], result


def rules():
    for kind, name, parameters, result in functions():
        for root in ROOTS:
            for choice in range(1 + ("Attr" in parameters)):
                arguments = ", ".join(ARGUMENTS[parameter][choice % len(ARGUMENTS[parameter])] for parameter in parameters)
                call = f"{name}({arguments})"
                head = f"  let root = op<fxgraph.{root}>(values: ValueRange) -> (types: TypeRange);\n"
                # An op in its own place is an error of the rule, before anything changes.
                if kind == "Constraint":
                    body = f"  {call};\n  replace root with root;\n"
                else:
                    made = f"let made = {call}" if result else call
                    body = f"  rewrite root with {{\n    {made};\n    replace root with root;\n  }};\n"
                yield f"{name}-{root}-{choice}", f'#include "fxgraph/Rules.pdll"\nPattern {name}Of{choice} {{\n{head}{body}}}\n'


with open(os.path.join(folder, "graph.mlir"), "w", encoding="utf-8") as file:
    file.write(GRAPH)
failures, count = [], 0
for name, text in rules():
    path = os.path.join(folder, name + ".pdll")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    run = subprocess.run([*fx_opt, os.path.join(folder, "graph.mlir"), f"--fxgraph-apply-patterns={path}", "-o", os.devnull,
                          "--fxgraph-report=" + os.path.join(folder, "report.json")], capture_output=True, text=True)
    count += 1
    if run.returncode not in (0, 1) or (run.returncode == 1 and "error: rule '" not in run.stderr):
        failures.append(f"{path}: status {run.returncode}\n{run.stderr[:2000]}")
print("\n".join(failures))
print(f"{len(list(functions()))} functions of the library, {count} rules: {len(failures)} failures")
