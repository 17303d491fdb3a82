"""Functions that JAX has for some releases more in order to refuse what they took before."""

from __future__ import annotations

from callbridge.jax._runtimes import is_since

# Module, the first release that refuses it, its functions, and what stands for them then.
_ROWS = [
    ("jax.core", "0.9.2", "call", "callbridge.resurrect._backports._core"),
    (
        "jax.experimental.host_callback",
        "0.4.35",
        "call id_print id_tap",
        "callbridge.resurrect._backports._experimental",
    ),
]


def origins() -> dict[str, dict[str, str]]:
    """What stands for the functions that this release refuses, by module and name."""
    return {
        module: dict.fromkeys(names.split(), origin)
        for module, since, names, origin in _ROWS
        if is_since(since)
    }
