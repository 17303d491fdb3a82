"""The types of callbridge's parameters and results, for annotations and type checkers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, TypeVar, Union

import numpy as np

if TYPE_CHECKING:
    from ctypes import _CFuncPtr  # type: ignore[attr-defined]

    import jax  # noqa: F401
    from typing_extensions import CapsuleType  # noqa: F401

# ---- Names --------------------------------------------------------------------------------------

Abi = Literal["original", "status_returning", "status_returning_unified", "typed_ffi"]
# In XLA's and in JAX's spelling. They are compared without case.
Platform = Literal["Host", "cpu", "CUDA", "cuda", "gpu", "ROCM", "rocm"]
TupleLayout = Literal["nested", "flat"]
# A way through XLA.
Path = Literal["version_3", "typed"]
# A stage of a typed handler.
Stage = Literal["instantiate", "prepare", "initialize", "execute", "record"]
# The methods of jax.ffi.ffi_call.
VmapMethod = Literal["sequential", "sequential_unrolled", "expand_dims", "broadcast_all"]

# ---- Shapes and arrays --------------------------------------------------------------------------


class DuckTypedArray(Protocol):
    """An array, a NumPy scalar, a jax.ShapeDtypeStruct, or what else has a shape and a dtype."""

    @property
    def shape(self) -> Sequence[Any]:
        """Integers; in jax.export dimensions may be symbols."""

    @property
    def dtype(self) -> Any:
        """NumPy's, ml_dtypes', or another library's with a `name`."""


# For results whose shapes the target infers.
Dtype = Union[np.dtype[Any], type]
DtypeTree = Union[Dtype, tuple[Dtype, ...]]
# An array, or a tuple of trees.
ShapeTree = Union[DuckTypedArray, tuple["ShapeTree", ...]]
Operand = ShapeTree

_Array = TypeVar("_Array")
Tree = Union[_Array, tuple["Tree[_Array]", ...]]
NumpyArray = np.ndarray[Any, np.dtype[Any]]
NumpyTree = Tree[NumpyArray]
JaxTree = Tree["jax.Array"]

# ---- Functions, attributes and layouts ----------------------------------------------------------

# A ctypes function, or a capsule named "xla._CUSTOM_CALL_TARGET".
Function = Union["_CFuncPtr", "CapsuleType"]
# The same, or its address.
Handler = Union[Function, int]
Handlers = Union[Handler, dict[Stage, Handler]]
# A capsule of a pointer, or the pointer's address.
Pointer = Union["CapsuleType", int]

Attribute = Union[bool, int, float, str, bytes, np.generic, NumpyArray, "Mapping[str, Attribute]"]
Attributes = Mapping[str, Attribute]

# What MindSpore's CustomRegOp(...).get_op_info() returns, or its JSON text.
OperatorInfo = Union[str, Mapping[str, Any]]

Bytes = Union[bytes, bytearray, memoryview]


class MajorToMinor(Protocol):
    """A layout as jax.experimental.layout has it."""

    @property
    def major_to_minor(self) -> Sequence[int]:
        """Dimensions, from the major to the minor one."""


# Dimensions, from the major to the minor one; None is row-major.
Layout = Union[Sequence[int], MajorToMinor, None]

# ---- Options of several functions ---------------------------------------------------------------


class _Options(TypedDict, total=False):
    abi: Abi | None
    opaque: Bytes
    attributes: Attributes | None
    tuple_layout: TupleLayout
    operator_info: OperatorInfo | None


class RunOptions(_Options, total=False):
    """Those of callbridge.library.Library.run()."""

    platform: Platform


class CallOptions(_Options, total=False):
    """Those that callbridge.numpy's, .torch's and .jax's custom_call() have.

    Attributes:
      abi: The target's ABI, if Target.abi is None and register() had none.
      opaque: Any bytes, for untyped targets that take them.
      attributes: For typed handlers, by name: a bool, int (int64 to the handler), float (double),
        str or bytes; a NumPy scalar, of its own type; a NumPy array; or a dict of these, a
        dictionary. They are copied.
      tuple_layout: How untyped targets expect tuple operands: "nested", nested tables as XLA
        documents them, or "flat", for targets written against jaxlib >= 0.4.38.
      operator_info: What the target's author declares of its calls, of any ABI: the dict that
        MindSpore's CustomRegOp(...).get_op_info() returns, or its JSON text. Attributes that have a
        default may be left out.
    """

    platform: Platform | None
    input_output_aliases: Mapping[int, int] | None


class NumpyCallOptions(CallOptions, total=False):
    """Those of callbridge.numpy.custom_call()."""

    device: int | None
    sync: bool


class TorchCallOptions(CallOptions, total=False):
    """Those of callbridge.torch.custom_call()."""

    has_side_effect: bool
    vmap_method: VmapMethod | Callable[..., Any] | None
    mutated_operands: Iterable[int]
    backward: Callable[..., Any] | None
    setup_context: Callable[..., Any] | None


class JaxCallOptions(CallOptions, total=False):
    """Those of callbridge.jax.custom_call()."""

    prefer: Path | None
    has_side_effect: bool
    vmap_method: VmapMethod | None
    input_layouts: Sequence[Layout] | None
    output_layouts: Layout | Sequence[Layout]
    command_buffer_compatible: bool
    batch_dims: int | None
    partitioning: Mapping[str, Any] | None
    scratch_bytes: int | None
