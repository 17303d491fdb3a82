"""Custom calls of any ABI version inside JAX programs.

    library = callbridge.jax.load("old.so")
    call = callbridge.jax.custom_call("do_custom_call", jax.ShapeDtypeStruct((2048,), jnp.float32))
    y = jax.jit(call)(b, c)

Typed FFI handlers, of any jaxlib's headers, are called in the same way, with attributes.

Everything here is thread-safe as far as the targets are.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeVar, overload

from callbridge._core import _call_site, _options, _shapes, _target
from callbridge._core._error import CallbridgeError
from callbridge._core._mindspore import InferredResults, are_left_out
from callbridge._core._target import UNTYPED, BoundFunction, Target
from callbridge._targets import _libraries
from callbridge._targets._libraries import checked_compatible, libraries_of
from callbridge.jax import (
    _arrays,
    _call_cache,
    _custom_call_op,
    _frozen_attributes,
    _partitioning,
    _registry,
    _transforms,
)
from callbridge.jax._call_cache import CallCache, Prepared, Result
from callbridge.jax._runtimes import (
    PATHS,
    RUNTIME,
    jax_function,
)
from callbridge.library import Library
from callbridge.typing import (
    Abi,
    DtypeTree,
    DuckTypedArray,
    Handlers,
    JaxCallOptions,
    JaxTree,
    Path,
    Platform,
    ShapeTree,
    TupleLayout,
)

if TYPE_CHECKING:
    import jax
    import jax.export
    from typing_extensions import Unpack

    from callbridge.jax._stablehlo_calls import UntypedCall

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


_Artifact = TypeVar("_Artifact", str, bytes, bytearray, "jax.export.Exported")

_jax_ffi_call = jax_function(RUNTIME.ffi_call)

_targets = libraries_of(_registry.registry)


def load(
    path: str | os.PathLike[str],
    *,
    isolate: bool = False,
    command_buffer_compatible: bool | Collection[str] = False,
) -> Library:
    """Opens the library at `path` and registers its targets with JAX, under their own names.

    A target of unknown ABI (Target.abi is None) is registered when custom_call() declares its ABI.
    Targets for platforms other than CPU, CUDA and ROCM are not registered. If a target cannot be
    registered, for a reason that register() has, custom_call() tries again. The library stays open
    until the process ends. Loading a file of the same content again returns the same Library, and
    completes an interrupted load(). `isolate` is as for callbridge.library.load().

    `command_buffer_compatible` is as for register(): True for all targets of the library, or a list
    of the names of those that are. A typed handler that has the trait keeps it in any case.

    callbridge.numpy.load() and callbridge.library.load() open copies of their own, each with its
    own static variables: what a target keeps there in calls of one module is not seen in calls of
    another, and constructors run once for each copy. Library.run() of the returned library calls
    the same copy as JAX does. Of the file of an AOT operator, "PATH:FUNCTION", a process has one
    copy, which all of its operators share. It is looked at each time: after a change of the file,
    of a source's headers or of the working folder, load() and custom_call() take what is there.

    Raises:
      CallbridgeError: as callbridge.library.load(). ALREADY_EXISTS if one of its names is
        registered with another function: by callbridge, by JAX itself, or from the file's earlier
        content; or with the same function and another `command_buffer_compatible`. NOT_FOUND if
        that has a name that is no target's. Nothing is registered then.
    """
    return _targets.load(path, isolate, command_buffer_compatible)


@_options.documented(_libraries.register)
def register(
    name: str,
    function_or_capsule: Handlers,
    platform: Platform = "cpu",
    abi: Abi | None = None,
    *,
    command_buffer_compatible: bool = False,
) -> None:
    """Registers one function with JAX.

    Args:
      abi: ... The handler may be for this JAX or another; jax.ffi.ffi_call(name, ...) can call it
        too. A request of the handler that this JAX cannot serve is an error that names it.
      command_buffer_compatible: XLA:GPU may record calls into command buffers, which are CUDA
        graphs, and replay those instead of calling the function again. So the function only submits
        work to its stream, the same for the same buffers: it does not wait for the stream,
        allocate, copy synchronously, use the default stream or count its calls. On CUDA, a call
        that records nothing, or that ends the recording, is an error that names the function; a
        function that records only a part of its work cannot be seen. A typed handler that has the
        trait is recorded without it. XLA:CPU ignores it.

    Raises:
      CallbridgeError: ALREADY_EXISTS if the name is registered with another address, by callbridge
        or by JAX itself (jax 0.4.13 does not list its registrations), or with another
        `command_buffer_compatible`. INVALID_ARGUMENT if the
        capsule has another name; if a function declared "typed_ffi" is not a typed handler, or one
        declared untyped is; or if the type of a typed handler's state is not registered by
        register_type(). FAILED_PRECONDITION if the kind of an undeclared function cannot be
        determined, since it is in no file, or a function declared "typed_ffi" returns without an
        answer when it is asked.
    """
    compatible = checked_compatible(command_buffer_compatible)
    _registry.registry.add_function(name, function_or_capsule, platform, abi, compatible)


register_type = _libraries.public(_libraries.register_type, __name__, _targets)


@overload
def custom_call(
    target: str, result: None = None, **options: Unpack[JaxCallOptions]
) -> BoundFunction[jax.Array]: ...
@overload
def custom_call(
    target: str, result: str | DtypeTree, **options: Unpack[JaxCallOptions]
) -> BoundFunction[JaxTree]: ...
@overload
def custom_call(
    target: str, result: tuple[ShapeTree, ...], **options: Unpack[JaxCallOptions]
) -> BoundFunction[tuple[JaxTree, ...]]: ...
@overload
def custom_call(
    target: str, result: DuckTypedArray, **options: Unpack[JaxCallOptions]
) -> BoundFunction[jax.Array]: ...
@_options.describe(JaxCallOptions)
def custom_call(
    target: str,
    result: str | ShapeTree | DtypeTree | None = None,
    **options: Unpack[JaxCallOptions],
) -> BoundFunction[Any]:
    """Returns a function of arrays and tuples of arrays that calls a registered target.

    It works in jax.jit, jax.vmap (see vmap_method) and outside of both. It has no derivatives. Its
    operands are arrays or NumPy scalars; pass a plain `tuple` for a tuple operand. Arrays are
    row-major unless layouts say otherwise. Elements of less than a byte are packed, in jax 0.4.38
    with the first one in the high bits, later in the low ones.

    A typed handler ("typed_ffi") is called with the arrays of its operands and results in preorder:
    XLA's typed FFI has no tuples.

    Args:
      target: The name by which load() or register() registered it. "PATH:FUNCTION", an AOT custom
        operator of MindSpore, is loaded if it is not registered. It is what PATH holds now: the
        function that custom_call() returns, and programs made with it, keep that. The first
        operator of a name has it in programs too; one that the name means later, after an edit or
        in another folder, has "REAL PATH@CONTENT:FUNCTION" there.
      result: The result's shape: a jax.ShapeDtypeStruct, or any object with `shape` and `dtype`; a
        plain tuple of these, nested too, for a tuple result; or a text such as "(f32[8],s32[])".
        For an AOT operator of MindSpore that has an FInferShape: its dtype alone, or a plain tuple
        of the results' dtypes. None: one result of the operands' dtype. In jax.shard_map each
        result varies over the axes over which an operand does, and over those that its shape
        states.
        JAX removes a call without results unless it has a side effect.
      platform: The target's platform. None: the platform that has the target; if several have it,
        that of JAX's default backend.
      attributes: For typed handlers, by name: a bool, int (int64 to the handler), float (double),
        str or bytes; a NumPy scalar, of its own type, bool, integer, float32 or float64 (by
        "version_3" also float16 and bfloat16, which XLA's FFI does not decode); a NumPy array, of
        any type; or a dict of these, a dictionary. They are copied.
      operator_info: ... The function raises INVALID_ARGUMENT when it is traced or called on what is
        not allowed.
      prefer: The path through XLA: "version_3" or "typed". None: the fastest that XLA serves
        rightly and without a warning. For untyped targets that is "version_3" on CPU up to jax
        0.12.0.1, but "typed" from 0.5.1 to 0.9.2, on GPU, and in newer releases. From 0.5.1 to
        0.9.2 a program with calls by "version_3" must not be read back, from JAX's compilation
        cache or a serialized executable: XLA then passes such a target another pointer as its
        result's, which corrupts memory. In 0.10 and later XLA refuses to read back a serialized
        executable with such a call whose opaque is no UTF-8, as those with tuples are. For typed
        handlers it is "typed", or "version_3" if XLA has no FFI; they have "version_3" only before
        jax 0.6. By that path a handler gets its buffers, attributes of any kind, `scratch_bytes` of
        scratch memory, on GPU the stream and on CUDA the device ordinal; other requests return
        UNIMPLEMENTED, and calls with equal shapes and attributes share one state.
      has_side_effect: As for jax.ffi.ffi_call: keep the call if its result is not used.
      vmap_method: As for jax.ffi.ffi_call: "sequential", "sequential_unrolled", "expand_dims" or
        "broadcast_all". None: jax.vmap raises an error.
      input_layouts: As for jax.ffi.ffi_call: for each array of the operands, in preorder, its
        dimensions from the major to the minor one, or None for row-major.
      output_layouts: Likewise for the result; the layout alone if the result is not a tuple.
      input_output_aliases: As for jax.ffi.ffi_call: from operands to results, both counted as the
        arrays in preorder.
      command_buffer_compatible: The target must be registered as such, as for register(). A target
        that load() or register() did not give to JAX yet, since its ABI was not known, is
        registered so, and so is an AOT operator that this call loads.
      batch_dims: The number of leading dimensions that all operands and results share, along which
        XLA may split the call: each device calls the target on its own part, without gathering the
        arrays. Each part of the batch must give what it gives in the whole. A target is not told
        the size of its part, other than by the shapes that a typed handler gets: an opaque or
        attributes with sizes of the batch are wrong. XLA may pad a part. Before jax 0.5.1, and for
        operands without further dimensions, by custom_partitioning.
        A process that only runs an export of such a call must register the target by
        jax.ffi.register_ffi_target_as_batch_partitionable(), or XLA gathers its operands.
      partitioning: Other rules: the arguments of jax.experimental.custom_partitioning's
        def_partition(), as a dict. Its functions are given the arrays of the operands in preorder,
        and those of the result, likewise, or alone if the result is not a tuple. With a vmap_method
        that calls the target once they get vmap's dimension too, in front. Such calls cannot be
        exported.
      scratch_bytes: How much scratch memory a typed handler may ask for where XLA has none for it:
        by the path "version_3", which a call with scratch_bytes takes on the CPU where it can, up
        to jax 0.5.3 (see `prefer`: in 0.5.1 to 0.5.3 such a program must not be read back).
        XLA then allocates so many bytes for the call, and a handler that asks for more returns
        RESOURCE_EXHAUSTED. Each request takes a multiple of 64 bytes. jax.vmap that calls once
        multiplies it by the batch's size. Elsewhere it is not used: on GPUs the handler gets what
        it asks for, and on the CPU none, from jax 0.6 on. None: what an AOT operator's FInit asks
        for, run once more when the call is compiled; of other handlers 0.

    Returns:
      The function. Its result has the form of `result`. If the target fails or throws, JAX raises
      jax.errors.JaxRuntimeError with its message, or a ValueError with it if the program has run
      before (jax 0.10.2).

    Raises:
      CallbridgeError: NOT_FOUND if the target is not registered for the platform. INVALID_ARGUMENT
        if its ABI is neither known nor declared, or differs from the declared one; for an unknown
        tuple layout or path; for attributes of an untyped target; for an opaque or the path
        "version_3" of a typed handler; for results of a negative size, of more bytes than 64 bits
        count, or of 64-bit types while JAX has them disabled; and for arrays of dtypes that are not
        element types, such as random keys; for an invalid `operator_info`.
        FAILED_PRECONDITION, when called, in a process that was forked after JAX had started, where
        JAX hangs. UNIMPLEMENTED for attributes that jax.ffi cannot pass: one named "ctx", and a
        numpy.uint64 of 2**63 or more. ALREADY_EXISTS if the target is registered without
        `command_buffer_compatible` and is to have it; INVALID_ARGUMENT for the path "version_3" of
        a GPU target that is declared so, and for `scratch_bytes` of an untyped target, or out of
        range. As register() if a typed handler is registered only now.
        INVALID_ARGUMENT for a negative `batch_dims`, for operands and results that do not share
        them, for both `batch_dims` and `partitioning`, and for an invalid `partitioning`.
        UNIMPLEMENTED, when called, for side effects with either, for `batch_dims` of symbolic
        dimensions, and for exports of `partitioning`, or of what needs it for `batch_dims`.
      TypeError: if the result, or later an operand, is neither an array nor a plain tuple, or is a
        masked array; if `opaque` is not bytes; and if a value of `attributes` is not an attribute.
    """
    given = _options.completed(JaxCallOptions, options)
    known = None if are_left_out(result) else Result(_shapes.parse_result(result))
    checked = _options.Checked(target, given)
    declared = checked.declared
    attributes, prefer = given["attributes"], given["prefer"]
    has_side_effect, vmap_method = given["has_side_effect"], given["vmap_method"]
    frozen_attributes = _frozen_attributes.freeze(declared.with_defaults(attributes))
    _registry.check_path(prefer)
    compatible = checked_compatible(given["command_buffer_compatible"])
    split = _partitioning.Partitioning(given["batch_dims"], given["partitioning"])
    name = _targets.registered_name(target, compatible)
    entry = _registry.registry.find(
        name, given["platform"], given["abi"], command_buffer_compatible=compatible
    )
    _target.check_fits(entry.target, entry.abi, checked.opaque, attributes)
    _registry.check_path_fits(entry, prefer)
    path = prefer or _registry.fastest_path(entry)
    scratch = _custom_call_op.checked_scratch(given["scratch_bytes"], entry)
    if scratch and prefer is None:
        path = _registry.path_with_scratch(entry, path)
    if path == "typed":
        _frozen_attributes.check_typed(frozen_attributes, entry.platform)
    is_tuple = type(result if known is None else known.tree) is tuple
    layouts_in = _arrays.copied_layouts(given["input_layouts"])
    layouts_out = _arrays.copied_layouts(given["output_layouts"])
    if layouts_out is not None and not is_tuple:
        layouts_out = [layouts_out]
    inferred = None
    if known is None:
        inferred = InferredResults(entry.c_target, result, declared, attributes)

    def prepare(operands: tuple[Any, ...], avals: list[Any]) -> Prepared:
        returned = Result(inferred.tree(avals)) if inferred is not None else known
        assert returned is not None
        returned.check_width()  # some releases narrow results here, for all calls of the function
        tree, result_leaves = returned.tree, returned.leaves
        is_typed = entry.abi == "typed_ffi"
        _arrays.check_types((*avals, *result_leaves), path if is_typed else "version_3")
        if is_typed:
            config, carrier = _custom_call_op.for_typed_handler(path, frozen_attributes, scratch)
        else:
            config, carrier = _custom_call_op.for_untyped_function(
                entry, path, operands, tree, checked.tuple_layout, checked.opaque
            )
        operand_layouts = _arrays.checked_layouts(layouts_in, avals, "input_layouts")
        result_layouts = _arrays.checked_layouts(layouts_out, result_leaves, "output_layouts")
        _call_site.check_aliases(
            checked.aliases, avals, operand_layouts, result_leaves, result_layouts
        )
        if declared.handle is not None:
            values = _frozen_attributes.thaw(frozen_attributes)
            declared.check(entry.c_target, operands, tree, values, operand_layouts, result_layouts)
        keywords = dict(
            has_side_effect=has_side_effect,
            vmap_method=vmap_method,
            input_layouts=operand_layouts,
            output_layouts=result_layouts,
            input_output_aliases=checked.aliases,
            custom_call_api_version=PATHS[path].custom_call_api_version,
            legacy_backend_config=config,
        )
        results = list(map(_transforms.unstated, result_leaves))
        if split:
            split.check(avals, result_leaves)
            is_alone = type(tree) is not tuple
            from callbridge.jax._partitioned_call import partitioned_call

            whole = split.call(name, results, carrier, is_alone=is_alone, **keywords)
            function = partitioned_call(whole, avals)
            return Prepared(_transforms.varying(function, avals, result_leaves), {}, returned)
        function = _jax_ffi_call(name, results, **keywords)
        varying = _transforms.varying(function, avals, result_leaves)
        return Prepared(varying, carrier, returned)

    prepared = CallCache(prepare)

    def call(*operands: Any) -> Any:
        _call_cache.check_threads()
        return prepared.call(operands)

    return BoundFunction(call, "callbridge.jax", target)


def upgrade(
    artifact: _Artifact,
    *,
    platform: Platform | None = None,
    tuple_layout: TupleLayout = "nested",
    prefer: Path | None = None,
) -> _Artifact:
    """Returns an artifact of an older JAX, changed to run on this one.

    Its calls of untyped targets that callbridge.jax registered become calls of callbridge's entry
    points, the calls that custom_call() emits: opaque, tuple operands and tuple results reach the
    targets as before. Calls of typed handlers and XLA's own markers stay as they are. So do calls
    of untyped targets that are not registered, and a UserWarning names these: they are right if JAX
    or another package has the targets.

    Args:
      artifact: StableHLO text; its UTF-8 bytes; a portable artifact
        (stablehlo.serialize_portable_artifact), whoever wrote it; a jax.export.Exported of calling
        convention 4 or later; or the bytes of its serialize(). jax 0.12.0.1 itself refuses those
        bytes of jax 0.7.2 and older; callbridge reads them, unless the arguments or results have
        shardings.
      platform: The targets' platform. None: the platform that has a target; if several have it,
        that of JAX's default backend.
      tuple_layout: How the targets expect tuple operands: "nested", or "flat" for programs that
        were written against jaxlib >= 0.4.38. An artifact does not say which.
      prefer: As for custom_call().

    Returns:
      The upgraded artifact, of the same kind and type; `artifact` is not changed. It is returned
      byte for byte if none of its calls is upgraded. A jax.export.Exported keeps its derivatives,
      upgraded too.

    Raises:
      CallbridgeError: INVALID_ARGUMENT if the artifact is none of these, damaged, or newer than
        this JAX; if it is MLIR bytecode of another jaxlib, which has no promised format; and if an
        untyped call has the name of a typed handler. UNIMPLEMENTED for calling conventions of
        jax.export before 4, for artifacts that this JAX reads but cannot serialize (old
        shardings), and on a JAX before 0.6.2.
      TypeError: if it is of none of these types.
    """
    from callbridge.jax._artifact import upgrade_artifact

    _registry.check_path(prefer)
    unknown: set[str] = set()

    def version_of(call: UntypedCall) -> int | None:
        # The ABI that the old program assumed. Programs that name none have 0.
        likely_abi = UNTYPED[call.api_version or 1]
        try:
            entry = _registry.registry.find(call.target, platform, likely_abi, is_guess=True)
        except CallbridgeError as error:
            if error.code != "NOT_FOUND":
                raise
            unknown.add(call.target)
            return None
        if entry.abi == "typed_ffi":
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"the artifact calls target {call.target!r} by version {call.api_version}, but it "
                f"is registered on {entry.platform} as a typed handler; register the function that "
                "it was written for",
            )
        _registry.check_path_fits(entry, prefer)
        path = prefer or _registry.fastest_path(entry)
        return PATHS[path].custom_call_api_version

    upgraded: _Artifact = upgrade_artifact(artifact, version_of, tuple_layout)
    if unknown:
        warnings.warn(
            f"calls of {', '.join(map(repr, sorted(unknown)))} stay as they are: no such targets "
            "are registered by callbridge.jax.load() and register()",
            stacklevel=2,
        )
    return upgraded
