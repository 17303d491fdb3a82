"""Custom calls of any ABI version inside JAX programs.

    library = callbridge.jax.load("old.so")
    call = callbridge.jax.custom_call("do_custom_call", jax.ShapeDtypeStruct((2048,), jnp.float32))
    y = jax.jit(call)(b, c)

Typed FFI handlers, of any jaxlib's headers, are called in the same way, with attributes.

Everything here is thread-safe as far as the targets are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from callbridge import (
    _aliases,
    _call_site,
    _jax_arrays,
    _jax_attributes,
    _jax_call_config,
    _jax_forks,
    _jax_layouts,
    _jax_registry,
    _shapes,
    _target,
    _typed_handlers,
)
from callbridge._bound_function import BoundFunction
from callbridge._error import CallbridgeError
from callbridge._jax_prepared import PreparedCalls
from callbridge._jax_runtimes import (
    PATHS,
    RUNTIME,
    jax_function,
)
from callbridge._jax_upgrade import upgrade
from callbridge._libraries import Libraries
from callbridge._target import Target
from callbridge.library import Library
from callbridge.typing import (
    Abi,
    Attributes,
    Bytes,
    DuckTypedArray,
    Handlers,
    JaxCallOptions,
    JaxTree,
    Layout,
    Path,
    Platform,
    Pointer,
    ShapeTree,
    TupleLayout,
    VmapMethod,
)

if TYPE_CHECKING:
    import jax
    from typing_extensions import Unpack

__all__ = [
    "CallbridgeError",
    "Library",
    "Target",
    "custom_call",
    "load",
    "register",
    "register_type",
    "upgrade",
]


_ffi_call = jax_function(RUNTIME.ffi_call)

_libraries = Libraries(_jax_registry.registry)


def load(path: str | os.PathLike[str], *, isolate: bool = False) -> Library:
    """Opens the library at `path` and registers its targets with JAX, under their own names.

    A target whose ABI is not known (Target.abi) is registered when custom_call() declares it, a
    target for a platform other than CPU, CUDA and ROCM never. A target that cannot be registered,
    for one of the reasons that register() has, is left for custom_call() to try again. The library
    stays open as long as the process. Loading a file of the same content again gives the same
    Library, and completes what an interrupted load() has begun. `isolate` is as for
    callbridge.library.load().

    callbridge.numpy.load() and callbridge.library.load() open copies of their own, with static
    variables of their own: what targets keep there in calls of one is not seen in calls of another,
    and constructors run once for each copy. XLA keeps addresses for good, and each of the others
    decides by itself what it opens and when. Library.run() of what is returned here calls the
    same copy as JAX does.

    Raises:
      CallbridgeError: as callbridge.library.load(); ALREADY_EXISTS where one of its names is
        registered with another function, be it by callbridge, by JAX itself, or by what the file
        held before it changed, and then nothing is registered.
    """
    return _libraries.load(path, isolate)


def register(
    name: str,
    function_or_capsule: Handlers,
    platform: Platform = "cpu",
    abi: Abi | None = None,
) -> None:
    """Registers one function with JAX.

    Args:
      name: by which custom_call() finds it.
      function_or_capsule: a ctypes function, or a PyCapsule named "xla._CUSTOM_CALL_TARGET". It is
        kept as long as the process. A typed handler may also be its address, or a dict of one for
        each stage, "execute" and any of "instantiate", "prepare", "initialize", "record".
      platform: "cpu" or "Host", "gpu" or "CUDA", "ROCM".
      abi: "original", "status_returning" or "status_returning_unified": how it is to be called. On
        CPU the first two are alike. None leaves it to custom_call(); on GPU it does not matter.
        "typed_ffi": an XLA FFI handler, built with XLA's headers of any jaxlib from 0.4.30 to
        0.12.0.1, for this JAX or another. jax.ffi.ffi_call(name, ...) can call it too. What it asks
        for and this JAX has not got is an error that names it.

    Raises:
      CallbridgeError: ALREADY_EXISTS where the name is registered with another address, be it by
        callbridge or by JAX itself (jax 0.4.13 does not tell what it has); INVALID_ARGUMENT where
        the capsule has another name, and so holds something else, where a function proves to be no
        typed handler, or to be one and is declared untyped, and where a typed handler's state is of
        a type that register_type() has not been told; FAILED_PRECONDITION where it cannot be told
        whether a function is a typed handler, since it is in no file.
    """
    _jax_registry.registry.add_function(name, function_or_capsule, platform, abi)


def register_type(name: str, type_id: Pointer, type_info: Pointer | None = None) -> None:
    """Makes a type of state or of user data of typed handlers known, before they are registered.

    Handlers that keep state need it if they were built with the headers of jaxlib 0.8 or newer.

    Args:
      name: of the type, the same for all who use it.
      type_id: the variable that holds the type's XLA_FFI_TypeId: a capsule of it, or its address.
      type_info: the type's XLA_FFI_TypeInfo, likewise, where the headers have one.

    Raises:
      CallbridgeError: ALREADY_EXISTS where the name is registered with another id, or the id with
        another name; INVALID_ARGUMENT where there is no such memory at an address.
    """
    _typed_handlers.register_type(name, type_id, type_info)


@overload
def custom_call(
    target: str, result: str, **options: Unpack[JaxCallOptions]
) -> BoundFunction[JaxTree]: ...
@overload
def custom_call(
    target: str, result: tuple[ShapeTree, ...], **options: Unpack[JaxCallOptions]
) -> BoundFunction[tuple[JaxTree, ...]]: ...
@overload
def custom_call(
    target: str, result: DuckTypedArray, **options: Unpack[JaxCallOptions]
) -> BoundFunction[jax.Array]: ...
def custom_call(
    target: str,
    result: str | ShapeTree,
    *,
    abi: Abi | None = None,
    platform: Platform | None = None,
    opaque: Bytes = b"",
    attributes: Attributes | None = None,
    tuple_layout: TupleLayout = "nested",
    prefer: Path | None = None,
    has_side_effect: bool = False,
    vmap_method: VmapMethod | None = None,
    input_layouts: Sequence[Layout] | None = None,
    output_layouts: Layout | Sequence[Layout] = None,
    input_output_aliases: Mapping[int, int] | None = None,
) -> BoundFunction[Any]:
    """A function of arrays and tuples of arrays that calls a registered target.

    It works in jax.jit, jax.vmap (see vmap_method) and outside of both; it has no derivatives. Its
    operands are arrays or NumPy scalars, or exact tuples of operands: tuple operands. Arrays come
    and go row-major unless layouts say otherwise; elements of less than a byte are packed, in jax
    0.4.38 with the first one in the high bits, later in the low ones.

    A typed handler ("typed_ffi") is called with the arrays in preorder, of operands and results
    both: XLA's typed FFI knows no tuples.

    Args:
      target: its name, as load() or register() registered it.
      result: the result's shape: a jax.ShapeDtypeStruct, or whatever else has `shape` and `dtype`;
        an exact tuple of such, nested too, for a tuple result; or a text such as "(f32[8],s32[])".
        A call without results is removed by JAX unless it has a side effect.
      abi: the target's ABI, where Target.abi is None and register() was not told.
      platform: where it runs. None: the platform that has the target; where several have it, that
        of JAX's default backend.
      opaque: any bytes, for untyped targets that take them.
      attributes: for typed handlers, by name: a bool, int (int64 to the handler), float (double),
        str or bytes; a NumPy scalar, of its own type, bool, integer, float32 or float64 (by
        "version_3" float16 and bfloat16 too, which XLA's FFI does not decode); a NumPy array, of
        any type; or a dict of such, a dictionary. They are copied.
      tuple_layout: how untyped targets find tuple operands laid out: "nested", nested tables as XLA
        documents them, or "flat", for targets written against jaxlib >= 0.4.38.
      prefer: the way through XLA: "version_3" or "typed". None: the fastest one that XLA serves
        without a warning, which is "version_3" on CPU up to jax 0.12.0.1 and "typed" on GPU and in
        newer releases; of a typed handler "typed", or "version_3" where XLA has no FFI. Typed
        handlers have "version_3" before jax 0.6 alone; by it a handler is lent its buffers and
        attributes of any kind, on GPU the stream, and nothing else: what more it asks for is
        UNIMPLEMENTED to it, and calls with equal shapes and attributes share one state.
      has_side_effect: as for jax.ffi.ffi_call: the call stays when its result is not used.
      vmap_method: as for jax.ffi.ffi_call: "sequential", "sequential_unrolled", "expand_dims" or
        "broadcast_all"; None: jax.vmap is refused.
      input_layouts: as for jax.ffi.ffi_call: for each array of the operands, in preorder, its
        dimensions from the major to the minor one, or None for row-major.
      output_layouts: likewise for the result; of a result that is no tuple, its layout alone.
      input_output_aliases: as for jax.ffi.ffi_call, from operands to results, both counted as the
        arrays in preorder.

    Returns:
      The function. Its result is in the form of `result`. Where the target fails or throws, JAX
      raises jax.errors.JaxRuntimeError with its message, or a ValueError with it where the program
      has run before (jax 0.10.2).

    Raises:
      CallbridgeError: NOT_FOUND where the target is not registered for the platform;
        INVALID_ARGUMENT where its ABI is neither known nor declared, or is another than declared,
        for unknown names of a tuple layout or a path, for attributes of an untyped target, and for
        an opaque or the path "version_3" of a typed handler; for results of a negative size, of
        more bytes than 64 bits count, or of 64-bit types while JAX has none of these; for arrays of
        dtypes that are no element types, such as random keys; FAILED_PRECONDITION, when called, in
        a process that was forked after JAX had started, where JAX hangs; UNIMPLEMENTED for an
        attribute that jax.ffi cannot pass: one by the name "ctx", and a numpy.uint64 from 2**63
        on; as register() where a typed handler is registered only now.
      TypeError: where the result, or later an operand, is no array and no exact tuple, or a masked
        array, where `opaque` is not bytes, and where `attributes` has something else in it.
    """
    tree = _shapes.parse_result(result)
    result_leaves = _shapes.leaves(tree, "result")
    _jax_arrays.check_results(result_leaves)
    opaque_bytes = _call_site.opaque_bytes(opaque)
    frozen_attributes = _jax_attributes.freeze(attributes)
    _call_site.check_tuple_layout(tuple_layout)
    _jax_registry.check_path(prefer)
    entry = _jax_registry.registry.find(target, platform, abi)
    _target.check_fits(entry.target, entry.abi, opaque_bytes, attributes)
    _jax_registry.check_path_fits(entry, prefer)
    path = prefer or _jax_registry.fastest_path(entry)
    if path == "typed":
        _jax_attributes.check_typed(frozen_attributes)
    is_alone = output_layouts is not None and type(tree) is not tuple
    layouts_in = _jax_layouts.copied(input_layouts)
    layouts_out = _jax_layouts.copied([output_layouts] if is_alone else output_layouts)
    aliases = _aliases.copied(input_output_aliases)
    is_wide = _jax_arrays.has_wide(result_leaves)

    def prepare(operands: tuple[Any, ...]) -> tuple[Callable[..., Any], dict[str, Any]]:
        avals = _shapes.leaves(operands, "operands")
        _jax_arrays.check_types((*avals, *result_leaves), path)
        if entry.abi == "typed_ffi":
            config, carrier = _jax_call_config.by_typed_handler(path, frozen_attributes)
        else:
            config, carrier = _jax_call_config.by_untyped_function(
                entry, path, operands, tree, tuple_layout, opaque_bytes
            )
        operand_layouts = _jax_layouts.checked(layouts_in, avals, "input_layouts")
        result_layouts = _jax_layouts.checked(layouts_out, result_leaves, "output_layouts")
        _aliases.check(aliases, avals, operand_layouts, result_leaves, result_layouts)
        function = _ffi_call(
            target,
            result_leaves,
            has_side_effect=has_side_effect,
            vmap_method=vmap_method,
            input_layouts=operand_layouts,
            output_layouts=result_layouts,
            input_output_aliases=aliases,
            custom_call_api_version=PATHS[path].custom_call_api_version,
            legacy_backend_config=config,
        )
        return function, carrier

    prepared = PreparedCalls(prepare, result_leaves)

    def call(*operands: Any) -> Any:
        _jax_forks.check_threads()
        if is_wide:
            _jax_arrays.check_width(result_leaves)
        return _shapes.rebuild(tree, iter(prepared.call(operands)))

    return BoundFunction(call, "callbridge.jax", target)
