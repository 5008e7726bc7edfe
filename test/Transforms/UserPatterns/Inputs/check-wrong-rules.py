# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-wrong-rules.py FOLDER FX-OPT: each FOLDER/*.pdll fails on FOLDER/graph.mlir as it says.

`// expect: TEXT` is what the errors must contain; `// at: LINE:COLUMN` the place in the
file, below which a caret must stand.
"""
import glob
import os
import re
import subprocess
import sys

folder, fx_opt = sys.argv[1], sys.argv[2:]
failures = 0
files = sorted(glob.glob(os.path.join(folder, "*.pdll")))
for path in files:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    run = subprocess.run([*fx_opt, os.path.join(folder, "graph.mlir"), f"--fxgraph-apply-patterns={path}"], capture_output=True, text=True)
    expected = re.findall(r"^// expect: (.*)$", text, re.M)
    places = [f"{path}:{place}:" for place in re.findall(r"^// at: (.*)$", text, re.M)]
    missing = [want for want in expected + places if want not in run.stderr]
    for place in places:
        line, column = map(int, place.split(":")[-3:-1])
        shown = f"{text.splitlines()[line - 1]}\n{' ' * (column - 1)}^"
        if shown not in run.stderr:
            missing.append("a caret at " + place)
    if run.returncode != 1 or missing or not expected:
        failures += 1
        print(f"{os.path.basename(path)}: status {run.returncode}, expected {missing} in\n{run.stderr}")
print(f"{len(files)} wrong files: {failures} failures")
