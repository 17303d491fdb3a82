"""Element types, and shape trees: an array, or a plain tuple of shape trees, as XLA nests them.

An element type has XLA's number and name, and NumPy's dtype. The arrays of a tree are its leaves,
listed in preorder. A leaf is anything with `shape` and `dtype`: an array, a NumPy scalar, a
jax.ShapeDtypeStruct.
"""

import dataclasses
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from callbridge._core import _c_api
from callbridge._core._error import CallbridgeError

# ---- Element types ------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class ElementType:
    number: int  # xla.PrimitiveType
    name: str  # in shape texts
    dtype_name: str  # numpy.dtype.name, also of the dtypes of ml_dtypes
    bits: int

    @property
    def dtype(self) -> np.dtype:
        """Raises UNIMPLEMENTED if it is one of ml_dtypes, and that is missing or too old."""
        try:
            return np.dtype(self.dtype_name)
        except TypeError:
            pass
        try:
            import ml_dtypes

            return np.dtype(getattr(ml_dtypes, self.dtype_name))
        except (ImportError, AttributeError) as error:
            raise CallbridgeError(
                "UNIMPLEMENTED",
                f"{self.name} is ml_dtypes.{self.dtype_name} in NumPy, which is "
                "not there; install the newest ml_dtypes",
            ) from error


_TYPES = [
    ElementType(1, "pred", "bool", 8),
    ElementType(2, "s8", "int8", 8),
    ElementType(3, "s16", "int16", 16),
    ElementType(4, "s32", "int32", 32),
    ElementType(5, "s64", "int64", 64),
    ElementType(6, "u8", "uint8", 8),
    ElementType(7, "u16", "uint16", 16),
    ElementType(8, "u32", "uint32", 32),
    ElementType(9, "u64", "uint64", 64),
    ElementType(10, "f16", "float16", 16),
    ElementType(11, "f32", "float32", 32),
    ElementType(12, "f64", "float64", 64),
    ElementType(15, "c64", "complex64", 64),
    ElementType(16, "bf16", "bfloat16", 16),
    ElementType(18, "c128", "complex128", 128),
    ElementType(19, "f8e5m2", "float8_e5m2", 8),
    ElementType(20, "f8e4m3fn", "float8_e4m3fn", 8),
    ElementType(21, "s4", "int4", 4),
    ElementType(22, "u4", "uint4", 4),
    ElementType(23, "f8e4m3b11fnuz", "float8_e4m3b11fnuz", 8),
    ElementType(24, "f8e5m2fnuz", "float8_e5m2fnuz", 8),
    ElementType(25, "f8e4m3fnuz", "float8_e4m3fnuz", 8),
    ElementType(26, "s2", "int2", 2),
    ElementType(27, "u2", "uint2", 2),
    ElementType(28, "f8e4m3", "float8_e4m3", 8),
    ElementType(29, "f8e3m4", "float8_e3m4", 8),
    ElementType(30, "s1", "int1", 1),
    ElementType(31, "u1", "uint1", 1),
    ElementType(32, "f4e2m1fn", "float4_e2m1fn", 4),
    ElementType(33, "f8e8m0fnu", "float8_e8m0fnu", 8),
]
TUPLE = 13
# What is no array, in a shape tree that callbridge makes: it stands where a dtype does.
TOKEN = ElementType(17, "token", "token", 8)
BY_NUMBER = {element.number: element for element in _TYPES}
_BY_DTYPE_NAME = {element.dtype_name: element for element in _TYPES}
# Caches element_type(): NumPy takes several microseconds for a dtype's name.
_FOUND: dict[np.dtype | ElementType, ElementType] = {TOKEN: TOKEN}
# The numbers of native dtypes that callbridge.numpy has seen as operands.
NUMBERS: dict[np.dtype, int] = {}


def element_type(dtype, what: str = "the array") -> ElementType:
    """Returns the type of a dtype in any byte order. Raises INVALID_ARGUMENT if there is none."""
    found = _FOUND.get(dtype)
    if found is not None:
        return found
    name = getattr(dtype, "name", dtype)
    element = _BY_DTYPE_NAME.get(name)
    if element is None:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} is of dtype {name}, which is not an element "
            "type of XLA's; convert it with astype()",
        )
    if isinstance(dtype, np.dtype):
        _FOUND[dtype] = element
    return element


# ---- Trees of Python values ---------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class ShapeDtype:
    """The form of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype


# Values that JAX would flatten into leaves too, or drop, without telling the target.
_INSTEAD: list[tuple[Any, str, str]] = [
    (list, "a list", "a plain tuple for a tuple, numpy.asarray(...) for an array"),
    (type(None), "None", "() for an empty tuple"),
    (dict, "a dict", "a plain tuple of its values, in the order that the target expects"),
    (tuple, "a named tuple", "a plain tuple, as tuple(...) makes it"),
    (
        (bool, int, float, complex),
        "a Python number",
        "a NumPy scalar such as numpy.float32(1), so that its type is plain",
    ),
]


def leaves(tree: Any, what: str) -> list:
    """Returns the leaves of `tree`. Raises TypeError if it is not a tree."""
    if type(tree) is tuple:
        return [x for i, element in enumerate(tree) for x in leaves(element, f"{what}[{i}]")]
    _check_leaf(tree, what)
    return [tree]


def map_leaves(function: Callable[[Any, str], Any], tree: Any, what: str) -> Any:
    """Returns `tree` with each leaf replaced by function(leaf, its name in errors).

    Raises TypeError, which begins with `what`, if it is not a tree.
    """
    if type(tree) is tuple:
        return tuple(
            [map_leaves(function, element, f"{what}[{i}]") for i, element in enumerate(tree)]
        )
    _check_leaf(tree, what)
    return function(tree, what)


def _check_leaf(leaf: Any, what: str) -> None:
    if type(leaf) is np.ndarray:
        return
    if isinstance(leaf, np.ma.MaskedArray):
        raise TypeError(
            f"{what} is a masked array, whose mask targets do not get; pass its filled(...), and "
            "numpy.ma.getmaskarray(...) of it too if the target takes a mask"
        )
    if not isinstance(leaf, type) and hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return
    for refused, name, instead in _INSTEAD:
        if isinstance(leaf, refused):
            raise TypeError(f"{what} is {name}; pass {instead}")
    # JAX's, by name, since this module does without JAX.
    if type(getattr(leaf, "aval", leaf)).__name__ in ("AbstractToken", "Token"):
        raise TypeError(f"{what} is a token of JAX, which has no data for a target; leave it out")
    raise TypeError(
        f"{what}: expected an array or a plain tuple of arrays, got {type(leaf).__name__}"
    )


def leaf_names(tree: Any, what: str = "operands") -> Iterator[str]:
    """The name of each leaf in errors, such as "operands[0][1]"."""
    if type(tree) is not tuple:
        yield what
        return
    for i, part in enumerate(tree):
        yield from leaf_names(part, f"{what}[{i}]")


def leaf_count(tree: Any) -> int:
    return sum(map(leaf_count, tree)) if type(tree) is tuple else 1


def rebuild(tree: Any, values: Iterator) -> Any:
    """Returns `tree` with its leaves replaced by the next ones of `values`."""
    if type(tree) is tuple:
        return tuple([rebuild(element, values) for element in tree])
    return next(values)


# ---- The text form ------------------------------------------------------------------------------


def array_text(leaf: Any, what: str) -> str:
    """Such as "f32[8,4]"; sub-byte types with the layout that packs them, "s4[8,4]{1,0:E(4)}"."""
    element = element_type(leaf.dtype, what)
    dimensions = ",".join(map(str, leaf.shape))
    layout = ""
    if element.bits < 8:
        minor_to_major = ",".join(map(str, reversed(range(len(leaf.shape)))))
        layout = f"{{{minor_to_major}:E({element.bits})}}"
    return f"{element.name}[{dimensions}]{layout}"


def type_text(leaf: Any, what: str) -> str:
    """That of an array of rank 0, for where dimensions do not matter or are not known yet."""
    return array_text(ShapeDtype((), leaf.dtype), what)


def tree_text(tree: Any, leaf_text: Callable[[Any, str], str], what: str) -> str:
    if type(tree) is tuple:
        texts = [tree_text(element, leaf_text, f"{what}[{i}]") for i, element in enumerate(tree)]
        return f"({','.join(texts)})"
    return leaf_text(tree, what)


def parse_result(result: Any) -> Any:
    """Returns the tree of a shape text, or `result` itself, which may be no tree."""
    if not isinstance(result, str):
        return result
    return parse_text(result, lambda shape, element: ShapeDtype(shape, element.dtype))


def parse_text(result: str, make_leaf: Callable[[tuple[int, ...], ElementType], Any]) -> Any:
    """Returns the tree of a result's shape text."""
    if "{" in result:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"result {result!r} has a layout; leave it out: arrays are row-major here",
        )
    nodes = []
    failures = []  # ctypes drops what a callback raises, KeyboardInterrupt included

    def visit(_user, number, dimensions, count, _size_bytes):
        try:
            nodes.append((number, count if number == TUPLE else dimensions[:count]))
        except BaseException as failure:
            failures.append(failure)

    _c_api.shape_visit(_c_api.text(result, "result"), _c_api.ShapeVisitor(visit), None)
    if failures:
        raise failures[0]
    return _build(iter(nodes), make_leaf)


def parse_fixed_result(result: Any) -> Any:
    """Returns a copy whose leaves are forms, which later changes do not affect.

    Raises TypeError if the shape of a leaf is not a tuple of sizes.
    """
    return map_leaves(
        lambda leaf, what: ShapeDtype(_sizes(leaf.shape, what), leaf.dtype),
        parse_result(result),
        "result",
    )


def _sizes(shape: Any, what: str) -> tuple[int, ...]:
    if isinstance(shape, (tuple, list)):
        try:
            return tuple([int(operator.index(size)) for size in shape])
        except TypeError:
            pass
    raise TypeError(f"{what} has the shape {shape!r}: expected a tuple of sizes")


def _build(nodes: Iterator, make_leaf: Callable[[tuple, Any], Any]) -> Any:
    number, form = next(nodes)
    if number == TUPLE:
        return tuple(_build(nodes, make_leaf) for _ in range(form))
    element = BY_NUMBER.get(number)
    if element is None:
        raise CallbridgeError(
            "INVALID_ARGUMENT", "result has a token, which has no value in Python; leave it out"
        )
    return make_leaf(tuple(form), element)
