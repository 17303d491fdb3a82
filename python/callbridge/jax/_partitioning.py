"""What a user declares of how a call is split between devices: checked, and made a call."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from callbridge._core._error import CallbridgeError
from callbridge.jax._runtimes import RUNTIME, jax_function


class Rules:
    """The arguments of custom_partitioning.def_partition(). Compared by identity."""

    def __init__(self, arguments: Mapping[str, Any]):
        self.arguments = dict(arguments)


@dataclasses.dataclass(frozen=True)
class Call:
    """The arguments of jax.ffi.ffi_call, hashable, and how the call is split."""

    target_name: str
    results: tuple[jax.ShapeDtypeStruct, ...]
    has_side_effect: bool
    vmap_method: str | None
    input_layouts: tuple | None
    output_layouts: tuple | None
    aliases: tuple[tuple[int, int], ...]
    api_version: int
    config: Any
    attributes: tuple[tuple[str, Any], ...]
    # One of the two.
    batch_dims: int | None
    rules: Rules | None
    # The result is not a tuple.
    is_alone: bool

    def whole(self) -> Callable[..., Sequence[Any]]:
        """Returns the call as XLA does not split it, a function of the operands."""
        call = jax_function(RUNTIME.ffi_call)(
            self.target_name,
            self.results,
            has_side_effect=self.has_side_effect,
            vmap_method=self.vmap_method,
            input_layouts=self.input_layouts,
            output_layouts=self.output_layouts,
            input_output_aliases=dict(self.aliases),
            custom_call_api_version=self.api_version,
            legacy_backend_config=self.config,
        )
        return lambda *operands: tuple(call(*operands, **dict(self.attributes)))

    def of_results(self, shapes: Sequence[tuple]) -> Call:
        """Returns the same call, whose results have these shapes."""
        results = tuple(
            jax.ShapeDtypeStruct(shape, result.dtype) for shape, result in zip(shapes, self.results)
        )
        return dataclasses.replace(self, results=results)

    def batched(self, size: Any, is_batched: Sequence[bool]) -> Call:
        """Returns one call with a batch dimension in front, which these operands have."""
        call = self.of_results([(size, *result.shape) for result in self.results])
        layouts = self.input_layouts
        if layouts is not None:
            layouts = tuple(
                _batched_layout(layout) if batched else layout
                for layout, batched in zip(layouts, is_batched)
            )
        results = self.output_layouts
        return dataclasses.replace(
            call,
            batch_dims=None if self.batch_dims is None else self.batch_dims + 1,
            input_layouts=layouts,
            output_layouts=None if results is None else tuple(map(_batched_layout, results)),
        )


def _batched_layout(layout: tuple[int, ...] | None) -> tuple[int, ...] | None:
    return None if layout is None else (0, *(dimension + 1 for dimension in layout))


class Partitioning:
    """The options batch_dims and partitioning of callbridge.jax.custom_call()."""

    def __init__(self, batch_dims: int | None, partitioning: Mapping[str, Any] | None):
        """Raises INVALID_ARGUMENT or TypeError for what they cannot be."""
        self._batch_dims = _checked_batch_dims(batch_dims)
        self._rules = _checked_rules(partitioning)
        if batch_dims is not None and partitioning is not None:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                "batch_dims and partitioning both say how the call is split; leave one out",
            )

    def __bool__(self) -> bool:
        return bool(self._batch_dims) or self._rules is not None

    def check(self, operands: Sequence[Any], results: Sequence[Any]) -> None:
        """Raises INVALID_ARGUMENT if the arrays do not have the same batch dimensions."""
        count = self._batch_dims or 0
        if count and not operands and not results:
            raise CallbridgeError(
                "INVALID_ARGUMENT", f"batch_dims={count}: there is no array that has them"
            )
        first = None
        for arrays, what in ((operands, "operand"), (results, "result")):
            for i, array in enumerate(arrays):
                batch = tuple(array.shape[:count])
                if len(batch) < count:
                    raise CallbridgeError(
                        "INVALID_ARGUMENT",
                        f"batch_dims={count}: {what} {i} has the shape {tuple(array.shape)}, "
                        f"expected {count} batch dimensions or more; give it those of the others",
                    )
                if first is None:
                    first = batch, f"{what} {i}"
                if batch != first[0]:
                    raise CallbridgeError(
                        "INVALID_ARGUMENT",
                        f"batch_dims={count}: {what} {i} has the batch dimensions {batch}, "
                        f"{first[1]} {first[0]}; expected the same in all operands and results",
                    )

    def call(
        self,
        target_name: str,
        results: Sequence[Any],
        attributes: Mapping[str, Any],
        *,
        is_alone: bool,
        has_side_effect: bool,
        vmap_method: str | None,
        input_layouts: Sequence[Any] | None,
        output_layouts: Sequence[Any] | None,
        input_output_aliases: Mapping[int, int],
        custom_call_api_version: int,
        legacy_backend_config: Any,
    ) -> Call:
        """Returns the call, for partitioned_call(). The arguments are jax.ffi.ffi_call()'s."""
        return Call(
            target_name=target_name,
            results=tuple(_shape_of(result) for result in results),
            has_side_effect=has_side_effect,
            vmap_method=vmap_method,
            input_layouts=None if input_layouts is None else tuple(input_layouts),
            output_layouts=None if output_layouts is None else tuple(output_layouts),
            aliases=tuple(sorted(input_output_aliases.items())),
            api_version=custom_call_api_version,
            config=legacy_backend_config,
            attributes=tuple(sorted(attributes.items())),
            batch_dims=self._batch_dims or None,
            rules=self._rules,
            is_alone=is_alone,
        )


def _shape_of(result: Any) -> jax.ShapeDtypeStruct:
    if isinstance(result, jax.ShapeDtypeStruct):
        return result
    return jax.ShapeDtypeStruct(tuple(result.shape), np.dtype(result.dtype))


def _checked_batch_dims(batch_dims: Any) -> int | None:
    if batch_dims is None:
        return None
    if isinstance(batch_dims, bool) or not isinstance(batch_dims, (int, np.integer)):
        raise TypeError(f"batch_dims: expected an int, got {type(batch_dims).__name__}")
    if batch_dims < 0:
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"batch_dims: expected 0 dimensions or more, got {batch_dims}"
        )
    return int(batch_dims)


def _checked_rules(partitioning: Any) -> Rules | None:
    if partitioning is None:
        return None
    if not isinstance(partitioning, Mapping):
        raise TypeError(
            "partitioning: expected a dict of arguments of custom_partitioning.def_partition(), "
            f"got {type(partitioning).__name__}"
        )
    from jax.experimental.custom_partitioning import custom_partitioning

    try:
        inspect.signature(custom_partitioning.def_partition).bind(None, **partitioning)
    except TypeError as error:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            "partitioning: expected arguments of custom_partitioning.def_partition() of jax "
            f"{jax.__version__}: {error}",
        ) from None
    return Rules(partitioning)
