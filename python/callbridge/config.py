"""Where callbridge's headers, CMake files and library are, for builds.

python -m callbridge.config prints a line for each of --includedir, --cmakedir, --pkgconfigdir,
--cflags and --libs, in the order in which they are given:

  c++ -std=c++17 program.cc $(python -m callbridge.config --cflags --libs) -o program
"""

from __future__ import annotations

import argparse
import os

from callbridge._core import _output
from callbridge._core._installation import PREFIX, find_library

__all__ = ["cflags", "cmake_dir", "include_dir", "libs", "pkgconfig_dir"]


def include_dir() -> str:
    """Returns the folder for -I: it holds callbridge/callbridge.h and xla/ffi/api/ffi.h.

    Raises FileNotFoundError if this installation has none.
    """
    return _existing("include", "callbridge/callbridge.h")


def cmake_dir() -> str:
    """Returns the folder for callbridge_DIR, in which find_package(callbridge CONFIG) looks.

    Raises FileNotFoundError if this installation has none.
    """
    return _existing("lib/cmake/callbridge", "callbridgeConfig.cmake")


def pkgconfig_dir() -> str:
    """Returns the folder for PKG_CONFIG_PATH: it holds callbridge.pc.

    Raises FileNotFoundError if this installation has none.
    """
    return _existing("lib/pkgconfig", "callbridge.pc")


def cflags() -> str:
    """Returns the option by which compilers find the headers, -I and the folder of include_dir().

    Raises FileNotFoundError if this installation has none.
    """
    return f"-I{include_dir()}"


def libs() -> str:
    """Returns the options by which GNU's and LLVM's linkers link libcallbridge.so, and by which the
    program that they make finds it (rpath).

    Raises ImportError if the library is not there.
    """
    folder, name = os.path.split(find_library())
    return f"-L{folder} -l:{name} -Wl,-rpath,{folder}"


def _existing(folder: str, file: str) -> str:
    path = os.path.join(PREFIX, folder)
    if not os.path.exists(os.path.join(path, file)):
        raise FileNotFoundError(
            f"{file} is not in {path}: this callbridge is a source tree or half installed; "
            "install it again, by `make install` or pip"
        )
    return path


def main() -> None:
    parser = _output.parser(
        "python -m callbridge.config",
        description="Prints where callbridge is, for builds: a line for each option, in order.",
        epilog="Example\n  c++ -std=c++17 program.cc "
        "$(python -m callbridge.config --cflags --libs) -o program",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for option, text, what in (
        ("--includedir", include_dir, "the folder for -I"),
        ("--cmakedir", cmake_dir, "the folder for -Dcallbridge_DIR"),
        ("--pkgconfigdir", pkgconfig_dir, "the folder for PKG_CONFIG_PATH"),
        ("--cflags", cflags, "compilers' options"),
        ("--libs", libs, "linkers' options; the program finds the library where it is now"),
    ):
        parser.add_argument(option, action="append_const", const=text, dest="asked", help=what)
    asked = parser.parse_args().asked
    if not asked:
        parser.error("expected one or more of the options")
    try:
        lines = [f"{text()}\n" for text in asked]
    except (FileNotFoundError, ImportError) as error:
        raise SystemExit(f"callbridge: {error}") from None
    _output.show("".join(lines))


if __name__ == "__main__":
    main()
