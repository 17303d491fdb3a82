"""Old binaries of custom calls, opened without the XLA that they were built for.

    library = callbridge.library.load("old.so")
    y = library.run("do_custom_call", [b, c], jax.ShapeDtypeStruct((2048,), numpy.float32))
    y, (z,) = library.run("pairs", [a, (b, (c, d))], "(f32[8],(s32[]))")

Everything here is thread-safe as far as the targets are.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from callbridge._core import (
    _buffers,
    _c_api,
    _call_site,
    _library_files,
    _mindspore,
    _options,
    _shapes,
    _target,
)
from callbridge._core._buffers import Form
from callbridge._core._call_site import Attributes
from callbridge._core._error import CallbridgeError, find_platform, parse_platform
from callbridge._core._fork_lock import ProcessLock
from callbridge._core._library_files import FileContents
from callbridge._core._mindspore import InferredResults, are_left_out
from callbridge._core._target import Immutable, Target
from callbridge.typing import (
    Abi,
    Bytes,
    CallOptions,
    DtypeTree,
    DuckTypedArray,
    NumpyArray,
    NumpyTree,
    Operand,
    OperatorInfo,
    Platform,
    RunOptions,
    ShapeTree,
    TupleLayout,
)
from callbridge.typing import Attributes as AttributeValues

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["CallbridgeError", "Library", "Target", "load"]


def load(path: str | os.PathLike[str], *, isolate: bool = False) -> Library:
    """Opens the shared library at `path`. Its constructors run in this process.

    "PATH:FUNCTION" is an AOT custom operator of MindSpore, if no file has that whole name: a
    library with one target of that whole name, a typed handler, on "Host" and on "CUDA".

    It opens a private copy, which stays open until the process ends. Opening a file twice gives two
    copies. Of an operator's file a process has one copy, which all of its operators share, in each
    module of callbridge and however PATH is spelled. A file that was changed is opened anew, and a
    source that was changed, or a header of its, is compiled.

    With `isolate`, another process opens the library first, so that a constructor that crashes,
    exits or hangs is an error (INTERNAL, DEADLINE_EXCEEDED) and does not end this process.

    Raises:
      CallbridgeError: NOT_FOUND if there is no file. INVALID_ARGUMENT if it is not a shared library
        for this machine. FAILED_PRECONDITION, with the dynamic loader's message, if the loader
        refuses it.
    """
    return Library(os.fsdecode(path), isolate)


# By absolute path and content: the libraries that unpickling uses in this process.
_opened: dict[tuple[str, str], Library] = {}
_lock = ProcessLock()  # held while a library is unpickled


class Library(Immutable):
    """A library of custom calls; load() makes one.

    It can be pickled. Each process that unpickles it or its targets opens it once, from the same
    file, which must have the same content: FAILED_PRECONDITION otherwise. The registries of
    callbridge.jax and callbridge.numpy are not pickled.

    Attributes:
      path: The path that load() was given.
      targets: A tuple of Target, by name, then platform.
    """

    def __init__(
        self,
        path: str,
        isolate: bool = False,
        contents: FileContents | None = None,
        name: str | None = None,
    ):
        """Opens the file at `path`, which the user named `name` if that is another text."""
        contents = contents or _library_files.read(path)
        handle = ctypes.c_void_p()
        load = _c_api.library_load_isolated if isolate else _c_api.library_load
        load(_c_api.text(path, "path"), ctypes.byref(handle))
        self.path = path if name is None else name
        self.targets = tuple(_targets(handle, self))
        if self._content:
            contents = _library_files.of_operator(path, self._content)
            self.targets = tuple(_target.renamed(target, self.path) for target in self.targets)
        elif contents is None or not contents.still_there():
            raise CallbridgeError("ABORTED", f"{path} changed while it was opened; load it again")
        # Of the C API's library, which stays open until the process ends.
        self._handle = handle.value
        self._contents = contents
        self._isolate = isolate
        _opened.setdefault((contents.path, contents.digest), self)

    def __repr__(self) -> str:
        return f"<callbridge library {self.path!r}, {len(self.targets)} targets>"

    @property
    def _content(self) -> str:
        """What an AOT operator's file holds, with its headers; of another library empty."""
        return self.targets[0]._content if self.targets else ""

    def __reduce__(self) -> tuple[Any, ...]:
        contents = self._contents
        return _open_pickled, (self.path, contents.path, contents.digest, self._isolate)

    def target(self, name: str, platform: Platform = "Host", abi: Abi | None = None) -> Target:
        """Returns the target of that name. NOT_FOUND lists the registered ones.

        If a typed handler and an untyped function have the name, it returns the handler, unless
        `abi` is an untyped one.
        """
        _target.check_name(name)
        _target.check_abi(abi)
        wanted = parse_platform(platform)
        found = [
            target
            for target in self.targets
            if target.name == name and find_platform(target.platform) == wanted
        ]
        if _target.is_untyped(abi):
            found.sort(key=lambda target: target.abi == "typed_ffi")
        if found:
            return found[0]
        registered = ", ".join(f"{t.name} ({t.platform})" for t in self.targets) or "nothing"
        raise CallbridgeError(
            "NOT_FOUND",
            f"{self.path} registers no target {name!r} for {wanted}; it registers {registered}",
        )

    @overload
    def run(
        self,
        name: str,
        operands: Sequence[Operand],
        result: None = None,
        **options: Unpack[RunOptions],
    ) -> NumpyArray: ...
    @overload
    def run(
        self,
        name: str,
        operands: Sequence[Operand],
        result: str | DtypeTree,
        **options: Unpack[RunOptions],
    ) -> NumpyTree: ...
    @overload
    def run(
        self,
        name: str,
        operands: Sequence[Operand],
        result: tuple[ShapeTree, ...],
        **options: Unpack[RunOptions],
    ) -> tuple[NumpyTree, ...]: ...
    @overload
    def run(
        self,
        name: str,
        operands: Sequence[Operand],
        result: DuckTypedArray,
        **options: Unpack[RunOptions],
    ) -> NumpyArray: ...
    @_options.documented(CallOptions)
    def run(
        self,
        name: str,
        operands: Sequence[Operand],
        result: str | ShapeTree | DtypeTree | None = None,
        *,
        platform: Platform = "Host",
        abi: Abi | None = None,
        opaque: Bytes = b"",
        attributes: AttributeValues | None = None,
        tuple_layout: TupleLayout = "nested",
        operator_info: OperatorInfo | None = None,
    ) -> Any:
        """Calls a target once, on arrays in host memory.

        A typed handler ("typed_ffi") is called with the arrays of its operands and results in
        preorder, in the form of the XLA that it was built for. It gets threads, a run id and device
        ordinal 0, as from XLA:CPU; a future that it returns is waited for.

        Args:
          name: The target's name.
          operands: Each a NumPy array or scalar, an object that numpy.asarray() converts, or a
            plain tuple of operands: a tuple operand. They are copied, so the target cannot change
            them.
          result: The result's shape, as XLA writes it ("f32[8]", "(f32[8],(s32[],pred[4]))"), or
            any object with `shape` and `dtype`, or a plain tuple of these. For an AOT operator of
            MindSpore that has an FInferShape: its dtype alone, or a plain tuple of the results'
            dtypes. None: one result of the operands' dtype.
          platform: "Host" or "cpu", "CUDA", "ROCM". GPU targets get pointers to host memory.
          abi: The target's ABI, if Target.abi is None, or if the name is both a typed handler's and
            an untyped function's; otherwise the handler is called.
          operator_info: ... A call that it does not allow is INVALID_ARGUMENT.

        Returns:
          A new NumPy array, or tuples of them, in the form of `result`.

        Raises:
          CallbridgeError: INTERNAL with the target's message if it fails or throws; a typed
            handler's own error, of any code; NOT_FOUND; INVALID_ARGUMENT.
          TypeError: if an operand or the result is neither an array nor a plain tuple, or is a
            masked array; if the shape or dtype of an operand differs from that of the array that
            numpy.asarray() makes; and if a value of `attributes` is not an attribute.
        """
        if type(operands) not in (list, tuple):
            raise TypeError(
                f"operands: expected a list or tuple of operands, got {type(operands).__name__}"
            )
        target = _target.to_c(self.target(name, platform, abi), abi)
        arrays = _buffers.arrays(tuple(operands))
        given_attributes = Attributes({} if attributes is None else attributes)
        declared = _mindspore.OperatorInfo(operator_info)
        given = _shapes.leaves(arrays, "operands")
        if are_left_out(result):
            tree = InferredResults(target, result, declared, attributes).tree(given)
        else:
            tree = _shapes.parse_fixed_result(result)
        wanted = _shapes.leaves(tree, "result")
        out_forms = list(map(Form, wanted))

        site = _call_site.site(
            arrays,
            tree,
            tuple_layout,
            _call_site.opaque_bytes(opaque),
            _shapes.array_text,
            given_attributes.handle,
            declared.handle,
        )
        in_forms = list(map(Form, given))
        ins, outs = list(map(Form.operand, in_forms, given)), list(map(Form.result, out_forms))
        _c_api.execute(
            target,
            site,
            (_c_api.Array * len(ins))(*map(Form.c_array, in_forms, ins)),
            len(ins),
            (_c_api.Array * len(outs))(*map(Form.c_array, out_forms, outs)),
            len(outs),
            None,
        )
        return _shapes.rebuild(tree, map(Form.array, out_forms, outs))


def _targets(handle: ctypes.c_void_p, library: Library) -> Iterator[Target]:
    for i in range(_c_api.library_target_count(handle)):
        target = _c_api.Target()
        _c_api.library_target(handle, i, target)
        yield _target.from_c(target, library)


def _open_pickled(path: str, absolute_path: str, digest: str, isolate: bool) -> Library:
    with _lock:
        opened = _opened.get((absolute_path, digest))
        if opened is None:
            contents = _library_files.read(absolute_path)
            if contents is not None and contents.digest != digest:
                raise _changed(absolute_path)
            opened = Library(absolute_path, isolate, contents, path)
            if opened._contents.digest != digest:
                raise _changed(absolute_path)
        return opened


def _changed(path: str) -> CallbridgeError:
    return CallbridgeError(
        "FAILED_PRECONDITION",
        f"{path} has other content than the library that was pickled; load it again there",
    )
