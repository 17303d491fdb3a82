"""Users' compilers with users' flags, on every_macro.cc, which uses all macros of the headers.

Without CALLBRIDGE_THOROUGH a few flags, those that once were refused; with it all flags with every
compiler that this machine has, and those of Debian 13's where its folder has some.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tests/include/every_macro.cc"
THOROUGH = "CALLBRIDGE_THOROUGH" in os.environ

# ---- Macros --------------------------------------------------------------------------------------

# Of C's part and of the builder's: they are used by the headers themselves, in every compilation.
INTERNAL = re.compile(
    r"CALLBRIDGE_(?!EXPORT(_UNTYPED)?$)\w+"
    r"|XLA_FFI_(Extension_\w+|API_M\w+|STRUCT_SIZE|DEFINE_STRUCT_TRAITS|UNKNOWN_TYPE_ID)"
    r"|XLA_FFI_(ATTRIBUTE|PREDICT)_\w+"
    r"|XLA_REGISTER_CUSTOM_CALL_(CONCAT|TARGET_NUMBERED)"
)


def header_only():
    """The headers that the example reaches."""
    done = subprocess.run(
        ["g++", "-std=c++17", "-I", ROOT / "include", "-MM", EXAMPLE],
        capture_output=True,
        text=True,
        check=True,
    )
    return [path for path in re.findall(r"\S+\.h\b", done.stdout)]


def test_the_example_uses_every_macro():
    defined = set()
    for header in header_only():
        text = pathlib.Path(header).read_text()
        defined |= set(re.findall(r"^ *# *define +(\w+)(?:\(| +\S)", text, re.M))
    macros = {name for name in defined if not INTERNAL.fullmatch(name) and not name.endswith("_H_")}
    assert {"CALLBRIDGE_EXPORT", "XLA_FFI_DEFINE_HANDLER", "XLA_FFI_REGISTER_TYPE"} <= macros
    used = set(re.findall(r"\w+", EXAMPLE.read_text()))
    assert macros - used == set()


def test_the_example_uses_every_option_of_an_export():
    text = (ROOT / "adapters/exports/export_options.h").read_text()
    options = set(re.findall(r"constexpr ExportOptions (\w+)\(", text))
    assert {"Shapes", "State", "Gpu"} <= options
    assert options - set(re.findall(r"\.(\w+)[<(]", EXAMPLE.read_text())) == set()


# ---- Flags ---------------------------------------------------------------------------------------

STANDARDS = ["c++17", "c++20", "c++23"]
WARNINGS = (
    "-Wall -Wextra -pedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wundef "
    "-Wextra-semi -Wzero-as-null-pointer-constant -Wmissing-declarations -Wnull-dereference"
)
# What all headers do that have inline functions, constants and switches with a default; and what
# registers when a library is loaded, for which a macro is there.
EVERYTHING = (
    "-Weverything -Wno-c++98-compat -Wno-c++98-compat-pedantic -Wno-padded -Wno-weak-vtables "
    "-Wno-switch-enum -Wno-global-constructors -Wno-exit-time-destructors "
    "-Wno-pre-c++20-compat-pedantic -Wno-c++20-compat -Wno-unsafe-buffer-usage "
    "-Wno-unsafe-buffer-usage-in-libc-call -Wno-switch-default -Wno-unknown-warning-option"
)
BOTH = [
    WARNINGS,
    f"{WARNINGS} -O2",
    f"{WARNINGS} -O2 -fno-exceptions -fno-rtti",
    "-Wall -Wextra -fno-exceptions",
    "-Wall -Wextra -fno-rtti",
    "-Wall -Wextra -O3",
    "-Wall -Wextra -Os",
    "-Wall -Wextra -O2 -flto",
    "-Wall -Wextra -fvisibility=hidden",
    "-Wall -Wextra -funsigned-char -fshort-enums",
    "-Wall -Wextra -O2 -ffast-math",
    "-fsanitize=address",
    "-fsanitize=thread",
    "-fsanitize=leak",
    "-fsanitize=undefined,float-divide-by-zero,float-cast-overflow",
    "-fsanitize=address,undefined -O2 -Wall -Wextra",
]
GCC = ["-Wuseless-cast -O2 -Wduplicated-cond -Wlogical-op", "-fsanitize=undefined -fno-exceptions"]
CLANG = [
    f"{EVERYTHING} -fno-exceptions",
    "-fsanitize=integer,implicit-conversion,nullability",
    EVERYTHING,
    "-fsanitize=cfi -flto -fvisibility=hidden",
]
SAMPLE = [
    ("g++", "c++17", "-fsanitize=undefined -Wall -Wextra"),
    ("g++", "c++17", f"{WARNINGS} -Wuseless-cast -fno-exceptions"),
    ("clang++", "c++20", EVERYTHING),
]


def spelled(compiler, standard):
    """The option, also for a compiler that knows the standard by its working name alone."""
    tried = [standard, {"c++20": "c++2a", "c++23": "c++2b"}.get(standard, standard)]
    for name in tried:
        command = [*compiler, f"-std={name}", "-fsyntax-only", "-x", "c++", "/dev/null"]
        if subprocess.run(command, capture_output=True).returncode == 0:
            return f"-std={name}"
    return None


def compilers():
    """Commands, by name."""
    names = [f"g++-{n}" for n in range(10, 17)] + [f"clang++-{n}" for n in range(13, 23)]
    found = {name: [name] for name in names if shutil.which(name)}
    cache = pathlib.Path(
        os.environ.get("CALLBRIDGE_CACHE", pathlib.Path.home() / ".cache/callbridge")
    )
    for name in names:
        if (cache / "debian-13/usr/bin" / name).exists():
            found[f"Debian 13's {name}"] = [str(ROOT / "scripts/debian_13"), name]
        if (cache / "debian-11-x86_64/usr/bin" / name).exists():
            found[f"Debian 11's {name}"] = [str(ROOT / "scripts/debian_11"), "x86_64", name]
    return found


def said(compiler, standard, flags, place="-I", output="/dev/null"):
    command = [*compiler, standard, *flags.split(), "-Werror", place, "include", "-c"]
    command += [str(EXAMPLE.relative_to(ROOT)), "-o", output]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return (done.stderr if done.returncode else "").strip()


def all_of(cases):
    """What compilers say, by case; those that say nothing are left out."""
    cases = list(cases)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        texts = list(threads.map(lambda case: said(*case), cases))
    return {str(case): text[:2000] for case, text in zip(cases, texts) if text}


@pytest.mark.parametrize("compiler,standard,flags", SAMPLE)
def test_sample(compiler, standard, flags):
    assert said([compiler], f"-std={standard}", flags) == ""


@pytest.mark.skipif(not THOROUGH, reason="minutes of compiling: make matrix")
@pytest.mark.parametrize("name", compilers())
def test_all_flags(name):
    compiler = compilers()[name]
    standards = [option for option in (spelled(compiler, s) for s in STANDARDS) if option]
    flags = BOTH + (CLANG if "clang" in name else GCC)
    # All flags by the first standard; by the others what looks at the language most.
    cases = [(compiler, standards[0], each) for each in flags]
    most = [f"{WARNINGS} -O2 -fno-exceptions -fno-rtti", "-fsanitize=undefined", flags[-2]]
    cases += [(compiler, standard, each) for standard in standards[1:] for each in most]
    cases += [(compiler, standards[0], WARNINGS, "-isystem")]
    assert all_of(cases) == {}


@pytest.mark.skipif(not THOROUGH, reason="the other tests see it too: make matrix")
def test_two_sources_link():
    """What is inline is so: two sources of one library."""
    folder = pathlib.Path(os.environ.get("TMPDIR", "/tmp"))
    for compiler in ("g++", "clang++"):
        other = folder / "other.cc"
        other.write_text(
            '#include "callbridge/export.h"\n#include "callbridge/register.h"\n'
            '#include "xla/ffi/api/ffi.h"\n'
        )
        command = [compiler, "-std=c++17", "-shared", "-fPIC", "-I", ROOT / "include", EXAMPLE]
        subprocess.run([*command, other, "-o", folder / "linked.so"], check=True)
