"""Functions that are not what they are registered as, and names that are taken."""

import ctypes
import gc
import os

import jax
import numpy as np
from callbridge.jax import _call_cache, _registry, custom_call, load, register
from programs import F32, FOLDER, ONE, load_uses, program, raised, refused, untold
from this_jax import PATHS, has, register_natively
from this_platform import ON_GPU, PLATFORM, scalar_target

POINTER = ctypes.c_void_p


def plus(amount):
    """A new ctypes function that adds it."""
    return scalar_target(lambda x: x + amount)


def capsule(address, name):
    new = ctypes.PyDLL(None).PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [POINTER, ctypes.c_char_p, POINTER]
    return new(address, name, None)


@program
def capsules_of_other_names():
    address = ctypes.cast(untold().plus_one, POINTER).value
    names = [b"xla._OTHER", b"", None, b"xla._CUSTOM_CALL_TARGET ", b"\xff"]
    capsules = {name: capsule(address, name) for name in names}
    for name, wrong in capsules.items():
        # Typed handlers may come in a capsule without a name: what it holds is probed.
        abis = ["original", None] if name is None else ["original", "typed_ffi", None]
        for abi in abis:
            refused(
                "INVALID_ARGUMENT",
                lambda: register("wrong", wrong, PLATFORM, abi=abi),  # noqa: B023
                "'xla._CUSTOM_CALL_TARGET'",
            )
    refused(
        "INVALID_ARGUMENT",
        lambda: register("wrong", capsules[None], PLATFORM, abi="typed_ffi"),
        "not a typed FFI handler",
    )
    refused("NOT_FOUND", lambda: custom_call("wrong", F32, platform=PLATFORM), "'wrong'")
    register("wrong", capsule(address, b"xla._CUSTOM_CALL_TARGET"), PLATFORM, abi="original")
    assert custom_call("wrong", F32)(ONE) == 2


@program
def collected_functions():
    for path in PATHS:
        register(f"collected_{path}", plus(7), PLATFORM, abi="original")
    gc.collect()
    others = [plus(i) for i in range(100)]  # which would be where that one was
    for path in PATHS:
        assert custom_call(f"collected_{path}", F32, prefer=path)(ONE) == 8
    assert len(others) == 100


@program
def untyped_functions_as_typed():
    functions = untold()
    refused(
        "INVALID_ARGUMENT",
        lambda: register("plus_one", functions.plus_one, PLATFORM, abi="typed_ffi"),
        "'plus_one'",
        "not a typed FFI handler",
    )
    # What a function of a GPU's does with a metadata query is not what one of CPU's does.
    refused(
        "INVALID_ARGUMENT" if ON_GPU else "FAILED_PRECONDITION",
        lambda: register("opaque_size", functions.opaque_size, PLATFORM, abi="typed_ffi"),
        "'opaque_size'",
        "not a typed FFI handler" if ON_GPU else "cannot verify",
    )
    refused(
        "FAILED_PRECONDITION",
        lambda: register("made", plus(1), PLATFORM, abi="typed_ffi"),
        "cannot verify",
    )
    # The names are still free.
    register("plus_one", functions.plus_one, PLATFORM, abi="original")
    register("opaque_size", functions.opaque_size, PLATFORM, abi="status_returning_unified")
    assert custom_call("plus_one", F32)(ONE) == 2
    assert custom_call("opaque_size", F32, opaque=b"abc")() == 3


@program
def typed_handlers_of_another_macro_for_a_gpu():
    # callbridge finds out that it is one only when it is to serve it.
    path = FOLDER.parent / "python/partly_served.so"
    library = load(path)
    for name in ["partly_a", "partly_c"]:
        for way in PATHS:
            assert custom_call(name, F32, prefer=way)() == 5
    refused("INVALID_ARGUMENT", lambda: custom_call("partly_b", F32), "'partly_b'", "'typed_ffi'")
    custom_call("partly_b", F32, abi="typed_ffi")
    os.utime(path)
    assert load(path) is library


@program
def a_jax_that_renames_its_private_names():
    # Of these two kinds: the name has gone, the module has.
    _registry.PENDING_TARGETS = "jaxlib.xla_client._no_such_name"
    _registry.XLA_TARGETS = "jaxlib.no_such_module.no_such_name"
    _call_cache.STARTED_BACKENDS = "jax._src.no_such_module._backends"
    functions = untold()
    for _ in ["before JAX starts", "afterwards"]:
        library = load_uses()
        for name, function in [("plus_one", functions.plus_one), ("plus_two", functions.plus_two)]:
            register(name, function, PLATFORM, abi="original")
        refused(
            "ALREADY_EXISTS",
            lambda: register("plus_one", functions.plus_two, PLATFORM),
            "another name",
        )
        for path in PATHS:
            assert custom_call("plus_one", F32, prefer=path)(ONE) == 2
            assert custom_call("add_opaque", F32, opaque=b"\2", prefer=path)(ONE) == 3
        assert custom_call("square_typed", F32)(np.int32(1), ONE) == 1
        assert load_uses() is library
        # What was interrupted before it was noted, so that XLA gets it again; old ones refuse that.
        again = [("plus_one", "original"), ("add_opaque", None), ("square_typed", None)]
        for name, abi in again if has("the jax.ffi.ffi_call that callbridge uses") else []:
            _registry.registry.find(name, PLATFORM, None).paths = ()
            custom_call(name, F32, abi=abi)
    child = os.fork()
    if child == 0:
        os._exit(0)  # without a word of the function that runs after forks
    assert os.waitpid(child, 0)[1] == 0


@program
def typed_handlers_as_untyped():
    handler = untold().plus_three
    for abi in ["original", "status_returning", "status_returning_unified"]:
        refused(
            "INVALID_ARGUMENT",
            lambda: register("plus_three", handler, PLATFORM, abi=abi),  # noqa: B023
            "'plus_three'",
            abi,
            "'typed_ffi'",
        )
    register("plus_three", handler, PLATFORM)
    refused("INVALID_ARGUMENT", lambda: custom_call("plus_three", F32), "abi=")
    refused(
        "INVALID_ARGUMENT", lambda: custom_call("plus_three", F32, abi="original"), "'typed_ffi'"
    )
    assert custom_call("plus_three", F32, abi="typed_ffi")(ONE) == 4


@program
def loaded_typed_handlers_as_untyped():
    load_uses()
    for abi in ["original", "status_returning_unified"]:
        refused(
            "INVALID_ARGUMENT",
            lambda: custom_call("handler_of_unknown_type", F32, abi=abi),  # noqa: B023
            "'handler_of_unknown_type'",
            "'typed_ffi'",
        )
    assert custom_call("handler_of_unknown_type", F32, abi="typed_ffi")(ONE) == 1


@program
def functions_that_cannot_be_told_must_be_declared():
    functions = untold()
    register("plus_one", functions.plus_one, PLATFORM)
    register("made", plus(1), PLATFORM)
    for name in ["plus_one", "made"]:
        refused("INVALID_ARGUMENT", lambda: custom_call(name, F32), "abi=")  # noqa: B023
        assert custom_call(name, F32, abi="original")(ONE) == 2


@program
def names_registered_twice():
    functions = untold()
    for _ in range(2):
        register("name", functions.plus_one, PLATFORM, abi="original")
    for other in [functions.plus_two, plus(2)]:
        refused(
            "ALREADY_EXISTS",
            lambda: register("name", other, PLATFORM, abi="original"),  # noqa: B023
            "'name'",
        )
    refused(
        "ALREADY_EXISTS",
        lambda: register("name", functions.plus_three, PLATFORM, abi="typed_ffi"),
        "'name'",
    )
    assert custom_call("name", F32)(ONE) == 2
    # A library with a name that is taken registers nothing at all.
    register("take_log", functions.plus_one, PLATFORM, abi="original")
    refused("ALREADY_EXISTS", load_uses, "'take_log'")
    refused("NOT_FOUND", lambda: custom_call("square", F32), "'square'")


def names_that_jax_has():
    """XLA has a name natively, by each of its two registries; what it has goes on to run."""
    functions = untold()
    register_natively("untyped", functions.plus_two, api_version=0)
    for function in [functions.plus_one, functions.plus_two]:
        refused(
            "ALREADY_EXISTS",
            lambda: register("untyped", function, PLATFORM, abi="original"),  # noqa: B023
            "'untyped'",
            "JAX",
        )
    refused("NOT_FOUND", lambda: custom_call("untyped", F32, platform=PLATFORM))
    if has("typed FFI"):
        # What is the same is no other.
        register_natively("handler", functions.plus_three, api_version=1)
        register("handler", functions.plus_three, PLATFORM, abi="typed_ffi")
        assert custom_call("handler", F32)(ONE) == 4
    if "typed" in PATHS:
        register_natively("typed", functions.plus_three, api_version=1)
        refused(
            "ALREADY_EXISTS",
            lambda: register("typed", functions.plus_one, PLATFORM, abi="original"),
            "'typed'",
            "JAX",
        )
    register("nobody_has_it", functions.plus_one, PLATFORM, abi="original")
    assert custom_call("nobody_has_it", F32)(ONE) == 2


@program
def names_that_jax_has_before_it_starts():
    names_that_jax_has()


@program
def names_that_jax_has_after_it_started():
    jax.devices()
    names_that_jax_has()


@program
def library_with_a_name_that_jax_has():
    register_natively("take_log", untold().plus_one, api_version=0)
    refused("ALREADY_EXISTS", load_uses, "'take_log'", "uses.so")
    refused("NOT_FOUND", lambda: custom_call("square", F32, platform=PLATFORM), "'square'")


@program
def names_that_are_no_names():
    function = plus(1)
    for name in [5, None, b"bytes", ("a",)]:
        raised(TypeError, lambda: register(name, function, PLATFORM, abi="original"), "str")  # noqa: B023
        raised(TypeError, lambda: custom_call(name, F32), "str")  # noqa: B023
    refused("INVALID_ARGUMENT", lambda: register("a\0b", function, PLATFORM, abi="original"), "NUL")
    register("ünï ☃ 'quoted\" \\ \n", function, PLATFORM, abi="original")
    for path in PATHS:
        assert custom_call("ünï ☃ 'quoted\" \\ \n", F32, prefer=path)(ONE) == 2


@program
def thousands_of_functions():
    # More than there are entry points made at compile time.
    functions = [plus(np.float32(i)) for i in range(3000)]
    for i, function in enumerate(functions):
        register(f"plus_{i}", function, PLATFORM, abi="original")
    for path in PATHS:
        for i in [0, 1500, 2999]:
            assert custom_call(f"plus_{i}", F32, prefer=path)(ONE) == 1 + i
