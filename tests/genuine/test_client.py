"""Programs of XLA's C++ API, one source compiled for callbridge and for genuine XLA (TensorFlow
2.13.1): what they print, which is results bit for bit and errors, is the same, for whichever
processor genuine XLA compiles."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "tests/genuine"


# By processor, the features that this one may have and that one lacks, by the beginnings of LLVM's
# names (instruction_set.cc). Where this one is lesser, it stands for that one. With AVX512-FP16
# doubles become halves by one rounding; the executor rounds them to floats before, as XLA does
# without.
WITHOUT = {
    "this processor": "avx512fp16",
    "AMD Zen 3": "avx512",
    "Intel Ivy Bridge": "avx512,avx2,avxvnni,vaes,vpclmul,fma",
    "Intel Sandy Bridge": "avx512,avx2,avxvnni,vaes,vpclmul,fma,f16c",
}
SAMPLED = {"this processor", "AMD Zen 3"}


def lines_of(program, without="", emulator=()):
    path = BUILD / program
    assert path.is_file(), f"{path}: built where CALLBRIDGE_TENSORFLOW is set; `make test` does"
    environment = {**os.environ, "GENUINE_XLA_WITHOUT": without} if without else None
    done = subprocess.run([*emulator, path], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, f"{path} returned {done.returncode}:\n{done.stderr[-4000:]}"
    return done.stdout.splitlines()


def has(feature, without):
    """Whether XLA compiles for this feature."""
    flags = pathlib.Path("/proc/cpuinfo").read_text().partition("\nflags")[2].partition("\n")[0]
    return feature in flags.split() and feature not in without.split(",")


def is_compared(genuine, without):
    """False for the lines in which genuine XLA itself is wrong on that processor."""
    # LLVM makes NaN of each number.
    if genuine.startswith("convert u32 to f16 ") and not has("avx2", without):
        return False
    # TensorFlow has none of the functions that LLVM then calls.
    return has("f16c", without) or not (" f16 " in genuine and genuine.endswith(" not run: 3"))


@pytest.mark.parametrize("processor", WITHOUT)
@pytest.mark.parametrize("program, least", [("client_programs", 60), ("client_elementwise", 300)])
def test_prints_what_genuine_xla_prints(program, least, processor):
    if processor not in SAMPLED and "CALLBRIDGE_THOROUGH" not in os.environ:
        pytest.skip("make matrix")
    without = WITHOUT[processor]
    ours, genuine = lines_of(program), lines_of(f"genuine_{program}", without)
    assert len(genuine) >= least
    # Lines may be megabytes long.
    differing = [
        (a[:200], b[:200])
        for a, b in zip(ours, genuine, strict=False)
        if a != b and is_compared(b, without)
    ]
    assert not differing, differing[:5]
    assert len(ours) == len(genuine)


def test_complex_arithmetic_where_the_executor_has_no_fma():
    """On an emulated processor, both. qemu rounds what else flushes to zero as none does."""
    if "CALLBRIDGE_THOROUGH" not in os.environ:
        pytest.skip("make matrix")
    emulator = ["qemu-x86_64", "-cpu", "SandyBridge"]
    ours, genuine = (
        [
            line
            for line in lines_of(program, emulator=emulator)
            if line.startswith(("multiply c", "divide c"))
        ]
        for program in ("client_elementwise", "genuine_client_elementwise")
    )
    assert len(ours) == 4 and [a[:200] for a in ours] == [b[:200] for b in genuine]
    assert ours == genuine
