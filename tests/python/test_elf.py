# SPDX-License-Identifier: Apache-2.0
"""Emitted programs build by themselves, serve C, and contain integer code of the kernels they use, nothing else."""
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

import corten_program

EXAMPLE = corten_program.ROOT / "examples" / "digits"
KERNELS = sorted(path.stem for path in (corten_program.ROOT / "runtime" / "include" / "corten" / "rt").glob("*.h"))
MODELS = ["digits_cnn", "digits_mlp"]
CORES = {  # flags as a user of the core gives them
    "cortex-m0": "-mcpu=cortex-m0 -mthumb",
    "cortex-m0plus": "-mcpu=cortex-m0plus -mthumb",
    "cortex-m3": "-mcpu=cortex-m3 -mthumb",
    "cortex-m4": "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16",
    "cortex-m7": "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16",
    "cortex-m23": "-mcpu=cortex-m23 -mthumb",
    "cortex-m33": "-mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16",
    "cortex-m35p": "-mcpu=cortex-m35p -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16",
    "cortex-m52": "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard -mfpu=auto",  # GCC 12 doesn't know M52 and M85
    "cortex-m55": "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard -mfpu=auto",
    "cortex-m85": "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard -mfpu=auto",
}
WARNINGS = "-Wall -Wextra -Werror"

FLOAT_ROUTINE = re.compile(r"__aeabi_(f|d|h2f|u?[il]2[fd]|c[fd])|__(add|sub|mul|div)[sdh]f3|__float|__fix")
HEAP = re.compile(r"^_?(malloc|free|calloc|realloc)(_r)?$|^_Zn[wa]|^_Zd[la]|^_sbrk$")
FLOAT_INSTRUCTION = re.compile(r"^v(add|sub|mul|mla|mls|fma|fms|nmul|nmla|fnma|div|sqrt|cvt|neg|abs|cmp|rint|max|min)\w*\.f|^vcvt")

# Inference from C alone: all there is in the image besides the program.
CLIENT = """
#include "NAME.h"
static _Alignas(16) unsigned char arena[UPPER_ARENA_BYTES];
static int8_t input[64], output[10];
int main(void) { NAME_run(input, output, arena); return output[0]; }
"""
FILTER = """
#include <stdio.h>
#include "NAME.h"
static _Alignas(16) unsigned char arena[UPPER_ARENA_BYTES];
int main(void) {
  int8_t input[64], output[10];
  while (fread(input, 1, sizeof input, stdin) == sizeof input) {
    NAME_run(input, output, arena);
    fwrite(output, 1, sizeof output, stdout);
  }
  return 0;
}
"""


def call(*command, **options):
    process = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert process.returncode == 0, " ".join(map(str, command)) + "\n" + process.stdout + process.stderr
    return process.stdout


def need_program(name):
    if shutil.which(name) is None:
        corten_program.missing(f"{name} is not installed")


def emit(model, core, folder):
    corten_program.run("compile", EXAMPLE / f"{model}.pt2", "--calibrate", EXAMPLE / "calibration.npy", "--core", core, "-o", folder)
    return folder


def write_client(text, model, path):
    path.write_text(text.replace("NAME", model).replace("UPPER", model.upper()))
    return path


def link(program, client, model, flags, output):
    """As the README tells a user."""
    flags = flags.split() + ["-O2", "-ffunction-sections", "-fdata-sections", f"-I{program}"]
    objects = []
    for source, compiler, options in [(client, "gcc", []), (program / f"{model}.cpp", "g++", [*WARNINGS.split(), "-std=c++17"]),
                                      (program / f"{model}_weights.cpp", "g++", [*WARNINGS.split(), "-std=c++17"])]:
        objects.append(output.parent / f"{source.name}.o")
        call(f"arm-none-eabi-{compiler}", *flags, *options, "-c", source, "-o", objects[-1])
    call("arm-none-eabi-gcc", *flags, "-nostartfiles", "-Wl,--gc-sections", "-Wl,-e,main", *objects, "-o", output)
    return output


class Image:
    """What tools say about an ELF file."""

    def __init__(self, path):
        self.symbols = [line.split(maxsplit=2)[2] for line in call("arm-none-eabi-nm", path).splitlines() if len(line.split()) > 2]
        self.functions = [line.split(maxsplit=2)[2] for line in call("arm-none-eabi-nm", "-C", path).splitlines() if len(line.split()) > 2]
        lines = call("arm-none-eabi-objdump", "-d", "--no-show-raw-insn", path).splitlines()
        self.instructions = [line.split("\t")[1] for line in lines if line.startswith(" ") and line.count("\t") > 0]

    def kernels(self):
        """Names of the kernels whose symbols are there, whole or in parts."""
        names = [path_of(name) for name in self.functions]
        return {kernel for kernel in KERNELS if any(re.search(rf"^corten::rt::(\w+::)*{kernel}(_|::|$)", name) for name in names)}


def path_of(function):
    """"corten::rt::softmax" from "int corten::rt::softmax<signed char>(signed char const*) [clone .isra.0]"."""
    inner = re.compile(r"<[^<>]*>|\([^()]*\)|\[[^\[\]]*\]")
    while inner.search(function):
        function = inner.sub("", function)
    return function.split()[-1] if function.split() else ""


@pytest.fixture(scope="module", params=[(model, core) for model in MODELS for core in CORES], ids=lambda p: "-".join(p))
def built(request, tmp_path_factory):
    """(model, core, emitted program, image)"""
    need_program("arm-none-eabi-g++")
    model, core = request.param
    folder = tmp_path_factory.mktemp(f"{model}-{core}")
    program = emit(model, core, folder / "program")
    client = write_client(CLIENT, model, folder / "client.c")
    return model, core, program, Image(link(program, client, model, CORES[core], folder / "image.elf"))


def test_integer_code_only(built):
    *_, image = built
    assert [name for name in image.symbols if FLOAT_ROUTINE.search(name)] == []
    assert [text for text in image.instructions if FLOAT_INSTRUCTION.search(text)] == []


def test_no_heap(built):
    *_, image = built
    assert [name for name in image.symbols if HEAP.search(name)] == []


def test_kernels_that_are_used_only(built):
    model, _, program, image = built
    used = {pathlib.Path(name).stem for name in re.findall(r'#include "corten/rt/(\w+\.h)"', (program / f"{model}.cpp").read_text())}
    assert image.kernels() <= used | shared_headers(used)
    assert "softmax" not in image.kernels()
    if model == "digits_mlp":
        assert [name for name in image.functions if "PerChannel" in name or "conv2d" in name] == []


def shared_headers(used):
    """Headers that the used ones include."""
    folder = corten_program.ROOT / "runtime" / "include" / "corten" / "rt"
    reached, waiting = set(), list(used)
    while waiting:
        included = {path.removesuffix(".h") for path in re.findall(r'#include "corten/rt/(\w+\.h)"', (folder / f"{waiting.pop()}.h").read_text())}
        waiting += included - reached
        reached |= included
    return reached


def test_no_header_that_is_not_used(built):
    model, _, program, _ = built
    used = {pathlib.Path(name).stem for name in re.findall(r'#include "corten/rt/(\w+\.h)"', (program / f"{model}.cpp").read_text())}
    assert {path.stem for path in (program / "corten" / "rt").glob("*.h")} == used | shared_headers(used)


def test_layers_have_symbols(built):
    model, _, program, image = built
    layers = re.findall(r"^CORTEN_LAYER void (\w+)\(", (program / f"{model}.cpp").read_text(), re.MULTILINE)
    assert layers
    for layer in layers:
        assert any(f"{model}::layers::{layer}(" in name for name in image.functions)


def test_checks_see_what_they_look_for(tmp_path):
    """An image with float arithmetic, a heap and two kernels, so that the tests above can fail."""
    need_program("arm-none-eabi-g++")
    source = tmp_path / "bad.cpp"
    source.write_text("""
        #include <cstdlib>
        namespace corten::rt {
        struct PerChannel {};
        template <class T> __attribute__((noinline)) int softmax(const T*, int x) { volatile int y = x; return y; }
        namespace inner { __attribute__((noinline)) int conv2d_rows(int x) { volatile int y = x; return y; } }
        }
        int main(int count, char**) {
          volatile float x = float(count);
          void* p = std::malloc(unsigned(x * 3));
          corten::rt::PerChannel q;
          return p != nullptr && corten::rt::softmax(&q, count) + corten::rt::inner::conv2d_rows(count);
        }
        extern "C" void* _sbrk(int) { return nullptr; }
    """)
    for flags, float_found in ((CORES["cortex-m3"], False), (CORES["cortex-m4"], True)):
        call("arm-none-eabi-g++", *flags.split(), "-O2", "-nostartfiles", "-Wl,-e,main", source, "-o", tmp_path / "bad.elf")
        image = Image(tmp_path / "bad.elf")
        assert any(FLOAT_INSTRUCTION.search(text) for text in image.instructions) == float_found
        assert any(FLOAT_ROUTINE.search(name) for name in image.symbols) != float_found
        assert any(HEAP.search(name) for name in image.symbols)
        assert image.kernels() == {"softmax", "conv2d"}
        assert any("PerChannel" in name for name in image.functions)


@pytest.mark.parametrize("model", MODELS)
def test_builds_with_its_own_cmake_file_and_serves_c(model, tmp_path):
    """On the host: a C program around the library gives the bytes of the integer interpreter."""
    need_program("cmake")
    program = emit(model, "host", tmp_path / "program")
    call("cmake", "-S", program, "-B", tmp_path / "build", "-DCMAKE_BUILD_TYPE=Release")
    call("cmake", "--build", tmp_path / "build")
    client = write_client(FILTER, model, tmp_path / "client.c")
    call("cc", f"-I{program}", client, tmp_path / "build" / f"lib{model}.a", "-o", tmp_path / "client")
    inputs, expected = tmp_path / "inputs.bin", tmp_path / "expected.bin"
    inputs.write_bytes(np.random.default_rng(5).integers(-128, 128, 64 * 200, dtype=np.int8).tobytes())
    corten_program.run("run", EXAMPLE / f"{model}.pt2", "--calibrate", EXAMPLE / "calibration.npy", "--stage", "integer", "--input", inputs, "--output", expected)
    with inputs.open("rb") as stream:
        found = subprocess.run([tmp_path / "client"], stdin=stream, capture_output=True, check=True).stdout
    assert found == expected.read_bytes()


@pytest.mark.parametrize("core", ["cortex-m0", "cortex-m4", "cortex-m55"])
def test_cross_builds_with_its_own_cmake_file(core, tmp_path):
    need_program("cmake")
    need_program("arm-none-eabi-g++")
    program = emit("digits_cnn", core, tmp_path / "program")
    call("cmake", "-S", program, "-B", tmp_path / "build", "-DCMAKE_SYSTEM_NAME=Generic", "-DCMAKE_CXX_COMPILER=arm-none-eabi-g++",
         "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY", f"-DCMAKE_CXX_FLAGS={CORES[core]}", "-DCMAKE_BUILD_TYPE=Release")
    call("cmake", "--build", tmp_path / "build")
    assert (tmp_path / "build" / "libdigits_cnn.a").exists()
