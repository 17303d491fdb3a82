"""Artifacts of older JAX releases, made to call what callbridge.jax registered with this one."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, TypeVar

from callbridge._core._error import CallbridgeError
from callbridge._core._target import UNTYPED
from callbridge.jax import _registry
from callbridge.jax._runtimes import PATHS
from callbridge.typing import Path, Platform, TupleLayout

if TYPE_CHECKING:
    import jax.export

    from callbridge.jax._stablehlo_calls import UntypedCall

Artifact = TypeVar("Artifact", str, bytes, bytearray, "jax.export.Exported")


def upgrade(
    artifact: Artifact,
    *,
    platform: Platform | None = None,
    tuple_layout: TupleLayout = "nested",
    prefer: Path | None = None,
) -> Artifact:
    """Returns an artifact of an older JAX, changed to run on this one.

    Its calls of untyped targets that callbridge.jax registered become calls of callbridge's entry
    points, the calls that custom_call() emits: opaque, tuple operands and tuple results reach the
    targets as before. Calls of typed handlers and XLA's own markers stay as they are. So do calls
    of untyped targets that are not registered, and a UserWarning names these: they are right if JAX
    or another package has the targets.

    Args:
      artifact: StableHLO text; its UTF-8 bytes; a portable artifact
        (stablehlo.serialize_portable_artifact), whoever wrote it; a jax.export.Exported of calling
        convention 4 or later; or the bytes of its serialize(). jax 0.12.0.1 itself refuses those
        bytes of jax 0.7.2 and older; callbridge reads them, unless the arguments or results have
        shardings.
      platform: The targets' platform. None: the platform that has a target; if several have it,
        that of JAX's default backend.
      tuple_layout: How the targets expect tuple operands: "nested", or "flat" for programs that
        were written against jaxlib >= 0.4.38. An artifact does not say which.
      prefer: As for custom_call().

    Returns:
      The upgraded artifact, of the same kind and type; `artifact` is not changed. It is returned
      byte for byte if none of its calls is upgraded. A jax.export.Exported keeps its derivatives,
      upgraded too.

    Raises:
      CallbridgeError: INVALID_ARGUMENT if the artifact is none of these, damaged, or newer than
        this JAX; if it is MLIR bytecode of another jaxlib, which has no promised format; and if an
        untyped call has the name of a typed handler. UNIMPLEMENTED for calling conventions of
        jax.export before 4, for artifacts that this JAX reads but cannot serialize (old
        shardings), and on a JAX before 0.6.2.
      TypeError: if it is of none of these types.
    """
    from callbridge.jax._artifact import upgrade_artifact

    _registry.check_path(prefer)
    unknown: set[str] = set()

    def version_of(call: UntypedCall) -> int | None:
        # The ABI that the old program assumed. Programs that name none have 0.
        likely_abi = UNTYPED[call.api_version or 1]
        try:
            entry = _registry.registry.find(call.target, platform, likely_abi, is_guess=True)
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
        _registry.check_path_fits(entry, prefer)
        path = prefer or _registry.fastest_path(entry)
        return PATHS[path].custom_call_api_version

    upgraded: Artifact = upgrade_artifact(artifact, version_of, tuple_layout)
    if unknown:
        warnings.warn(
            f"calls of {', '.join(map(repr, sorted(unknown)))} stay as they are: no such targets "
            "are registered by callbridge.jax.load() and register()",
            stacklevel=2,
        )
    return upgraded
