"""Where callbridge's headers, CMake files and library are, for builds.

python -m callbridge.config --includedir|--cmakedir|--libs
"""

from __future__ import annotations

import os

from callbridge._core import _output
from callbridge._core._installation import PREFIX, find_library

__all__ = ["cmake_dir", "include_dir", "libs"]


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


def libs() -> str:
    """Returns the options by which GNU's and LLVM's linkers link and find libcallbridge.so.

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
    parser = _output.parser("python -m callbridge.config", description=__doc__)
    shown = parser.add_mutually_exclusive_group(required=True)
    shown.add_argument("--includedir", action="store_const", const=include_dir, dest="shown")
    shown.add_argument("--cmakedir", action="store_const", const=cmake_dir, dest="shown")
    shown.add_argument("--libs", action="store_const", const=libs, dest="shown")
    asked = parser.parse_args().shown
    try:
        text = asked()
    except (FileNotFoundError, ImportError) as error:
        raise SystemExit(f"callbridge: {error}") from None
    _output.show(f"{text}\n")


if __name__ == "__main__":
    main()
