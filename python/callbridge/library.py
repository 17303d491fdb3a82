"""Old binaries of custom calls, opened without the XLA that they were built for.

    library = callbridge.library.load("old.so")
    y = library.run("do_custom_call", [b, c], jax.ShapeDtypeStruct((2048,), numpy.float32))
    y, (z,) = library.run("pairs", [a, (b, (c, d))], "(f32[8],(s32[]))")

Everything here is thread-safe as far as the targets are.
"""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any

from callbridge import _c_api, _call_site, _file_contents, _operands, _shapes, _target, _target_abis
from callbridge._attributes import Attributes
from callbridge._buffers import Form
from callbridge._error import CallbridgeError
from callbridge._file_contents import FileContents
from callbridge._own_copy import ItsOwnCopy
from callbridge._platform import find_platform, parse_platform
from callbridge._target import Target

__all__ = ["CallbridgeError", "Library", "Target", "load"]


def load(path: str | os.PathLike, *, isolate: bool = False) -> Library:
    """Opens the shared library at `path`. Its constructors run in this process.

    What is opened is a private copy, and it stays open as long as the process. Opening a file twice
    gives two copies.

    With `isolate`, another process opens it first: a constructor that crashes, exits or hangs is an
    error then (INTERNAL, DEADLINE_EXCEEDED) and not the end of this process.

    Raises:
      CallbridgeError: NOT_FOUND where there is no file; INVALID_ARGUMENT where it is no shared
        library for this machine; FAILED_PRECONDITION where the dynamic loader refuses it, in the
        loader's words.
    """
    return Library(os.fsdecode(path), isolate)


# By absolute path and content, the first of each: what pickled libraries are in this process.
_opened: dict[tuple[str, str], Library] = {}
_lock = threading.RLock()  # held while one is unpickled


class Library(ItsOwnCopy):
    """A library of custom calls; load() makes one.

    It can be pickled, and is then opened once in each process that unpickles it or its targets,
    from the same file, which must still hold the same: FAILED_PRECONDITION else. The registries of
    callbridge.jax and callbridge.numpy do not travel.

    Attributes:
      path: as it was given to load().
      targets: a tuple of Target, by name, then platform.
    """

    def __init__(self, path: str, isolate: bool = False, contents: FileContents | None = None):
        contents = contents or _file_contents.read(path)
        handle = ctypes.c_void_p()
        load = _c_api.library_load_isolated if isolate else _c_api.library_load
        load(_c_api.text(path, "path"), ctypes.byref(handle))
        if contents is None or not contents.still_there():
            raise CallbridgeError("ABORTED", f"{path} changed while it was opened; load it again")
        self.path = path
        self.targets = tuple(_targets(handle, self))
        self._contents = contents
        self._isolate = isolate
        _opened.setdefault((contents.path, contents.digest), self)

    def __repr__(self) -> str:
        return f"<callbridge library {self.path!r}, {len(self.targets)} targets>"

    def __reduce__(self):
        contents = self._contents
        return _open_pickled, (self.path, contents.path, contents.digest, self._isolate)

    def target(self, name: str, platform: str = "Host", abi: str | None = None) -> Target:
        """The target of that name. NOT_FOUND lists what is registered.

        Of a typed handler and an untyped function of one name it is the handler, unless `abi` is an
        untyped one.
        """
        _target.check_name(name)
        _target.check_abi(abi)
        wanted = parse_platform(platform)
        found = [
            target
            for target in self.targets
            if target.name == name and find_platform(target.platform) == wanted
        ]
        if _target_abis.is_untyped(abi):
            found.sort(key=lambda target: target.abi == "typed_ffi")
        if found:
            return found[0]
        registered = ", ".join(f"{t.name} ({t.platform})" for t in self.targets) or "nothing"
        raise CallbridgeError(
            "NOT_FOUND",
            f"{self.path} registers no target {name!r} for {wanted}; it registers {registered}",
        )

    def run(
        self,
        name: str,
        operands: list | tuple,
        result: Any,
        *,
        platform: str = "Host",
        abi: str | None = None,
        opaque: bytes = b"",
        attributes: dict[str, Any] | None = None,
        tuple_layout: str = "nested",
    ) -> Any:
        """Calls a target once, on arrays in host memory.

        A typed handler ("typed_ffi") is called with the arrays in preorder, of operands and results
        both, in the shape of the XLA that it was built for. It is lent threads, a run id and device
        ordinal 0, as by XLA:CPU, and waited for where it returns a future.

        Args:
          name: of the target.
          operands: each a NumPy array or scalar, something that numpy.asarray() makes an array of,
            or an exact tuple of operands: a tuple operand. They are copied, so nothing that the
            target does to them shows.
          result: the result's shape, as XLA writes it ("f32[8]", "(f32[8],(s32[],pred[4]))"), or
            anything with `shape` and `dtype`, or an exact tuple of such.
          platform: "Host" or "cpu", "CUDA", "ROCM". GPU targets get pointers to host memory.
          abi: the target's ABI, where Target.abi is None, or where the name is both a typed
            handler's and an untyped function's; else the handler is called.
          opaque: any bytes, for untyped targets that take them.
          attributes: for typed handlers, by name: a bool, int (int64 to the handler), float
            (double), str or bytes; a NumPy scalar, of its own type; a NumPy array; or a dict of
            such, a dictionary.
          tuple_layout: how tuple operands are laid out: "nested", nested tables as XLA documents them, or
            "flat", for targets written against jaxlib >= 0.4.38.

        Returns:
          A NumPy array of its own, or tuples of them, in the form of `result`.

        Raises:
          CallbridgeError: INTERNAL with the target's message where it fails or throws; a typed
            handler's own error, of any code; NOT_FOUND; INVALID_ARGUMENT.
          TypeError: where an operand or the result is no array and no exact tuple, or a masked
            array; where an operand is of another shape or dtype than the array that numpy.asarray()
            makes of it; and where `attributes` has something else in it.
        """
        if type(operands) not in (list, tuple):
            raise TypeError(
                f"operands: expected a list or tuple of operands, got {type(operands).__name__}"
            )
        target = _target.to_c(self.target(name, platform, abi), abi)
        arrays = _operands.arrays(tuple(operands))
        result = _shapes.parse_fixed_result(result)
        wanted = _shapes.leaves(result, "result")
        out_forms = list(map(Form, wanted))

        given_attributes = Attributes({} if attributes is None else attributes)
        site = _call_site.site(
            arrays,
            result,
            tuple_layout,
            _call_site.opaque_bytes(opaque),
            _shapes.array_text,
            given_attributes.handle,
        )
        given = _shapes.leaves(arrays, "operands")
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
        return _shapes.rebuild(result, map(Form.array, out_forms, outs))


def _targets(handle: ctypes.c_void_p, library: Library):
    for i in range(_c_api.library_target_count(handle)):
        target = _c_api.Target()
        _c_api.library_target(handle, i, target)
        yield _target.from_c(target, library)


def _open_pickled(path: str, absolute_path: str, digest: str, isolate: bool) -> Library:
    with _lock:
        opened = _opened.get((absolute_path, digest))
        if opened is None:
            contents = _file_contents.read(absolute_path)
            if contents is not None and contents.digest != digest:
                raise CallbridgeError(
                    "FAILED_PRECONDITION",
                    f"{absolute_path} has other content than the library that was pickled; load it "
                    "again there",
                )
            opened = Library(absolute_path, isolate, contents)
            opened.path = path
        return opened
