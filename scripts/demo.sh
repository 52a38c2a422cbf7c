#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the digits network, runs every test image on two simulated cores and shows what came out.
set -eu
cd "$(dirname "$0")/.."
corten=build/release/corten
example=examples/digits
demo=build/demo
mkdir -p "$demo"

heading() { printf '\n== %s\n' "$*"; }
say_and_run() {
  echo "\$ $*"
  "$@"
}

heading "A trained network becomes a C++ program for a Cortex-M4"
say_and_run $corten compile $example/digits_cnn.pt2 --calibrate $example/calibration.npy --core cortex-m4 -o $demo/digits
ls -l $demo/digits | awk 'NR > 1 && $NF != "" { printf "  %8s  %s\n", $5, $NF }'

heading "Its layers"
say_and_run $corten inspect $example/digits_cnn.pt2 --calibrate $example/calibration.npy --table

for core in cortex-m4 cortex-m55; do
  heading "All test images on a simulated $core"
  say_and_run $corten simulate $example/digits_cnn.pt2 --calibrate $example/calibration.npy --core $core \
    --input $example/test_images.npy --output $demo/$core.bin --json $demo/$core.json
  python3 $example/show.py report --scores $demo/$core.bin --json $demo/$core.json
done

heading "One digit"
python3 $example/show.py digit 7 --scores $demo/cortex-m4.bin
cmp $demo/cortex-m4.bin $demo/cortex-m55.bin && echo "Both cores gave the same bytes for every image."
