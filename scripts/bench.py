# SPDX-License-Identifier: Apache-2.0
"""Measures the example models on every core and compares with bench/baseline.json; --bless makes the result the baseline.

The table in README.md between the bench markers always shows the baseline.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BASELINE = ROOT / "bench" / "baseline.json"
README = ROOT / "README.md"
MARKERS = ("<!-- bench:start -->", "<!-- bench:end -->")
WORK = ROOT / "build" / "bench"
DIGITS = ROOT / "examples" / "digits"
MODELS = {name: {"model": DIGITS / f"{name}.pt2", "calibration": DIGITS / "calibration.npy", "input": DIGITS / "test_images.npy"}
          for name in ("digits_cnn", "digits_mlp")}
CORES = ("cortex-m0 cortex-m0plus cortex-m3 cortex-m4 cortex-m7 cortex-m23 cortex-m33 cortex-m35p cortex-m52 cortex-m55"
         " cortex-m85").split()
COUNTS = {"instructions": "instructions", "cycles_modelled": "cycles (modelled)", "flash_bytes": "flash",
          "arena_bytes": "arena", "stack_bytes": "stack"}


def measure(name, core):
    """The counts of one model on one core; raises with the compiler's words when it fails."""
    files = MODELS[name]
    report = WORK / f"{name}_{core}.json"
    command = [ROOT / "build" / "release" / "corten", "simulate", files["model"], "--calibrate", files["calibration"],
               "--core", core, "--input", files["input"], "--output", report.with_suffix(".bin"), "--json", report]
    process = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if process.returncode:
        raise RuntimeError(f"{name} on {core}: {process.stderr.strip()}")
    return counts(json.loads(report.read_text()))


def counts(report):
    instructions = report["instructions"]["per_inference"]
    return {"macs": report["macs"], "instructions": round(sum(instructions) / len(instructions)),
            "cycles_modelled": report.get("cycles_modelled"),
            "flash_bytes": report["flash"]["code_bytes"] + report["flash"]["constant_bytes"],
            "constant_bytes": report["flash"]["constant_bytes"], "arena_bytes": report["ram"]["arena_bytes"],
            "stack_bytes": report["ram"]["stack_bytes"]}


def measure_all():
    """{model: {core: counts}}"""
    WORK.mkdir(parents=True, exist_ok=True)
    pairs = [(name, core) for name in MODELS for core in CORES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        measured = list(pool.map(lambda pair: measure(*pair), pairs))
    result = {name: {} for name in MODELS}
    for (name, core), value in zip(pairs, measured):
        result[name][core] = value
    return result


def table(models):
    lines = ["| model | core | " + " | ".join(COUNTS.values()) + " |", "|---|---|" + "--:|" * len(COUNTS)]
    for name, cores in models.items():
        for core, value in cores.items():
            cells = ["–" if value[count] is None else f"{value[count]:,}" for count in COUNTS]
            lines.append(f"| {name} | {core.removeprefix('cortex-').upper().replace('PLUS', '+')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def changes(before, after):
    """One line per count that differs."""
    lines = []
    for name, cores in after.items():
        for core, value in cores.items():
            old = before.get(name, {}).get(core)
            if old is None:
                lines.append(f"{name} on {core}: new")
                continue
            for count, now in value.items():
                then = old.get(count)
                if then != now:
                    share = f" ({100 * (now - then) / then:+.2f} %)" if then else ""
                    lines.append(f"{name} on {core}: {count} {then} → {now}{share}")
    return lines


def bless(models):
    gcc = subprocess.run(["arm-none-eabi-g++", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    BASELINE.parent.mkdir(exist_ok=True)
    baseline = {"date": datetime.date.today().isoformat(), "compiler": f"arm-none-eabi-g++ {gcc}", "models": models}
    BASELINE.write_text(json.dumps(baseline, indent=1) + "\n")
    text = README.read_text() if README.exists() else ""
    if all(marker in text for marker in MARKERS):
        head, tail = text.split(MARKERS[0])[0], text.split(MARKERS[1])[1]
        README.write_text(f"{head}{MARKERS[0]}\n{table(models)}\n{MARKERS[1]}{tail}")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--bless", action="store_true")
    chosen = options.parse_args()
    try:
        models = measure_all()
    except RuntimeError as error:
        return f"bench: {error}"
    print(table(models))
    before = json.loads(BASELINE.read_text())["models"] if BASELINE.exists() else {}
    print("\n" + ("\n".join(changes(before, models)) or "no count differs from the baseline"))
    if chosen.bless:
        bless(models)
    return 0


if __name__ == "__main__":
    sys.exit(main())
