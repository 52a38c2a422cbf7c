# SPDX-License-Identifier: Apache-2.0
"""Runs the built GoogleTest programs and pytest; the last line counts test cases: "N passed, N failed"."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = ROOT / "build" / "test_results"
LISTS = (("release", "tests"), ("asan", "sanitized_tests"))
TIMEOUT_SECONDS = int(os.environ.get("CORTEN_TEST_TIMEOUT", 20 * 60))


class Outcome:
    def __init__(self, name):
        self.name, self.passed, self.failed, self.skipped, self.seconds, self.output = name, 0, 0, 0, 0.0, ""

    def line(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.name}: {self.passed} passed, {self.failed} failed{skipped} ({self.seconds:.1f} s)"


def built_programs():
    """(name, path) of each GoogleTest program; a build that is missing is an error."""
    programs = []
    for preset, name in LISTS:
        listed = ROOT / "build" / preset / f"{name}.txt"
        programs += [(f"{program} ({preset})", listed.parent / program) for program in listed.read_text().split()]
    return programs


def execute(command, outcome):
    """Exit status; 1 after a time-out. The output goes into `outcome`."""
    environment = dict(os.environ, CORTEN_BUILD=str(ROOT / "build" / "release"))
    start = time.monotonic()
    try:
        process = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, errors="replace", timeout=TIMEOUT_SECONDS)
        status, outcome.output = process.returncode, process.stdout
    except subprocess.TimeoutExpired as error:
        output = error.stdout or b""
        output = output if isinstance(output, str) else output.decode(errors="replace")
        status, outcome.output = 1, f"{output}\nstopped after {TIMEOUT_SECONDS} s\n"
    except OSError as error:
        status, outcome.output = 1, f"can't run {command[0]}: {error}\n"
    outcome.seconds = time.monotonic() - start
    return status


def run_googletest(name, program):
    outcome = Outcome(name)
    report = RESULTS / f"{name.replace(' ', '_')}.json"
    report.unlink(missing_ok=True)
    status = execute([program, f"--gtest_output=json:{report}", "--gtest_color=no"], outcome)
    if report.exists():
        count_googletest(json.loads(report.read_text()), outcome)
    else:
        outcome.passed = len(re.findall(r"^\[       OK \]", outcome.output, re.MULTILINE))
    if status and not outcome.failed:  # it crashed, or was stopped
        outcome.failed = 1
        outcome.output += f"\n{name} ended with status {status}\n"
    outcome.output = without_passed(outcome.output)
    return outcome


def without_passed(output):
    """What GoogleTest printed, without the cases that went well."""
    lines = []
    for line in output.splitlines():
        if line.startswith(("[       OK ]", "[  SKIPPED ]")):
            runs = [i for i, earlier in enumerate(lines) if earlier.startswith("[ RUN      ]")]
            del lines[runs[-1] if runs else len(lines):]
        elif line and not line.startswith(("[---", "[===")):
            lines.append(line)
    return "\n".join(lines) + "\n"


def count_googletest(report, outcome):
    for case in (case for suite in report["testsuites"] for case in suite["testsuite"]):
        if case.get("result") == "SUPPRESSED":
            continue
        if case.get("failures"):
            outcome.failed += 1
        elif case.get("result") == "SKIPPED":
            outcome.skipped += 1
        else:
            outcome.passed += 1


def run_pytest(marks):
    outcome = Outcome("pytest")
    report = RESULTS / "pytest.xml"
    report.unlink(missing_ok=True)
    status = execute([ROOT / ".venv" / "bin" / "python", "-m", "pytest", "tests/python", "-q", "-rs", "-m", marks,
                      f"--junitxml={report}"], outcome)
    if report.exists():
        count_pytest(xml.etree.ElementTree.parse(report), outcome)
    if status not in (0, 5) and not outcome.failed:  # 5: nothing was selected
        outcome.failed = 1
    return outcome


def count_pytest(report, outcome):
    for case in report.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            outcome.failed += 1
        elif case.find("skipped") is not None:
            outcome.skipped += 1
        else:
            outcome.passed += 1


def run_all(marks):
    """Outcomes in the order in which they end; pytest is the longest and starts first."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        jobs = [pool.submit(run_pytest, marks)] if (ROOT / "tests" / "python").is_dir() else []
        jobs += [pool.submit(run_googletest, name, program) for name, program in built_programs()]
        for job in concurrent.futures.as_completed(jobs):
            outcome = job.result()
            print(outcome.line(), flush=True)
            if outcome.failed:
                print(outcome.output, flush=True)
            yield outcome


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--marks", default="not nightly", help="pytest marks to run")
    marks = options.parse_args().marks
    RESULTS.mkdir(parents=True, exist_ok=True)
    outcomes = list(run_all(marks))
    passed, failed, skipped = (sum(getattr(o, kind) for o in outcomes) for kind in ("passed", "failed", "skipped"))
    summary = f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")
    (RESULTS / "summary.txt").write_text(summary + "\n")
    print(summary)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
