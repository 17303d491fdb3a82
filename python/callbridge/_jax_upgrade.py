"""Artifacts of older JAX releases, made to call what callbridge.jax registered with this one."""

from __future__ import annotations

import warnings
from typing import Any

from callbridge import _jax_registry
from callbridge._error import CallbridgeError
from callbridge._jax_artifact import upgrade_artifact
from callbridge._jax_runtimes import PATHS
from callbridge._stablehlo_calls import UntypedCall
from callbridge._target_abis import UNTYPED


def upgrade(
    artifact: Any, *, platform: str | None = None, tuple_layout: str = "nested", prefer: str | None = None
) -> Any:
    """An artifact of an older JAX, made to run on this one.

    Its calls of untyped targets that callbridge.jax registered become calls of callbridge's entry
    points, which is what custom_call() emits: opaque, tuple operands and tuple results reach the
    targets as they always have. Calls of typed handlers stay, and so do XLA's own markers. Calls of
    untyped targets that are not registered stay too, and a UserWarning names them: where JAX or
    somebody else has them, that is right.

    Args:
      artifact: StableHLO text; its UTF-8 bytes; a portable artifact
        (stablehlo.serialize_portable_artifact); a jax.export.Exported; or what its serialize()
        gave. jax 0.12.0.1 itself refuses the last of jax 0.7.2 and older; it is read here, unless
        its arguments or results have shardings.
      platform: that of the targets. None: the platform that has a target; where several have it,
        that of JAX's default backend.
      tuple_layout: how the targets find tuple operands laid out: "nested", or "flat" for programs that were
        written against jaxlib >= 0.4.38, which an artifact does not tell.
      prefer: as for custom_call().

    Returns:
      The upgraded artifact, of the same kind and type. The given one is not changed. A
      jax.export.Exported keeps its derivatives, upgraded too.

    Raises:
      CallbridgeError: INVALID_ARGUMENT where it is none of these, damaged, or newer than this JAX,
        where it is MLIR bytecode of another jaxlib, which nobody promises to read, and where an
        untyped call has the name of a typed handler; UNIMPLEMENTED for calling conventions of
        jax.export before 4, for what this JAX reads but cannot serialize, shardings of old, and on
        a JAX before 0.6.2.
      TypeError: where it is of none of these types.
    """
    _jax_registry.check_path(prefer)
    unknown: set[str] = set()

    def version_of(call: UntypedCall) -> int | None:
        # What the old program took it for. 0 is what programs have that do not say.
        likely_abi = UNTYPED[call.api_version or 1]
        try:
            entry = _jax_registry.registry.find(call.target, platform, likely_abi, is_guess=True)
        except CallbridgeError as error:
            if error.code != "NOT_FOUND":
                raise
            unknown.add(call.target)
            return None
        if entry.abi == "typed_ffi":
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"the artifact calls target {call.target!r} by version {call.api_version}, but it "
                f"is registered on {entry.platform} as a typed handler; register the function that "
                "it was written for",
            )
        _jax_registry.check_path_fits(entry, prefer)
        path = prefer or _jax_registry.fastest_path(entry)
        return PATHS[path].custom_call_api_version

    upgraded = upgrade_artifact(artifact, version_of, tuple_layout)
    if unknown:
        warnings.warn(
            f"calls of {', '.join(map(repr, sorted(unknown)))} stay as they are: no such targets "
            "are registered by callbridge.jax.load() and register()",
            stacklevel=2,
        )
    return upgraded
