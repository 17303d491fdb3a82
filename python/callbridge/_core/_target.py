"""Targets, and the ABIs of custom calls, as libcallbridge.so lists them.

An ABI is its name, such as "original"; None is one that is not known. Numbers are XLA's
(xla.CustomCallApiVersion), which StableHLO and the C API share.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, ClassVar, Generic, NoReturn, Protocol, TypeVar, get_args

from callbridge._core import _c_api
from callbridge._core._error import HOST, CallbridgeError, check_choice, parse_platform
from callbridge.typing import Abi, Attributes, Operand, Platform, Stage

# ---- ABIs ---------------------------------------------------------------------------------------

_GPU = "CUDA"  # all kinds are alike


def _rows(platform: str) -> list[_c_api.TargetAbi]:
    rows = [_c_api.TargetAbi() for _ in range(_c_api.target_abi_count())]
    for i, row in enumerate(rows):
        _c_api.target_abi_at(i, platform.encode(), row)
    return rows


_ROWS = {platform: {row.name.decode(): row for row in _rows(platform)} for platform in (HOST, _GPU)}

ABI_NUMBERS = {None: 0, **{name: row.api_version for name, row in _ROWS[HOST].items()}}
ABI_NAMES = tuple(_ROWS[HOST])
ABI_BY_NUMBER = {number: name for name, number in ABI_NUMBERS.items()}
# The ABIs of a target without attributes.
UNTYPED = {
    row.api_version: name
    for name, row in _ROWS[HOST].items()
    if not row.provides & _c_api.PROVIDES_ATTRIBUTES
}


def is_untyped(abi: str | None) -> bool:
    """True for the name of an ABI without attributes."""
    return abi in UNTYPED.values()


def needs_declaration(platform: str) -> bool:
    """True if calling a target of an ABI that is not known by a wrong one could crash."""
    return _row(platform, None) is None


def calls_alike(platform: str, abi: str | None, other: str | None) -> bool:
    """True if functions of both ABIs are called in the same way on `platform`."""
    return abi == other or _called_as(platform, abi) == _called_as(platform, other) != 0


def reads_opaque(platform: str, abi: str | None) -> bool:
    return _provides(platform, abi, _c_api.PROVIDES_OPAQUE)


def takes_tuples(platform: str, abi: str | None) -> bool:
    """Returns false if a target gets only the leaves of its operands and results."""
    return _provides(platform, abi, _c_api.PROVIDES_TUPLES)


def counts_buffers(platform: str, abi: str | None) -> bool:
    """Returns true if a target gets the numbers of operands and results of its call."""
    return _provides(platform, abi, _c_api.PROVIDES_COUNTS)


@functools.lru_cache
def _row(platform: str, abi: str | None) -> _c_api.TargetAbi | None:
    rows = _ROWS[HOST if parse_platform(platform) == HOST else _GPU]
    if abi is not None:
        return rows[abi]
    return next((row for row in rows.values() if row.serves_unspecified), None)


def _called_as(platform: str, abi: str | None) -> int:
    row = _row(platform, abi)
    return 0 if row is None else row.called_as


def _provides(platform: str, abi: str | None, bit: int) -> bool:
    row = _row(platform, abi)
    return row is not None and bool(row.provides & bit)


# ---- Targets ------------------------------------------------------------------------------------


class Immutable:
    """A base of classes whose objects never change and represent something of this process."""

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self


# In the order in which XLA calls them.
STAGES: tuple[Stage, ...] = get_args(Stage)


@dataclasses.dataclass(frozen=True)
class Target(Immutable):
    """A custom-call function and what is known of it.

    It can be pickled with its library, whose target of that name it is in each process.

    Attributes:
      name: what programs call it.
      platform: as it was registered: "Host", "cpu", "CUDA", ...
      abi: "original", "status_returning", "status_returning_unified" or "typed_ffi" where that is
        proved; None where it must be declared.
      evidence: how `abi` is known, as text.
      address: of the function, in this process; of a typed handler that for the stage "execute".
      stages: of a typed handler, the addresses of its handlers for other stages: "instantiate",
        "prepare", "initialize", "record".
      command_buffer_compatible: whether XLA:GPU may record calls into command buffers: true if a
        typed handler was registered with that trait or reports it. An untyped function has none of
        its own; its user says so (callbridge.jax.register).
    """

    name: str
    platform: str
    abi: Abi | None
    evidence: str
    address: int
    stages: dict[Stage, int] = dataclasses.field(default_factory=dict, hash=False)
    command_buffer_compatible: bool = False

    _library: ClassVar[OfLibrary | None] = None  # which registered it; set for each target
    # Of an AOT operator, what its file holds: callbridge_target.content; else empty. Set likewise.
    _content: ClassVar[str] = ""

    def __reduce__(self) -> tuple[Any, ...]:
        if self._library is None:
            raise TypeError(
                f"target {self.name!r} cannot be pickled: it is a function at an address of this "
                "process; register the function in the other process by itself"
            )
        return _find_pickled, (self._library, self.name, self.platform, self.abi)


class OfLibrary(Protocol):
    """What a target needs of its callbridge.library.Library."""

    @property
    def targets(self) -> tuple[Target, ...]: ...

    def target(self, name: str, platform: Platform = ...) -> Target: ...


def _find_pickled(library: OfLibrary, name: str, platform: Platform, abi: Abi | None) -> Target:
    for target in library.targets:
        if (target.name, target.platform, target.abi) == (name, platform, abi):
            return target
    return library.target(name, platform)  # which says what there is


def from_c(target: _c_api.Target, library: OfLibrary) -> Target:
    made = Target(
        _decode(target.name),
        _decode(target.platform),
        ABI_BY_NUMBER[target.api_version],
        _decode(target.evidence),
        target.address,
        {stage: getattr(target, stage) for stage in STAGES if getattr(target, stage, None)},
        bool(target.command_buffer_compatible),
    )
    object.__setattr__(made, "_library", library)
    object.__setattr__(made, "_content", _decode(target.content))
    return made


def renamed(target: Target, name: str) -> Target:
    """The same function of the same library by another name."""
    made = dataclasses.replace(target, name=name)
    object.__setattr__(made, "_library", target._library)
    object.__setattr__(made, "_content", target._content)
    return made


def to_c(
    target: Target, declared_abi: Abi | None, command_buffer_compatible: bool = False
) -> _c_api.Target:
    """Returns `target` for the C API, with its own ABI or else the declared one.

    Raises INVALID_ARGUMENT if the two differ, or if there is neither and a wrong guess could crash.
    """
    abi = agreed_abi(target, declared_abi)
    return _c_api.Target(
        name=_c_api.text(target.name, "target"),
        platform=_c_api.text(target.platform, "platform"),
        api_version=ABI_NUMBERS[abi],
        api_version_is_proved=target.abi is not None,
        address=target.address,
        **target.stages,
        command_buffer_compatible=command_buffer_compatible,
        content=target._content.encode(),
    )


def check_abi(abi: Abi | None) -> None:
    """Raises TypeError or INVALID_ARGUMENT if it is not an ABI's name."""
    if abi is not None:
        check_choice(abi, "abi", ABI_NAMES)


def check_name(name: str) -> None:
    """Raises TypeError or INVALID_ARGUMENT if no target can have that name."""
    _c_api.text(name, "target")


def check_fits(
    target: Target, abi: Abi | None, opaque: bytes, attributes: Attributes | None
) -> None:
    """Raises INVALID_ARGUMENT for arguments that targets of that ABI do not take."""
    if abi == "typed_ffi" and opaque:
        problem = "a typed handler, which gets no opaque; pass attributes="
    elif abi != "typed_ffi" and attributes:
        problem = (
            f"an untyped function, abi={abi!r}, which gets bytes and no attributes; pass opaque="
        )
    else:
        return
    raise CallbridgeError(
        "INVALID_ARGUMENT",
        f"target {target.name!r} on {parse_platform(target.platform)} is {problem}",
    )


def agreed_abi(target: Target, declared: Abi | None) -> Abi | None:
    """Returns the target's own ABI, or else the declared one. Raises as to_c()."""
    check_abi(declared)
    known = target.abi
    if known is not None:
        if declared is not None and not calls_alike(target.platform, known, declared):
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"target {target.name!r} on {target.platform} was declared abi={declared!r}, but "
                f"is {known!r}: {target.evidence}; leave abi out",
            )
        return known
    if declared is None and needs_declaration(target.platform):
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"the ABI of target {target.name!r} on {target.platform} is not known "
            f"({target.evidence}), and calling it by another could crash; declare it: "
            "custom_call(), register() and Library.run() take abi=, one of "
            f"{', '.join(map(repr, ABI_NAMES))}",
        )
    return declared


def _decode(text: bytes | None) -> str:
    return (text or b"").decode(errors="surrogateescape")


# ---- Functions that custom_call() returns --------------------------------------------------------


Result = TypeVar("Result", covariant=True)


class BoundFunction(Immutable, Generic[Result]):
    """A function that calls a target of this process."""

    __name__: str

    def __init__(self, call: Callable[..., Result], module: str, target: str):
        self.__name__ = call.__name__
        self.__doc__ = call.__doc__
        self._call = call
        self._module = module
        self._target = target

    def __call__(self, *operands: Operand) -> Result:
        return self._call(*operands)

    def __repr__(self) -> str:
        return f"<{self._module}.custom_call({self._target!r}, ...)>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"the function that {self._module}.custom_call({self._target!r}, ...) returned cannot "
            "be pickled: it calls an address of this process; call load() or register(), and "
            "custom_call(), in the other process"
        )
