"""What a user declares of how a call is split between devices: checked, and made a call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from callbridge._error import CallbridgeError

if TYPE_CHECKING:
    from callbridge._jax_partitioned_call import Rules


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
        operands: Sequence[Any],
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
    ) -> Callable[..., Sequence[Any]]:
        """Returns what is called with the operands, as jax.ffi.ffi_call() with its attributes.

        Raises UNIMPLEMENTED as partitioned_call() does.
        """
        from callbridge._jax_partitioned_call import Call, partitioned_call

        return partitioned_call(
            Call(
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
            ),
            operands,
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

    from callbridge._jax_partitioned_call import Rules

    try:
        inspect.signature(custom_partitioning.def_partition).bind(None, **partitioning)
    except TypeError as error:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            "partitioning: expected arguments of custom_partitioning.def_partition() of jax "
            f"{jax.__version__}: {error}",
        ) from None
    return Rules(partitioning)
