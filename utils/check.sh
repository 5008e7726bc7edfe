#!/usr/bin/env bash
# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs every test suite on a finished build and prints one closing line
# "N passed, N failed[, N skipped]". Usage: utils/check.sh [BUILD]
set -uo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}")
python=$PWD/.venv/bin/python
[ -x "$python" ] || python=$(command -v python3)
export FXGRAPH_BIN_DIR=$build/bin PYTHONPATH=$PWD/python${PYTHONPATH:+:$PYTHONPATH}
passed=0 failed=0 skipped=0
log=$(mktemp); trap 'rm -f "$log"' EXIT

# count NAME STATUS PASSED FAILED SKIPPED: a suite that ends in an error without
# saying how many tests failed counts as one failure.
count() {
  local bad=${4:-0}
  if [ "$2" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  passed=$((passed + ${3:-0})) failed=$((failed + bad)) skipped=$((skipped + ${5:-0}))
  printf '%-28s %5d passed, %d failed, %d skipped\n' "$1" "${3:-0}" "$bad" "${5:-0}"
}

for test in "$build"/bin/*Tests; do
  [ -x "$test" ] || continue
  "$test" --gtest_brief=1 >"$log" 2>&1; status=$?
  [ $status -eq 0 ] || cat "$log"
  count "$(basename "$test")" $status \
    "$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log")" \
    "$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | head -1)" \
    "$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$log" | head -1)"
done

lit=$(ls /usr/lib/llvm-22/bin/lit "$(dirname "$python")/lit" 2>/dev/null | head -1)
"$python" "$lit" -v --time-tests "$build/test" >"$log" 2>&1; status=$?
[ $status -eq 0 ] || grep -vE '^(PASS|UNSUPPORTED):' "$log"
number() { sed -n "s/^ *$1 *: *\([0-9]*\).*/\1/p" "$log" | tail -1; }
count lit $status "$(number Passed)" "$(( $(number Failed || true) + 0 + $(number 'Unresolved' || true) + 0 ))" "$(number Unsupported)"

if ls python/tests/test_*.py >/dev/null 2>&1; then
  # A file stays in one worker: its last tests look at the graphs of those before. A worker
  # that crashes is one failure, which names its test; no other takes its place, to crash there again.
  "$python" -m pytest -q --maxfail=10 -n auto --maxprocesses=8 --max-worker-restart=0 --dist loadfile --no-header python/tests >"$log" 2>&1; status=$?
  [ $status -eq 0 ] || cat "$log"
  tally() { tail -3 "$log" | grep -oE "[0-9]+ $1" | awk '{print $1}' | tail -1; }
  count pytest $status "$(tally passed)" "$(( $(tally failed || true) + 0 + $(tally error || true) + 0 ))" "$(tally skipped)"
fi

echo
if [ $skipped -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
