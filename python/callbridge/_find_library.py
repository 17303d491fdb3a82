"""Finds libcallbridge.so."""

import os
import pathlib

VARIABLE = "CALLBRIDGE_LIBRARY"
# Relative to an installed DIR/python/callbridge.
_INSTALLED = pathlib.Path(__file__).resolve().parents[2] / "lib" / "libcallbridge.so"


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
            f"libcallbridge.so is not at {_INSTALLED}, where `make install` puts it; "
            f"in a source tree, build it and set {VARIABLE} to its path"
        )
    return str(_INSTALLED)
