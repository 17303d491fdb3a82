"""What xla_client had beside its builders.

Dimension numbers, paddings and replica groups are arguments of xla_client.ops, in the form of XLA's
messages; others are functions on clients.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import gzip
import importlib
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from callbridge._core import _shapes
from callbridge._core._error import CallbridgeError

# XLA's version of its MLIR interface, of the last JAX that told it.
mlir_api_version = 58


def _message(name: str, what: str, **fields: Any) -> Any:
    """A class of that name, with these fields; their values are those that a new one has."""

    def __init__(self: Any) -> None:
        for field, value in fields.items():
            setattr(self, field, list(value) if isinstance(value, tuple) else value)

    return type(name, (), {"__doc__": what, "__slots__": tuple(fields), "__init__": __init__})


class ResultAccuracy_Mode(enum.Enum):  # noqa: N801, jaxlib's name
    DEFAULT = 0
    HIGHEST = 1


ResultAccuracy = _message(
    "ResultAccuracy",
    "How accurate a mathematical function's results must be.",
    mode=ResultAccuracy_Mode.DEFAULT,
    atol=0.0,
    rtol=0.0,
    ulps=0,
)


class OpMetadata:
    """Where an operation comes from. Builders here take it from where JAX lowers to."""

    __slots__ = ("op_name", "op_type", "source_file", "source_line")

    def __init__(
        self, op_type: str = "", op_name: str = "", source_file: str = "", source_line: int = 0
    ):
        self.op_type = op_type
        self.op_name = op_name
        self.source_file = source_file
        self.source_line = source_line


def CurrentSourceInfoMetadata(
    op_type: str | None = None, op_name: str | None = None, skip_frames: int = 1
) -> OpMetadata:
    """The line of the caller, or of a caller before it."""
    frame = inspect.stack()[skip_frames]
    return OpMetadata(op_type, op_name, os.path.basename(frame.filename), frame.lineno)  # type: ignore[arg-type]


PaddingConfigDimension = _message(
    "PaddingConfigDimension",
    "How one dimension is padded.",
    edge_padding_low=0,
    edge_padding_high=0,
    interior_padding=0,
)
PaddingConfig = _message("PaddingConfig", "How an array is padded.", dimensions=())
DotDimensionNumbers = _message(
    "DotDimensionNumbers",
    "Which dimensions DotGeneral sums over, and which it keeps.",
    lhs_contracting_dimensions=(),
    rhs_contracting_dimensions=(),
    lhs_batch_dimensions=(),
    rhs_batch_dimensions=(),
)
ConvolutionDimensionNumbers = _message(
    "ConvolutionDimensionNumbers",
    "What the dimensions of a convolution's operands are.",
    input_batch_dimension=0,
    input_feature_dimension=0,
    input_spatial_dimensions=(),
    kernel_input_feature_dimension=0,
    kernel_output_feature_dimension=0,
    kernel_spatial_dimensions=(),
    output_batch_dimension=0,
    output_feature_dimension=0,
    output_spatial_dimensions=(),
)
GatherDimensionNumbers = _message(
    "GatherDimensionNumbers",
    "What the dimensions of Gather's operands are.",
    offset_dims=(),
    collapsed_slice_dims=(),
    start_index_map=(),
    index_vector_dim=0,
)
ScatterDimensionNumbers = _message(
    "ScatterDimensionNumbers",
    "What the dimensions of Scatter's operands are.",
    update_window_dims=(),
    inserted_window_dims=(),
    scatter_dims_to_operand_dims=(),
    index_vector_dim=0,
)
ReplicaGroup = _message("ReplicaGroup", "The replicas of a collective.", replica_ids=())


class PrecisionConfig_Precision(enum.Enum):
    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


PrecisionConfig: Any = _message(
    "PrecisionConfig", "The precision of each operand.", operand_precision=()
)
PrecisionConfig.Precision = PrecisionConfig_Precision


class ShapeIndex:
    """The place of an array in a tuple of tuples."""

    __slots__ = ("_index",)

    def __init__(self, index: Sequence[int]):
        self._index = tuple(index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeIndex) and self._index == other._index

    def __hash__(self) -> int:
        return hash(self._index)

    def __repr__(self) -> str:
        return f"{{{','.join(map(str, self._index))}}}"


class PaddingType(enum.Enum):
    VALID = 1
    SAME = 2


def make_padding_config(padding_config: Any) -> Any:
    """Of (low, high, interior) for each dimension."""
    if isinstance(padding_config, PaddingConfig):
        return padding_config
    made = PaddingConfig()
    for low, high, interior in padding_config:
        dimension = PaddingConfigDimension()
        dimension.edge_padding_low = low
        dimension.edge_padding_high = high
        dimension.interior_padding = interior
        made.dimensions.append(dimension)
    return made


def make_dot_dimension_numbers(dimension_numbers: Any) -> Any:
    """Of ((lhs contracting, rhs contracting), (lhs batch, rhs batch))."""
    if not isinstance(dimension_numbers, (list, tuple)):
        return dimension_numbers
    (lhs, rhs), (lhs_batch, rhs_batch) = dimension_numbers
    made = DotDimensionNumbers()
    made.lhs_contracting_dimensions += lhs
    made.rhs_contracting_dimensions += rhs
    made.lhs_batch_dimensions += lhs_batch
    made.rhs_batch_dimensions += rhs_batch
    return made


def make_convolution_dimension_numbers(dimension_numbers: Any, num_spatial_dimensions: int) -> Any:
    """Of the letters of the operands' and the result's dimensions: ("NHWC", "HWIO", "NHWC"); of
    None: batch and features first, and the spatial dimensions after them."""
    if isinstance(dimension_numbers, ConvolutionDimensionNumbers):
        return dimension_numbers
    spatial = "".join(chr(ord("0") + i) for i in range(num_spatial_dimensions))
    given = dimension_numbers or (f"NC{spatial}", f"OI{spatial}", f"NC{spatial}")
    lhs, rhs, out = given
    order = [letter for letter in rhs if letter not in "OI"]
    made = ConvolutionDimensionNumbers()
    made.input_batch_dimension = lhs.index("N")
    made.input_feature_dimension = lhs.index("C")
    made.kernel_output_feature_dimension = rhs.index("O")
    made.kernel_input_feature_dimension = rhs.index("I")
    made.output_batch_dimension = out.index("N")
    made.output_feature_dimension = out.index("C")
    made.input_spatial_dimensions += [lhs.index(letter) for letter in order]
    made.kernel_spatial_dimensions += [rhs.index(letter) for letter in order]
    made.output_spatial_dimensions += [out.index(letter) for letter in order]
    return made


def make_replica_groups(replica_groups: Any) -> list:
    """Of lists of replicas; None is all of them in one group, which XLA takes as no group."""
    made = []
    for replicas in replica_groups or []:
        group = ReplicaGroup()
        group.replica_ids += replicas
        made.append(group)
    return made


def window_padding_type_to_pad_values(
    padding_type: Any,
    lhs_dims: Sequence[int],
    rhs_dims: Sequence[int],
    window_strides: Sequence[int],
) -> list[tuple[int, int]]:
    """The padding before and after each spatial dimension, of "VALID" or "SAME"."""
    name = padding_type.name if isinstance(padding_type, enum.Enum) else padding_type
    if not isinstance(name, str):
        raise TypeError(f"padding_type: expected a str or PaddingType, got {type(name)}")
    if name.upper() == "VALID":
        return [(0, 0)] * len(window_strides)
    if name.upper() != "SAME":
        raise ValueError(f'padding_type: expected "VALID" or "SAME", got {name!r}')
    pads = []
    for size, window, stride in zip(lhs_dims, rhs_dims, window_strides):
        total = max((-(-size // stride) - 1) * stride + window - size, 0)
        pads.append((total // 2, total - total // 2))
    return pads


# ---- Element types -------------------------------------------------------------------------------


@functools.cache
def _element_types_of_numpy() -> dict:
    from callbridge.resurrect._lowering._xla_shapes import dtype_to_etype

    found = {}
    for element in _shapes.BY_NUMBER.values():
        try:
            found[dtype_to_etype(element.dtype)] = np.dtype(element.dtype)
        except (CallbridgeError, TypeError, RuntimeError, ValueError):
            continue  # NumPy's or this jaxlib's that the other has not
    return found


def __getattr__(name: str) -> Any:
    if name == "ifrt_proxy":  # an extension module of its own, in the newer jaxlibs
        return importlib.import_module("jaxlib._ifrt_proxy")
    if name == "XLA_ELEMENT_TYPE_TO_DTYPE":
        return _element_types_of_numpy()
    if name == "DTYPE_TO_XLA_ELEMENT_TYPE":
        return {str(dtype): etype for etype, dtype in _element_types_of_numpy().items()}
    if name == "profiler":
        return importlib.import_module("jaxlib._profiler")
    raise AttributeError(name)


# ---- Clients and executables ---------------------------------------------------------------------


def heap_profile(client: Any) -> bytes:
    """A profile of the client's memory, gzipped, for pprof."""
    return gzip.compress(client.heap_profile())


@contextlib.contextmanager
def tracebacks(enabled: bool = True) -> Iterator[None]:
    """Whether jaxlib notes where arrays and operations are made."""
    from jaxlib.xla_client import Traceback

    set_enabled: Callable = getattr(
        Traceback, "set_enabled", lambda value: setattr(Traceback, "enabled", value)
    )
    saved = getattr(Traceback, "enabled", True)
    set_enabled(enabled)
    try:
        yield
    finally:
        set_enabled(bool(saved) if not callable(saved) else True)


def execute_with_python_values(executable: Any, arguments: Sequence[Any], backend: Any) -> list:
    """The results, as NumPy arrays, of a program on one device."""
    device = executable.local_devices()[0]
    operands = [_put(backend, argument, device) for argument in arguments]
    return [np.asarray(result) for result in executable.execute(operands)]


def execute_with_python_values_replicated(
    executable: Any, arguments: Sequence[Sequence[Any]], backend: Any
) -> list:
    """The results of each replica, which the arguments are listed by."""
    devices = executable.local_devices()
    operands = [
        [_put(backend, value, device) for value, device in zip(values, devices)]
        for values in zip(*arguments)
    ]
    if hasattr(executable, "execute_sharded_on_local_devices"):
        results = executable.execute_sharded_on_local_devices(operands)
    else:
        made = executable.execute_sharded([_sharded(values, devices) for values in operands])
        results = made.disassemble_into_single_device_arrays()
    return [[np.asarray(value) for value in values] for values in zip(*results)]


def _sharded(values: Sequence[Any], devices: Sequence[Any]) -> Any:
    """One array of those of all devices, along its first axis where there are several."""
    import jax

    if len(values) == 1:
        return values[0]
    mesh = jax.sharding.Mesh(np.array(devices), ("i",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("i"))
    shape = (sum(value.shape[0] for value in values), *values[0].shape[1:])
    return jax.make_array_from_single_device_arrays(shape, sharding, list(values))


def _put(backend: Any, value: Any, device: Any) -> Any:
    if hasattr(backend, "buffer_from_pyval"):
        return backend.buffer_from_pyval(value, device)
    import jax

    return jax.device_put(value, device)
