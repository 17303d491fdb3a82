"""Finds libcallbridge.so."""

import os
import pathlib

VARIABLE = "CALLBRIDGE_LIBRARY"
# By which libraries need it.
SONAME = "libcallbridge.so.0"
_PACKAGE = pathlib.Path(__file__).resolve().parent
_IS_WHEEL = (_PACKAGE / "lib").is_dir()
# The folder that holds lib/, bin/ and include/: a wheel's is the package, the one of `make install`
# has DIR/python/callbridge.
PREFIX = _PACKAGE if _IS_WHEEL else _PACKAGE.parents[1]
_INSTALLED = PREFIX / "lib" / (SONAME if _IS_WHEEL else "libcallbridge.so")


def find_library() -> str:
    """Returns the path in CALLBRIDGE_LIBRARY or of the installed library, or raises ImportError."""
    declared = os.environ.get(VARIABLE)
    if declared:
        if not os.path.exists(declared):
            raise ImportError(
                f"{VARIABLE} is {declared!r}, which is not a file; set it to the path "
                "of libcallbridge.so, or unset it to use the installed one"
            )
        return os.path.abspath(declared)
    if not _INSTALLED.exists():
        raise ImportError(
            f"libcallbridge.so is not at {_INSTALLED}, where `make install` or pip puts it: "
            f"install it again; in a source tree, build it and set {VARIABLE} to its path"
        )
    return str(_INSTALLED)
