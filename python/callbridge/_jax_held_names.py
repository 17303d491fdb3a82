"""The names that XLA has targets for, whoever registered them.

A name that comes again with another address ends the process: at once where JAX's backend has
started, and else when it starts, since JAX keeps what is registered until then.
"""

from __future__ import annotations

from typing import Any

from callbridge._function_address import capsule_pointer
from callbridge._jax_runtimes import PENDING_TARGETS, RUNTIME, XLA_TARGETS, jax_function_or


def held(name: str, platform: str) -> dict[int, Any]:
    """By the API version of the registry, what XLA has or will have by that name: addresses by
    stage, or None where that cannot be told.

    `platform` is canonical. Empty for releases that cannot list what they have: 0.4.13, where the
    last who registers a name has it, and those to come that have their lists elsewhere.
    """
    if not RUNTIME.lists_targets:
        return {}
    found = {}
    target = jax_function_or(XLA_TARGETS, _no_targets)(platform).get(name)
    if target is not None:
        # Of a name in both registries it lists the handler alone.
        found[1 if isinstance(target, dict) else 0] = _addresses(target)
    for pending, target, api_version, *_ in jax_function_or(PENDING_TARGETS, {}).get(platform, ()):
        if pending == name:
            found[api_version] = _addresses(target)
    return found


def _no_targets(_platform: str) -> dict[str, Any]:
    return {}


def same(target: Any, addresses: dict[str, int] | None) -> bool:
    """Whether `target`, as it is registered, is what held() found."""
    return addresses is not None and _addresses(target) == addresses


def _addresses(target: Any) -> dict[str, int] | None:
    stages = target if isinstance(target, dict) else {"execute": target}
    try:
        found = {stage: capsule_pointer(capsule) for stage, capsule in stages.items()}
    except TypeError:
        return None
    return {stage: address for stage, address in found.items() if address}
