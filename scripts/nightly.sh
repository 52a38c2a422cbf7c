#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The long rings: more seeds, fuzzing, long Python tests. Writes nightly/result.md, which is committed.
# CORTEN_SEEDS: seeds per property; FUZZ_MINUTES: time per reader.
set -eu
cd "$(dirname "$0")/.."
export CORTEN_SEEDS="${CORTEN_SEEDS:-1000}" CORTEN_NIGHTLY=1 CORTEN_TEST_TIMEOUT="${CORTEN_TEST_TIMEOUT:-14400}"
minutes=${FUZZ_MINUTES:-10}
result=nightly/result.md
log=build/nightly.log
failures=0
mkdir -p nightly build

scripts/build.sh release corten corten_opt tests
scripts/build.sh asan sanitized_tests
scripts/build.sh fuzz fuzzers

python3 scripts/run_tests.py --marks "nightly or not nightly" >"$log" 2>&1 || failures=1
cat "$log"
{
  echo "# Nightly"
  echo
  echo "$(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD), $CORTEN_SEEDS seeds, $minutes minutes per fuzzer"
  echo
  echo "* tests: $(tail -1 "$log")"
} >"$result"

for fuzzer in build/fuzz/*_fuzzer; do
  [ -x "$fuzzer" ] || continue
  name=$(basename "$fuzzer")
  corpus=build/fuzz/corpus/$name
  seeds=tests/fuzz/corpus/${name%_fuzzer}
  mkdir -p "$corpus" "build/fuzz/findings"
  [ -d "$seeds" ] || seeds=
  if "$fuzzer" -max_total_time=$((60 * minutes)) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/findings/$name-" "$corpus" $seeds >"build/$name.log" 2>&1; then
    echo "* $name: no finding in $(sed -n 's/^stat::number_of_executed_units: *//p' "build/$name.log") runs" >>"$result"
  else
    failures=1
    echo "* $name: **found a failure**, see build/fuzz/findings" >>"$result"
  fi
done
cat "$result"
exit $failures
