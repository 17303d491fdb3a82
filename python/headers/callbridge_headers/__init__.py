"""callbridge's header-only part: XLA FFI handlers and CALLBRIDGE_EXPORT, in C++17.

python -m callbridge_headers --includedir|--cmakedir
"""

import os

__all__ = ["cmake_dir", "include_dir"]

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def include_dir() -> str:
    """Returns the folder for -I: it holds callbridge/export.h and xla/ffi/api/ffi.h."""
    return os.path.join(_FOLDER, "include")


def cmake_dir() -> str:
    """Returns the folder for callbridge_DIR: find_package() then gives callbridge::typed_ffi."""
    return os.path.join(_FOLDER, "lib", "cmake", "callbridge")
