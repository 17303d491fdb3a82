"""Platforms: XLA's names for them, compared without case."""

from __future__ import annotations

from callbridge._core._arguments import check_text
from callbridge._core._error import CallbridgeError

HOST = "Host"
# As in JAX, "gpu" is CUDA.
_CANONICAL = {"host": HOST, "cpu": HOST, "cuda": "CUDA", "gpu": "CUDA", "rocm": "ROCM"}
PLATFORMS = tuple(dict.fromkeys(_CANONICAL.values()))


def parse_platform(name: str) -> str:
    """XLA's spelling: "Host", "CUDA" or "ROCM"."""
    check_text(name, "platform")
    platform = find_platform(name)
    if platform is None:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"platform: expected Host or cpu, CUDA or gpu, or ROCM, got {name!r}",
        )
    return platform


def find_platform(name: str) -> str | None:
    """Likewise, but returns None for a platform that callbridge cannot call."""
    return _CANONICAL.get(name.lower())
