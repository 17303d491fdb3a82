"""The class of the functions that custom_call() returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

from callbridge._core._target import Immutable
from callbridge.typing import Operand

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
