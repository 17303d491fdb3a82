"""HLO modules that callbridge.torch runs in the embedded runtime."""

from __future__ import annotations

import ctypes
import hashlib
import os
import pathlib
import re
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from callbridge._core import _c_api, _shapes
from callbridge._core._error import CallbridgeError
from callbridge.library import Library
from callbridge.torch import _forms
from callbridge.torch._forms import TensorForm

_LAYOUT = re.compile(r"\[([^]]*)\]\{([^}]*)\}")


class Program:
    """A module that is compiled for the embedded runtime; it is kept until the process ends.

    Attributes:
      parameters: the forms of the operands: a tuple of trees.
      result: likewise of the result.
      digest: of the module and of the libraries that it calls.
    """

    def __init__(self, content: bytes, libraries: tuple[Library, ...], threads: int):
        """Raises the errors of callbridge_module_read and callbridge_program_compile."""
        c_module = _c_module()
        module, self._program = ctypes.c_void_p(), ctypes.c_void_p()
        handles = (ctypes.c_void_p * len(libraries))(*[library._handle for library in libraries])
        c_module.module_read(content, len(content), ctypes.byref(module))
        try:
            c_module.program_compile(
                module, handles, len(handles), threads, ctypes.byref(self._program)
            )
        finally:
            c_module.module_destroy(module)
        self._execute = c_module.program_execute
        self.parameters = tuple(
            [
                _parse(c_module.program_parameter(self._program, i), f"parameter {i}")
                for i in range(c_module.program_parameter_count(self._program))
            ]
        )
        self.result = _parse(c_module.program_result(self._program), "the result")
        digests = [
            hashlib.sha256(content).hexdigest(),
            *[library._contents.digest for library in libraries],
        ]
        self.digest = " ".join(map(str, digests))
        self._operand_forms = _shapes.leaves(self.parameters, "parameters")
        self.result_forms = _shapes.leaves(self.result, "result")

    def check(self, tensors: tuple[torch.Tensor, ...]) -> None:
        """Raises INVALID_ARGUMENT unless the tensors have the forms of the parameters."""
        names = _shapes.leaf_names(self.parameters)
        for tensor, form, what in zip(tensors, self._operand_forms, names):
            found = TensorForm(tuple(tensor.shape), tensor.dtype)
            if found != form:
                raise CallbridgeError(
                    "INVALID_ARGUMENT",
                    f"{what} is {found.dtype} {list(found.shape)}, but that parameter of the HLO "
                    f"module is {form.dtype} {list(form.shape)}",
                )

    def check_nesting(self, operand_tree: tuple) -> None:
        """Raises INVALID_ARGUMENT unless operands are nested as the parameters."""
        expected = _forms.skeleton(self.parameters)
        if operand_tree != expected:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"operands: got {operand_tree}, but the HLO module has the parameters {expected} "
                "(None for each tensor)",
            )

    def execute(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Runs it on plain tensors on the CPU, which the caller keeps, of the parameters' forms."""
        results = [
            torch.empty(form.shape, dtype=form.dtype, device="cpu") for form in self.result_forms
        ]
        self._execute(self._program, _arrays(tensors), len(tensors), _arrays(results), len(results))
        return results


def read(module: Any) -> bytes:
    """The content of a module that is given as a text, as bytes or as a path."""
    if isinstance(module, str):
        return module.encode(errors="surrogateescape")
    if isinstance(module, (bytes, bytearray, memoryview)):
        return bytes(module)
    if isinstance(module, os.PathLike):
        try:
            return pathlib.Path(module).read_bytes()
        except OSError as error:
            raise CallbridgeError(
                "NOT_FOUND", f"HLO module: {os.fspath(module)} cannot be read: {error}"
            ) from None
    raise TypeError(
        "module: expected HLO text, the bytes of a module, or a pathlib.Path of either, got "
        f"{type(module).__name__}"
    )


def libraries_of(libraries: Any) -> tuple[Library, ...]:
    """Raises TypeError for anything but libraries."""
    found = tuple(libraries) if isinstance(libraries, Iterable) else (libraries,)
    for library in found:
        if not isinstance(library, Library):
            raise TypeError(
                "libraries: expected what callbridge.torch.load() returned, got "
                f"{type(library).__name__}"
            )
    return found


def _c_module() -> Any:
    try:
        from callbridge._calls import _c_module
    except ImportError as error:
        raise CallbridgeError("UNIMPLEMENTED", str(error)) from None
    return _c_module


def _arrays(tensors: Sequence[torch.Tensor]) -> Any:
    arrays = [_c_api.Array(t.data_ptr(), t.numel() * t.element_size()) for t in tensors]
    return (_c_api.Array * len(arrays))(*arrays)


def _parse(text: bytes, what: str) -> Any:
    """The tree of a shape, whose arrays must be row-major."""

    def without_layout(match: re.Match) -> str:
        rank = len(match[1].split(",")) if match[1] else 0
        if match[2] != ",".join(map(str, reversed(range(rank)))):
            raise CallbridgeError(
                "UNIMPLEMENTED",
                f"{what} of the HLO module has the layout {{{match[2]}}}, and tensors are "
                "row-major here; transpose it in the module",
            )
        return f"[{match[1]}]"

    return _forms.parse_result(_LAYOUT.sub(without_layout, text.decode()))
