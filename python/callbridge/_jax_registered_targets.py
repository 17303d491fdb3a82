"""The targets that are registered with XLA, by any program.

To register a name again with another address ends the process: at once if JAX's backend has
started, otherwise when it starts, since JAX keeps registrations until then.
"""

from __future__ import annotations

from typing import Any

from callbridge._function_address import capsule_pointer
from callbridge._jax_runtimes import PENDING_TARGETS, RUNTIME, XLA_TARGETS, jax_function_or


def registered(name: str, platform: str) -> dict[int, dict[str, int] | None]:
    """Returns what XLA has, or will have, by that name, by the API version of its registry.

    A value has the addresses by stage, or is None if they are unknown. The result is empty for
    releases that cannot list their targets: 0.4.13, where the last registration of a name counts,
    and future ones that keep their lists elsewhere. `platform` is canonical.
    """
    if not RUNTIME.lists_targets:
        return {}
    found = in_xla(name, platform)
    for pending, target, api_version, *_ in jax_function_or(PENDING_TARGETS, {}).get(platform, ()):
        if pending == name:
            found[api_version] = _addresses(target)
    return found


def in_xla(name: str, platform: str) -> dict[int, dict[str, int] | None]:
    """Likewise, but only what XLA has."""
    if not RUNTIME.lists_targets:
        return {}
    target = jax_function_or(XLA_TARGETS, _no_targets)(platform).get(name)
    if target is None:
        return {}
    # Of a name in both registries it lists the handler alone.
    return {1 if isinstance(target, dict) else 0: _addresses(target)}


def untyped(platform: str) -> dict[str, int]:
    """Returns the addresses of the untyped functions that XLA has, or will have, by name.

    Where it has a typed handler of that name too, the function is left out, and so are all where
    registered() returns nothing.
    """
    if not RUNTIME.lists_targets:
        return {}
    pending = jax_function_or(PENDING_TARGETS, {}).get(platform, ())
    named = {name: target for name, target, api_version, *_ in pending if api_version == 0}
    found = {}
    for name, target in {**jax_function_or(XLA_TARGETS, _no_targets)(platform), **named}.items():
        addresses = None if isinstance(target, dict) else _addresses(target)
        if addresses:
            found[name] = addresses["execute"]
    return found


def _no_targets(_platform: str) -> dict[str, Any]:
    return {}


def is_same(target: Any, addresses: dict[str, int] | None) -> bool:
    """Returns whether `target`, in the form that JAX registers, has these addresses."""
    return addresses is not None and _addresses(target) == addresses


def _addresses(target: Any) -> dict[str, int] | None:
    stages = target if isinstance(target, dict) else {"execute": target}
    try:
        found = {stage: capsule_pointer(capsule) for stage, capsule in stages.items()}
    except TypeError:
        return None
    return {stage: address for stage, address in found.items() if address}
