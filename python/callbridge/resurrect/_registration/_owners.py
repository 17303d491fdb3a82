"""Whose library an address lies in."""

from __future__ import annotations

import functools
import os
import re
import sys

from callbridge._core._find_library import find_library
from callbridge._core._loaded_libraries import library_at

# jaxlib, and the packages of its plugins.
_JAXS_PACKAGES = re.compile(r"jaxlib|jax_plugins(\.\w+)?|jax_(cuda|rocm)\d*_(plugin|pjrt)")


def is_jaxs_or_ours(address: int) -> bool:
    """Returns whether the address is in a library of jaxlib, of its plugins or of callbridge.

    Returns false for an address that is in no library.
    """
    library = library_at(address)
    return library is not None and _is_jaxs_or_ours(library)


# A library is loaded once its package is imported, so the answer stays the same.
@functools.cache
def _is_jaxs_or_ours(library: bytes) -> bool:
    path = os.path.realpath(os.fsdecode(library))
    if path == os.path.realpath(find_library()):
        return True
    return any(path.startswith(folder + os.sep) for folder in _folders())


def _folders() -> list[str]:
    return [
        os.path.realpath(folder)
        for name, module in list(sys.modules.items())
        if _JAXS_PACKAGES.fullmatch(name)
        for folder in getattr(module, "__path__", ())
    ]
