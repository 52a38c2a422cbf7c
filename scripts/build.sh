#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds targets of a preset: scripts/build.sh release corten corten_opt. Prints only what changes or fails.
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift
mkdir -p build
if [ ! "build/$preset/build.ninja" -nt CMakePresets.json ] && ! cmake --preset "$preset" >"build/$preset.log" 2>&1; then
  cat "build/$preset.log" >&2
  exit 1
fi
[ -t 1 ] || quiet=--quiet
cmake --build "build/$preset" --target "$@" -- ${quiet:-}
