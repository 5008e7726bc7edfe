# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What gpu_sweep.py and cpu_sweep.py say of the workloads that they drew."""


def print_summary(rows, kinds, summarize, describe, worst):
    """The distribution of ratios, by kind too, the `worst` of them, and what is wrong, failed or was left out. Returns the exit status.

    rows: {number: row}; summarize: text about ratios; describe: text about the times of a row.
    """
    ratios = sorted((row["ratio"], number) for number, row in rows.items() if "ratio" in row)
    if ratios:
        print(f"\n{'timed':17} {summarize([ratio for ratio, _ in ratios])}")
        for kind in kinds:
            own = [ratio for ratio, number in ratios if rows[number]["kind"] == kind]
            if own:
                print(f"  {kind:15} {summarize(own)}")
        print("the worst:")
        for ratio, number in ratios[:worst]:
            row = rows[number]
            print(f"  {ratio:6.3f}  #{number} {row['kind']}: {describe(row)}  {row['text'][:300]}")
    bad = {number: row for number, row in rows.items() if row.get("wrong") or "problem" in row}
    left_out = {number: row for number, row in rows.items() if "left_out" in row}
    wrong, failed = sum(bool(row.get("wrong")) for row in rows.values()), sum("problem" in row for row in rows.values())
    print(f"\n{len(rows)} workloads, {wrong} wrong, {failed} failed" + (f", {len(left_out)} left out" if left_out else ""))
    for number, row in {**left_out, **bad}.items():
        reason = row.get("problem") or row.get("left_out") or f"error {row['error']:.2e}, PyTorch's is {row['eager_error']:.2e}"
        print(f"  #{number} {row['kind']}: {reason}\n      {row['text'][:300]}")
    return 1 if bad else 0
