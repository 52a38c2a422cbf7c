# SPDX-License-Identifier: Apache-2.0
# Doors to the scripts and presets.
.PHONY: build demo test bench nightly clean

build:
	@scripts/set_up.sh build
	@scripts/build.sh release corten corten_opt

demo: build
	@scripts/demo.sh

test:
	@scripts/set_up.sh test
	@scripts/build.sh release corten corten_opt tests
	@scripts/build.sh asan sanitized_tests
	@python3 scripts/run_tests.py

# `make bench BLESS=1` makes what was measured the baseline.
bench: build
	@python3 scripts/bench.py $(if $(BLESS),--bless)

nightly:
	@scripts/set_up.sh nightly
	@scripts/nightly.sh

clean:
	rm -rf build
