"""Custom calls of old lowering rules, made into calls of what XLA has in the target's place.

XLA has callbridge's entry points for each target that is registered with callbridge, and they are
called as version 3 (on GPU, as typed handlers), with a site descriptor where one is needed. So a
call of version 1 or 2 must not reach XLA as it is. Calls of other targets are left as they are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from jaxlib.mlir import ir

from callbridge._core._error import HOST
from callbridge._core._target import UNTYPED
from callbridge._targets._registry import Entry
from callbridge.jax import _custom_call_op, _frozen_attributes, _registry
from callbridge.jax._custom_call_op import config_attributes
from callbridge.jax._runtimes import PATHS, RUNTIME
from callbridge.resurrect._lowering import _typed_calls, _xla_shapes
from callbridge.resurrect._registration import _typed, _untyped_of_xla
from callbridge.resurrect._registration import _untyped as _registration

FRONTEND_ATTRIBUTES = "mhlo.frontend_attributes"
MARK = "callbridge_call"


class Form(NamedTuple):
    """How a call of a target reaches XLA, in place of its name, its version and its opaque."""

    target: str
    api_version: int
    backend_config: bytes | dict[str, ir.Attribute]
    # What the call is of, where it is of an untyped function.
    mark: ir.Attribute | None = None

    def attributes(self) -> dict[str, ir.Attribute]:
        """All that says this, of the operation."""
        config = config_attributes(self.api_version, self.backend_config)
        mark = {} if self.mark is None else {FRONTEND_ATTRIBUTES: self.mark}
        return {"call_target_name": ir.StringAttr.get(self.target), **config, **mark}


class Rewritten(NamedTuple):
    """A call of a served target as it is to be built. What is not here stays."""

    operands: list[ir.Value]  # tuples are taken apart
    form: Form
    layouts: tuple[list, list] | None  # of operands and results, where the caller left them open


def form(
    target: str,
    api_version: int,
    operands: Sequence[Any],
    result: Any,
    opaque: bytes,
    is_table: bool = False,
) -> Form:
    """The form of a call of a served target; XLA has its entry points from now on.

    Args:
      target: its name.
      api_version: 1 to 3, which the caller says it is of.
      operands: shape trees, as the target knows them. XLA is given their leaves.
      result: likewise.
      opaque: which the target is to get.
      is_table: XLA is given the one leaf of the result in a tuple, of which it makes a table.

    Raises:
      CallbridgeError: as callbridge.jax.custom_call(), where the ABI contradicts what is known.
    """
    entries = served(target, api_version)
    path = _path(entries)
    if is_table and path == "version_3":
        # So that tuple is no longer the entry point's to make.
        (result,) = result
    # JAX does not say here which platform it lowers for. All of them take what one of them needs.
    for entry in entries:
        config: Any
        config, attributes = _custom_call_op.for_untyped_function(
            entry, path, tuple(operands), result, "nested", opaque
        )
        if attributes:
            break
    if path == "typed":
        config = {name: _frozen_attributes.to_mlir(value) for name, value in attributes.items()}
    name = entries[0].target.name
    mark = marked(name, api_version)
    return Form(name, PATHS[path].custom_call_api_version, config, mark)


def _path(entries: list[Entry]) -> str:
    if len(entries) == 1 or _registry.prefers_typed():
        paths = {_registry.fastest_path(entry) for entry in entries}
        return "typed" if paths == {"typed"} else "version_3"
    # Version 3 is what all platforms take, but for functions that XLA has by itself.
    return "version_3" if all("version_3" in entry.paths for entry in entries) else "typed"


def rewritten(
    target: str,
    api_version: int,
    operands: Sequence[Any],
    result_types: Sequence[ir.Type],
    opaque: bytes,
    has_layouts: bool,
    shape_operands: int = 0,
) -> Rewritten | None:
    """None where the call is to be built as it is. The results' types stay: the caller knows them.

    The last `shape_operands` operands are dimensions of the results, which no target gets.
    """
    operands = [value(operand) for operand in operands]
    if api_version not in UNTYPED:
        return None
    entries = _untyped(target)
    has_tuples = any(_xla_shapes.is_tuple(operand.type) for operand in operands)
    if api_version == 3 and not has_tuples:
        # This is how XLA's entry points are called, also by callbridge.jax, once XLA has them.
        for entry in entries:
            if not entry.paths:
                _serve(entry, api_version)
        # Where no typed path leads to the target, it may be such a call too.
        is_a_programs = target in _registration.names and _path(entries) == "typed"
        if not ((not entries or is_a_programs) and _registry.prefers_typed()):
            if target not in _registration.names:
                return None
            mark = marked(target, api_version)
            return Rewritten(operands, Form(target, api_version, opaque, mark), None)
    if not entries and not served(target, api_version):
        return None
    count = len(operands) - shape_operands
    trees = tuple(_xla_shapes.tree(operand.type) for operand in operands[:count])
    result = tuple(_xla_shapes.tree(type_) for type_ in result_types)
    if len(result_types) == 1:
        (result,) = result
    leaf_count = len([leaf for type_ in result_types for leaf in _xla_shapes.leaf_types(type_)])
    is_table = type(result) is tuple and leaf_count == 1
    chosen = form(target, api_version, trees, result, opaque, is_table)
    leaves = [leaf for operand in operands for leaf in _xla_shapes.take_apart(operand)]
    layouts = None
    if not has_layouts and not any(map(_xla_shapes.is_tuple, result_types)):
        layouts = (
            [_xla_shapes.row_major(leaf.type) for leaf in leaves],
            [_xla_shapes.row_major(type_) for type_ in result_types],
        )
    return Rewritten(leaves, chosen, layouts)


def rewritten_typed(
    target: str,
    operands: Sequence[Any],
    result_types: Sequence[ir.Type],
    attributes: Mapping[str, ir.Attribute],
    has_layouts: bool,
) -> Rewritten | None:
    """Likewise of a call of version 4; its form is one that this JAX's StableHLO can hold."""
    _typed.check_is_typed(target)
    operands = [value(operand) for operand in operands]
    types = [operand.type for operand in operands]
    opaque = _typed_calls.opaque(target, types, result_types, attributes)
    if opaque is None:
        if RUNTIME.reads_typed_calls or not RUNTIME.has_typed_ffi:
            return None
        return Rewritten(operands, Form(target, _typed_calls.TYPED, dict(attributes)), None)
    layouts = None
    if not has_layouts:
        layouts = (
            [_xla_shapes.row_major(type_) for type_ in types],
            [_xla_shapes.row_major(type_) for type_ in result_types],
        )
    version = PATHS["version_3"].custom_call_api_version
    return Rewritten(operands, Form(target, version, opaque), layouts)


def value(operand: Any) -> ir.Value:
    # Operations of one result were taken for it.
    return operand if isinstance(operand, ir.Value) else operand.result


def _untyped(target: str) -> list[Entry]:
    return [entry for entry in _registry.registry.entries(target) if entry.abi != "typed_ffi"]


def served(target: str, api_version: int) -> list[Entry]:
    """The functions of that name, of all platforms, which XLA has from now on.

    `api_version` is that of a call, which says what is not known of them.
    """
    entries = _untyped(target)
    if entries:
        return [_serve(entry, api_version) for entry in entries]
    return _untyped_of_xla.entries(target, UNTYPED[api_version])


def _serve(entry: Entry, api_version: int) -> Entry:
    is_declared = entry.platform == HOST or entry.is_beside_handler
    abi = UNTYPED[api_version] if is_declared else None
    return _registry.registry.find(entry.target.name, entry.platform, abi)


# ---- Programs that are read back -----------------------------------------------------------------

# Only a call says which version an untyped function has, so XLA is given the function when a
# program lowers its first call. A program that is read back is not lowered. So the calls that this
# package builds say their versions in a frontend attribute, which stays in a program wherever it
# goes.


def marked(target: str, api_version: int) -> ir.Attribute:
    """Returns the frontend attributes of a call of that version.

    Args:
      target: by which name XLA has it.
      api_version: 1 to 3, which the program says it is of.
    """
    return ir.DictAttr.get({MARK: ir.StringAttr.get(marking(target, api_version))})


def merged_frontend_attributes(
    attributes: dict[str, ir.Attribute], others: Mapping[str, ir.Attribute]
) -> dict[str, ir.Attribute]:
    """Returns an operation's `attributes`, whose frontend attributes include those of `others`, if
    both have some; what both name is as in `others`."""
    both = [
        each[FRONTEND_ATTRIBUTES] for each in (attributes, others) if FRONTEND_ATTRIBUTES in each
    ]
    if len(both) < 2:
        return attributes
    merged = {entry.name: entry.attr for each in both for entry in ir.DictAttr(each)}
    return {**attributes, FRONTEND_ATTRIBUTES: ir.DictAttr.get(merged)}


def marking(target: str, api_version: int) -> str:
    return f"{target} as version {api_version}"


def _serve_program(program: bytes | bytearray) -> None:
    """Gives XLA what the program calls of the functions that this process registered."""
    if MARK.encode() not in program:
        return
    for api_version, abi in UNTYPED.items():
        for name in sorted(_registration.names):
            if marking(name, api_version).encode() in program:
                served(name, api_version)
        for name in _untyped_of_xla.names():
            for is_beside in (False, True):
                target = _untyped_of_xla.name_beside(name) if is_beside else name
                if marking(target, api_version).encode() in program:
                    _untyped_of_xla.entries(name, abi, is_beside)


def serving(original: Callable) -> Callable:
    """Wraps a function that reads back the program that its first argument holds."""

    @functools.wraps(original)
    def wrapper(program: Any, *args: Any, **keywords: Any) -> Any:
        if isinstance(program, (bytes, bytearray)):
            _serve_program(program)
        return original(program, *args, **keywords)

    return wrapper
