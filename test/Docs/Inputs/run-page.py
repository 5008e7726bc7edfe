# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follows a page of the documentation: run-page.py PAGE FOLDER [--no-python].

A block of another language than `sh`, `python` and `text` is the file that the text before
it names last. Blocks of `sh` and `python` are run in FOLDER; each line of the `text` block
behind one must be in what it prints. Prints how many were run.
"""
import os
import re
import subprocess
import sys

page, folder = sys.argv[1:3]
with open(page, encoding="utf-8") as file:
    pieces = re.split(r"^```(\w+)\n(.*?)^```\n", file.read().split("<!-- example")[0], flags=re.M | re.S)
printed, ran = None, 0
for prose, language, text in zip(pieces[::3], pieces[1::3], pieces[2::3]):
    if language in ("sh", "python"):
        printed = None
        if language == "python" and "--no-python" in sys.argv:
            continue
        command = ["bash", "-c", text] if language == "sh" else [sys.executable, "-c", text]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        printed, ran = run.stdout + run.stderr, ran + 1
    elif language == "text":
        if printed is None:
            continue
        for line in text.splitlines():
            if line not in printed:
                sys.exit(f"{page}: expected the line\n{line}\nbut got\n{printed}")
    else:
        name = re.findall(r"`([\w-]+\.\w+)`", prose)[-1]
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
print(f"{ran} blocks of {os.path.basename(page)}")
