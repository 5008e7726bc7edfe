# RUN: %python %s 3000
#
# No text makes the parser, the verifier or the folders crash. The ops of the
# round-trip tests are printed in generic form, their attributes and types are
# changed at random (extreme numbers, other ranks, unknown extents, missing
# attributes and operands), and fx-opt reads the result: errors are fine, ends by
# a signal are not. What verifies is canonicalised as well, and must verify then.
#
# Usage: fuzz-verifier.py [cases] [seed]
import bisect
import glob
import os
import random
import re
import subprocess
import sys

rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 11)
TOOL = os.path.join(os.environ.get("FXGRAPH_BIN_DIR", ""), "fx-opt")
NUMBERS = [0, 1, -1, 2, -2, 3, 5, 2**31 - 1, 2**31, 2**32, -(2**31), 2**62, 2**63 - 1, -(2**63), -(2**63) + 1]
EXTENTS = ["0", "1", "2", "3", "7", "?", "?", "1048577", str(2**31), str(2**62), str(2**63 - 1)]
ELEMENTS = ["f32", "f64", "bf16", "f16", "i1", "ui8", "i8", "i32", "i64", "f8E4M3FN", "complex<f32>", "index", "i128", "ui64"]


def run(text, *flags):
    process = subprocess.run([TOOL, "-", "--split-input-file", *flags], input=text, capture_output=True, text=True)
    return process.returncode, process.stdout, process.stderr


def generic_ops():
    """Lines of generic text of ops, with the types of their operands."""
    ops = []
    folder = os.path.dirname(os.path.abspath(__file__))
    for path in sorted(glob.glob(os.path.join(folder, "*.mlir"))):
        if "invalid" in path or os.path.basename(path) in ("infer.mlir", "fold.mlir", "canonicalize.mlir"):
            continue
        with open(path, encoding="utf-8") as file:
            code, out, err = run(file.read(), "--mlir-print-op-generic", "--mlir-print-local-scope")
        if code != 0:
            sys.exit(err)
        ops += [line.strip() for line in out.split("\n") if '"fxgraph.' in line and '"fxgraph.copy_"' not in line]
    return ops


def random_tensor():
    dims = "".join(rng.choice(EXTENTS) + "x" for _ in range(rng.choice([0, 0, 1, 1, 2, 2, 3, 4, 5, 7])))
    return f"tensor<{dims}{rng.choice(ELEMENTS)}>"


def mutate_type(text):
    choice = rng.random()
    if choice < 0.25:
        return random_tensor()
    body = re.fullmatch(r"tensor<((?:[\d?]+x)*)(\w+(?:<\w+>)?)(, #.*)?>", text)
    if not body:
        return text
    dims, element = body.group(1).split("x")[:-1], body.group(2)
    if choice < 0.6 and dims:
        dims[rng.randrange(len(dims))] = rng.choice(EXTENTS)
    elif choice < 0.75:
        element = rng.choice(ELEMENTS)
    elif choice < 0.85 and dims:
        dims.pop(rng.randrange(len(dims)))
    elif choice < 0.95:
        dims.insert(rng.randint(0, len(dims)), rng.choice(EXTENTS))
    else:
        return rng.choice(["tensor<*xf32>", "index", "i64", "vector<4xf32>", "memref<4xf32>", "none"])
    encoding = ""
    if rng.random() < 0.1:
        count = sum(d == "?" for d in dims)
        encoding = rng.choice([', #fxgraph.meta<device = "cuda:0">',
                               ", #fxgraph.meta<dims = [" + ", ".join(rng.choice(["s0", "s1", "?"]) for _ in range(count)) + "]>" if count else ""])
    return "tensor<" + "".join(d + "x" for d in dims) + element + encoding + ">"


def mutate_attributes(text):
    """Numbers, lists, presence."""
    def number(match):
        return str(rng.choice(NUMBERS)) if rng.random() < 0.4 else match.group(0)

    def array(match):
        values = re.findall(r"-?\d+", match.group(1))
        choice = rng.random()
        if choice < 0.5 and values:
            values[rng.randrange(len(values))] = str(rng.choice(NUMBERS))
        elif choice < 0.65 and values:
            values.pop()
        elif choice < 0.8:
            values.append(str(rng.choice(NUMBERS)))
        elif choice < 0.9:
            values = [str(rng.choice(NUMBERS)) for _ in range(rng.randint(0, 9))]
        return "array<i64" + (": " if values else "") + ", ".join(values) + ">"

    if rng.random() < 0.8:
        text = re.sub(r"array<i64(?:: )?([-\d, ]*)>", array, text)
    text = re.sub(r"-?\d+(?= : i64)", number, text)
    if rng.random() < 0.15:
        text = re.sub(r"-?\d\.\d+e[+-]\d+", lambda m: rng.choice(["0.0", "-1.0", "0x7FF8000000000000", "0x7FF0000000000000", "1.0e300"]), text)
    if rng.random() < 0.1:
        text = re.sub(r"\b(true|false)\b", lambda m: rng.choice(["true", "false"]), text)
    if rng.random() < 0.1:
        text = re.sub(r'= "[^"]*"', lambda m: '= "' + rng.choice(["", "...", "a,b->", "->", "i" * 300, "...,...", "tanh", ",,,"]) + '"', text, count=1)
    if rng.random() < 0.08:
        parts = re.findall(r"\w+ = (?:array<[^>]*>|[^,>]+(?:<[^>]*>)?)", text)
        if parts:
            text = text.replace(rng.choice(parts), "gone = 1 : i64", 1)
    return text


def split_types(text):
    """Top-level commas."""
    parts, depth, current = [], 0, ""
    for character in text:
        depth += character in "<[("
        depth -= character in ">])"
        if character == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    return parts + [current.strip()] if current.strip() else parts


def case(number, line):
    found = re.fullmatch(r'(?:%[\w:]+ = )?("fxgraph\.\w+")\((.*?)\)((?: <\{.*\}>)?) : \((.*)\) -> (.*)', line)
    if not found:
        return None
    name, _, properties, types, results = found.groups()
    types = split_types(types)
    results = split_types(results[1:-1]) if results.startswith("(") else [results]
    if rng.random() < 0.7:
        properties = mutate_attributes(properties)
    if "value = dense" in properties:
        return None  # Literals are MLIR's business.
    for _ in range(rng.choice([0, 1, 1, 2])):
        if types:
            i = rng.randrange(len(types))
            types[i] = mutate_type(types[i])
    if rng.random() < 0.3 and results:
        i = rng.randrange(len(results))
        results[i] = mutate_type(results[i])
    if rng.random() < 0.05 and types:
        types.pop()
    if rng.random() < 0.05:
        types.append(random_tensor())
    if rng.random() < 0.05:
        results = results + [random_tensor()] if rng.random() < 0.5 else results[:-1]
    arguments = ", ".join(f"%{i}: {t}" for i, t in enumerate(types))
    names = ", ".join(f"%{i}" for i in range(len(types)))
    left = f"%r:{len(results)} = " if results else ""
    returned = ", ".join(f"%r#{i}" for i in range(len(results)))
    result_list = ", ".join(results)
    tail = f"  return {returned} : {result_list}\n" if results else "  return\n"
    return (f"func.func @case{number}({arguments}) -> ({result_list}) {{\n"
            f"  {left}{name}({names}){properties} : ({', '.join(types)}) -> ({result_list})\n{tail}}}\n")


def check(cases, failures, *flags):
    """Runs all cases and returns, for each, whether it had an error; halves the list to find what crashes."""
    if not cases:
        return []
    separator = "// -----\n"
    code, _, err = run(separator.join(cases), *flags)
    if code not in (0, 1):
        if len(cases) == 1:
            failures.append((code, flags, cases[0], err[-1500:]))
            return [True]
        middle = len(cases) // 2
        return check(cases[:middle], failures, *flags) + check(cases[middle:], failures, *flags)
    starts, line = [], 1
    for text in cases:
        starts.append(line)
        line += text.count("\n") + 1
    wrong = [False] * len(cases)
    for found in re.finditer(r"<stdin>:(\d+):\d+: error: ", err):
        wrong[bisect.bisect_right(starts, int(found.group(1))) - 1] = True
    return wrong


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    ops = generic_ops()
    cases = []
    while len(cases) < count:
        text = case(len(cases), rng.choice(ops))
        if text:
            cases.append(text)
    failures = []
    rejected = check(cases, failures)
    valid = [text for text, wrong in zip(cases, rejected) if not wrong]
    broken = [text for text, wrong in zip(valid, check(valid, failures, "--canonicalize")) if wrong]
    for code, flags, text, err in failures:
        print(f"fx-opt {' '.join(flags)} ended with {code} on\n{text}{err}")
    for text in broken:
        print(f"canonicalised into something wrong:\n{text}")
    print(f"{count} cases, {len(valid)} valid, {len(failures)} crashes, {len(broken)} wrong after canonicalisation")
    if not count // 20 < len(valid) < count * 19 // 20:
        sys.exit("expected both valid and wrong cases")
    sys.exit(1 if failures or broken else 0)


if __name__ == "__main__":
    main()
