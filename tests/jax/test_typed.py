"""callbridge.jax.custom_call on typed FFI handlers, and their attributes."""

import ctypes
import enum
import re

import callbridge.jax
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from callbridge.jax import CallbridgeError, _frozen_attributes, custom_call
from callbridge.jax._runtimes import OWN_FFI_CALL, RUNTIME
from jax.interpreters import mlir
from jaxlib.mlir import ir
from refused import refused
from this_jax import fails, has, needs
from this_platform import ON_GPU, PLATFORM

# By which this JAX calls typed handlers.
PATHS = (["typed"] if RUNTIME.has_typed_ffi else []) + (
    ["version_3"] if RUNTIME.ffi_call == OWN_FFI_CALL else []
)
F32x4 = jax.ShapeDtypeStruct((4,), jnp.float32)
X = np.arange(4, dtype=np.float32)
HANDLERS = ["scale", "tuples", "scalars", "text", "nested", "kind", "count", "fail"]


@pytest.fixture(scope="module", autouse=True)
def library(modules):
    """Loaded twice: its handlers registered by their symbols, and its targets by load()."""
    symbols = ctypes.CDLL(str(modules / "typed_targets.so"))
    for name in HANDLERS:
        handler = getattr(symbols, f"typed_{name}")
        callbridge.jax.register(f"typed_{name}", handler, PLATFORM, abi="typed_ffi")
    return callbridge.jax.load(modules / "typed_targets.so")


@pytest.fixture(params=PATHS)
def path(request):
    return request.param


def kind(x, path=None, run=lambda call: call):
    return int(run(custom_call("typed_kind", "s32[]", prefer=path, attributes={"x": x}))())


def takes_dictionaries(path):
    return path == "version_3" or has("dictionaries among the attributes")


# ---- Calls --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"abi": "typed_ffi"}, *({"prefer": path} for path in PATHS)], ids=repr
)
def test_call(options):
    call = custom_call("typed_scale", F32x4, attributes={"factor": np.float32(3)}, **options)
    for run in [call, jax.jit(call)]:
        np.testing.assert_array_equal(run(X), 3 * X)


@needs("the jax.ffi.ffi_call that callbridge uses")
def test_xla_is_told_what_jax_ffi_would_tell_it():
    attributes = {"factor": np.float32(2), "text": b"\0\xff", "n": 1, "x": 1.5, "flag": True}
    attributes["array"] = np.arange(6, dtype=np.int16).reshape(2, 3)
    attributes["scalars"] = {"a": np.uint8(1), "b": "text", "c": np.float32(1)}
    options = {"has_side_effect": True, "input_output_aliases": {0: 0}}
    ours = custom_call("typed_scale", F32x4, attributes=attributes, **options)
    plain = jax.ffi.ffi_call("typed_scale", F32x4, **options)

    def call(x):
        return plain(x, **attributes)

    theirs = jax.jit(call).lower(X).as_text()
    assert jax.jit(ours).lower(X).as_text() == theirs


def test_path_by_default(path):
    call = custom_call("typed_count", "s32[]")
    assert (path == PATHS[0]) == (
        lowered(call) == lowered(custom_call("typed_count", "s32[]", prefer=path))
    )


def lowered(call):
    return jax.jit(call).lower().as_text()


def test_tuples_are_flattened(path):
    call = custom_call("typed_tuples", (F32x4, (F32x4,)), tuple_layout="flat", prefer=path)
    first, (second,) = jax.jit(call)((X, (2 * X, 5 * X)))
    np.testing.assert_array_equal([first, second], [-X, 3 * X])
    assert "callbridge_site" not in jax.jit(call).lower((X, (X, X))).as_text()


def test_aliasing(path):
    options = {"attributes": {"factor": np.float32(2)}, "prefer": path}
    call = custom_call("typed_scale", F32x4, input_output_aliases={0: 0}, **options)
    np.testing.assert_array_equal(jax.jit(call)(jnp.asarray(X)), 2 * X)


@pytest.mark.parametrize(
    "method", ["sequential", "sequential_unrolled", "expand_dims", "broadcast_all"]
)
def test_vmap(path, method):
    options = {"attributes": {"factor": np.float32(2)}, "prefer": path}
    call = custom_call("typed_scale", F32x4, vmap_method=method, **options)
    batch = np.stack([X, X + 1, X + 2])
    np.testing.assert_array_equal(jax.vmap(call)(batch), 2 * batch)


def test_side_effect(path):
    count = jax.jit(custom_call("typed_count", "s32[]", prefer=path, has_side_effect=True))
    unused = custom_call("typed_count", "s32[]", prefer=path, has_side_effect=True)
    before = int(count())
    jax.jit(lambda: (unused(), None)[1])()
    jax.effects_barrier()
    assert count() == before + 2


def test_failure(path):
    call = custom_call("typed_fail", F32x4, prefer=path, attributes={"message": "what it said"})
    with fails("what it said"):
        call(X).block_until_ready()


@needs("jax.export")
def test_export(path):
    from jax import export

    options = {"attributes": {"factor": np.float32(2)}, "prefer": path}
    call = jax.jit(custom_call("typed_scale", F32x4, **options))
    checks = [export.DisabledSafetyCheck.custom_call("typed_scale")]
    exported = export.export(call, disabled_checks=checks)(X)
    np.testing.assert_array_equal(exported.call(X), 2 * X)


@needs("jax.export")
def test_dimensions_left_open():
    from jax import export

    n = export.symbolic_shape("n")
    call = jax.jit(lambda x: custom_call("typed_scale", x, attributes={"factor": np.float32(2)})(x))
    checks = [export.DisabledSafetyCheck.custom_call("typed_scale")]
    exported = export.export(call, disabled_checks=checks)(jax.ShapeDtypeStruct(n, jnp.float32))
    np.testing.assert_array_equal(exported.call(X), 2 * X)
    if "version_3" in PATHS:
        call = jax.jit(lambda x: custom_call("typed_fail", x, prefer="version_3")(x))
        with refused("UNIMPLEMENTED", r"\(n,\)", "known"):
            export.export(call)(jax.ShapeDtypeStruct(n, jnp.float32))


# ---- Attributes ---------------------------------------------------------------------------------


def test_scalars(path):
    attributes = {
        "flag": True,
        "small": np.int8(-8),
        "middle": np.int32(-9),
        "big": -(2**40),
        "natural": np.uint64(2**62),
        "single": np.float32(0.5),
        "real": -1.25,
    }
    call = custom_call("typed_scalars", "f32[7]", prefer=path, attributes=attributes)
    expected = [1, -8, -9, -(2.0**40), 2.0**62, 0.5, -1.25]
    np.testing.assert_array_equal(jax.jit(call)(), np.float32(expected))


@pytest.mark.parametrize("text", ["text", "ä\0", b"", b"\0\xff'\"\\", bytes(range(256))], ids=len)
def test_text(path, text):
    data = text.encode() if isinstance(text, str) else text
    call = custom_call("typed_text", f"u8[{len(data)}]", prefer=path, attributes={"text": text})
    assert np.asarray(jax.jit(call)()).tobytes() == data


@pytest.mark.parametrize("outside_of_jit", [False, True])
def test_dictionaries_and_arrays_at_any_depth(path, outside_of_jit):
    array = np.broadcast_to(np.float32(2), (3,))
    inner = {"array": np.array([1, 2, 3, 4], ">i4")[::2]}
    attributes = {"array": array, "outer": {"scale": 10, "inner": inner}}
    if not takes_dictionaries(path):
        words = (r"attributes\['outer'\]", "dictionary", "0.4.34")
        if ON_GPU:
            words = (r"attributes\['array'\]", "an array of float32, on CUDA", "0.4.38")
        with refused("UNIMPLEMENTED", *words, "jax 0.4"):
            custom_call("typed_nested", "f32[2]", prefer=path, attributes=attributes)
        return
    call = custom_call("typed_nested", "f32[2]", prefer=path, attributes=attributes)
    inner["array"][:] = 0  # they have been copied
    run = call if outside_of_jit else jax.jit(call)
    np.testing.assert_array_equal(run(), [6, 40])
    np.testing.assert_array_equal(run(), [6, 40])


class Color(enum.IntEnum):
    GREEN = 3


@pytest.mark.parametrize("run", [lambda call: call, jax.jit], ids=["eager", "jit"])
def test_equal_attributes_of_different_types(path, run):
    # JAX by itself takes each for the first of them, and calls the program made for that.
    for _ in range(2):
        assert kind(True, path, run) == kind(np.bool_(True), path, run) == 1
        assert kind(np.int32(1), path, run) == 4
        assert (
            kind(1, path, run) == kind(np.int64(1), path, run) == kind(Color.GREEN, path, run) == 8
        )
        assert kind(np.float32(1), path, run) == 104
        assert kind(1.0, path, run) == kind(np.float64(1), path, run) == 108


def test_zeros_of_both_signs(path):
    for zero in [0.0, -0.0]:
        options = {"attributes": {"factor": np.float32(zero)}, "prefer": path}
        product = custom_call("typed_scale", F32x4, **options)(np.ones(4, np.float32))
        assert np.signbit(product).all() == np.signbit(zero)


def test_equal_attributes_share_a_program(path):
    if ON_GPU and path == "typed" and not has("arrays among the attributes on a GPU"):
        pytest.skip("one of the attributes is an array")

    def attributes():
        some = {"array": np.full(2, np.nan, np.float32), "scale": 1, "text": "nan"}
        return {**some, "outer": {"inner": dict(some)}} if takes_dictionaries(path) else some

    calls = [
        custom_call("typed_kind", "s32[]", prefer=path, attributes=attributes()) for _ in range(2)
    ]
    jaxprs = [jax.make_jaxpr(call)() for call in calls]
    first, second = (
        tuple(sorted((name, value) for name, value in jaxpr.eqns[0].params.items() if name in HELD))
        for jaxpr in jaxprs
    )
    assert first == second and hash(first) == hash(second)
    assert "nan" in str(jaxprs[0])


def texts_of_attributes():
    """Values, each with how MLIR writes what jax.ffi makes of it."""
    yield from [(True, "true"), (np.bool_(False), "false"), (3, "3 : i64"), (-(2**63), f"-{2**63}")]
    yield from [(1.5, "1.500000e+00 : f64"), (np.float32(0.5), "5.000000e-01 : f32")]
    yield from [("text", '"text"'), ("ä", '"\\C3\\A4"'), (b"\0\xff", '"\\00\\FF"')]
    for bits in (8, 16, 32, 64):
        yield np.dtype(f"int{bits}").type(-3), f"-3 : i{bits}"
        yield np.dtype(f"uint{bits}").type(3), f"3 : ui{bits}"
        array = np.array([[1, 2], [3, 4]])
        yield array.astype(f"int{bits}"), f"array<i{bits}: 1, 2, 3, 4>"
        yield np.zeros(0, f"int{bits}"), f"array<i{bits}>"
        of_type = f"tensor<2x2xui{bits}>"
        yield array.astype(f"uint{bits}"), f"dense<[[1, 2], [3, 4]]> : {of_type}"
    yield np.array([1, 2], np.float32), "array<f32: 1.000000e+00, 2.000000e+00>"
    yield np.array([1, 2], np.float64), "array<f64: 1.000000e+00, 2.000000e+00>"
    yield np.array([1, 2], np.float16), "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf16>"
    yield np.array(7, np.uint8), "dense<7> : tensor<ui8>"
    yield {"b": {"c": 1}, "a": "x"}, '{a = "x", b = {c = 1 : i64}}'


@pytest.mark.parametrize("value, text", list(texts_of_attributes()), ids=repr)
def test_attributes_as_mlir_writes_them(value, text):
    (frozen,) = _frozen_attributes.freeze({"x": value}).values()
    with mlir.make_ir_context(), ir.Location.unknown():
        assert str(_frozen_attributes.to_mlir(frozen)).startswith(text)
    thawed = _frozen_attributes.thaw({"x": frozen})["x"]
    if isinstance(value, dict):
        assert thawed == value
    else:
        assert type(thawed) is type(value) and np.array_equal(thawed, value)


SCALARS = [
    *(np.dtype(f"{kind}{bits}").type(1) for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    *(np.bool_(True), np.float32(1), np.float64(1)),
]


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda scalar: scalar.dtype.name)
def test_scalars_of_each_type(path, scalar):
    known = {"bool": 1, "int32": 4, "int64": 8, "float32": 104, "float64": 108}
    assert kind(scalar, path) == known.get(scalar.dtype.name, -1)


def test_equal_arrays_of_different_types(path):
    # Of equal bytes, and equal by `==`; the handler refuses those that are not of float32.
    if not takes_dictionaries(path):
        pytest.skip("the handler takes a dictionary")
    outer = {"scale": 1, "inner": {"array": np.zeros(2, np.int32)}}
    for dtype in (np.float32, np.int32, np.float32):
        attributes = {"array": np.zeros(2, dtype), "outer": outer}
        call = custom_call("typed_nested", "f32[2]", prefer=path, attributes=attributes)
        for run in (call, jax.jit(call)):
            if dtype is np.float32:
                assert run().tolist() == [0, 0]
                continue
            with fails("array"):
                run().block_until_ready()


def test_zeros_of_both_signs_of_python(path):
    for zero in [0.0, -0.0]:
        attributes = {
            **{"flag": True, "small": np.int8(0), "middle": np.int32(0), "big": 0},
            **{"natural": np.uint64(2**63 - 1), "single": np.float32(0), "real": zero},
        }
        call = custom_call("typed_scalars", "f32[7]", prefer=path, attributes=attributes)
        for run in (call, jax.jit(call)):
            values = np.asarray(run())
            assert np.signbit(values[6]) == np.signbit(zero) and values[4] == np.float32(2**63)


# Of a call's parameters, those that hold the attributes.
HELD = ("attributes", "config")


@needs("typed FFI")
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
def test_arrays_that_not_every_xla_decodes(dtype):
    array = np.array([1, 0, 1], dtype)
    if has(f"arrays of {dtype} among the attributes"):
        assert kind(array, "typed") == -1
        return
    with refused(
        "UNIMPLEMENTED", r"attributes\['x'\]", dtype, "0.4.38", re.escape(jax.__version__)
    ):
        kind(array, "typed")


def test_arrays_of_bool(path):
    # XLA decodes none, and jax 0.5.3 to 0.9.2 would pass other bytes.
    array = np.array([True, False])
    if path == "version_3":
        assert kind(array, path) == -1
        return
    with refused("UNIMPLEMENTED", r"attributes\['x'\]", "bool", re.escape(jax.__version__)):
        kind(array, path)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("size", [0, 3])
def test_arrays_that_every_xla_decodes(path, dtype, size):
    if ON_GPU and path == "typed" and not has("arrays among the attributes on a GPU"):
        with refused(
            "UNIMPLEMENTED", r"attributes\['x'\]: an array of .*, on CUDA, needs jax 0.4.38"
        ):
            kind(np.arange(size).astype(dtype), path)
        return
    assert kind(np.arange(size).astype(dtype), path) == -1


@pytest.mark.parametrize(
    "attributes, words",
    [
        ([("x", 1)], ["attributes", "dict", "list"]),
        ({1: 1}, ["attributes", "str", "1"]),
        ({"x": None}, [r"attributes\['x'\]", "NoneType"]),
        ({"x": [1, 2]}, [r"attributes\['x'\]", "array", "list"]),
        ({"x": {"y": 1j}}, [r"attributes\['x'\]\['y'\]", "complex"]),
        ({"x": np.complex64(1)}, [r"attributes\['x'\]", "complex64"]),
        ({"x": ml_dtypes.float8_e4m3fn(1)}, [r"attributes\['x'\]", "float8_e4m3fn"]),
        ({"x": np.array("text")}, [r"attributes\['x'\]", "element type"]),
    ],
    ids=repr,
)
def test_what_is_no_attribute(attributes, words):
    with pytest.raises((TypeError, CallbridgeError), match=".*".join(words)):
        custom_call("typed_kind", "s32[]", attributes=attributes)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
def test_integers_out_of_range(value):
    with pytest.raises(TypeError, match=r"attributes\['x'\]: -?\d+ is not an int64; .*uint64"):
        kind(value)


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63)])
def test_the_outermost_integers(path, value):
    assert kind(value, path) == 8


@pytest.mark.parametrize("scalar", [np.float16(1), ml_dtypes.bfloat16(1)], ids=repr)
def test_scalars_that_no_xla_decodes(path, scalar):
    if path == "version_3":
        assert kind(scalar, path) == -1
        return
    for value in [scalar, {"y": scalar}] if RUNTIME.has_dictionary_attributes else [scalar]:
        with refused("UNIMPLEMENTED", r"attributes\['x'\]", scalar.dtype.name, "float32"):
            custom_call("typed_kind", "s32[]", attributes={"x": value})


def test_attributes_that_jax_ffi_cannot_pass():
    with refused("UNIMPLEMENTED", r"attributes\['x'\]", str(2**63)):
        kind(np.uint64(2**63))
    with refused("UNIMPLEMENTED", "'ctx'"):
        custom_call("typed_kind", "s32[]", attributes={"ctx": 1})
    if takes_dictionaries(PATHS[0]):
        attributes = {"array": np.zeros(0, np.float32), "outer": {"ctx": 1}}
        jax.jit(custom_call("typed_nested", "f32[2]", attributes=attributes)).lower()


# ---- What is refused ----------------------------------------------------------------------------


def test_attributes_of_an_untyped_target(modules):
    callbridge.jax.load(modules / "targets.so")
    with refused("INVALID_ARGUMENT", "'single_result'", "'original'", "opaque="):
        custom_call("single_result", (F32x4,), attributes={"x": 1})
    custom_call("single_result", (F32x4,), attributes={})


def test_what_typed_handlers_do_not_get():
    with refused("INVALID_ARGUMENT", "'typed_kind'", "attributes="):
        custom_call("typed_kind", "s32[]", opaque=b"bytes")
    if "version_3" not in PATHS:
        with refused("INVALID_ARGUMENT", "'typed_kind'", "'version_3'"):
            custom_call("typed_kind", "s32[]", prefer="version_3")
    if "typed" not in PATHS:
        with refused("UNIMPLEMENTED", "'typed_kind'", "0.4.30", re.escape(jax.__version__)):
            custom_call("typed_kind", "s32[]", prefer="typed")
    with refused("INVALID_ARGUMENT", "'modern'"):
        custom_call("typed_kind", "s32[]", tuple_layout="modern")


def test_declared_abi_must_agree(library):
    with refused("INVALID_ARGUMENT", "'original'", "'typed_ffi'"):
        custom_call("typed_kind", "s32[]", abi="original")
    with refused("INVALID_ARGUMENT", "'original'", "'typed_ffi'"):
        custom_call("typed_of_known_type", F32x4, abi="original")


# ---- Registration -------------------------------------------------------------------------------


def test_loaded_handler_of_known_type(library):
    assert library.target("typed_of_known_type", PLATFORM).abi == "typed_ffi"
    call = custom_call("typed_of_known_type", F32x4, attributes={"factor": np.float32(2)})
    np.testing.assert_array_equal(jax.jit(call)(X), 2 * X)


def test_loaded_handler_of_unknown_type(library):
    assert library.target("typed_of_unknown_type", PLATFORM).abi is None
    with refused("INVALID_ARGUMENT", "typed_of_unknown_type", "'typed_ffi'"):
        custom_call("typed_of_unknown_type", "s32[]")
    for abi in ["typed_ffi", None]:
        call = custom_call("typed_of_unknown_type", "s32[]", abi=abi, attributes={"x": 1})
        assert jax.jit(call)() == 8


def test_loaded_handler_that_cannot_be_registered():
    # It did not keep the others from being loaded.
    for _ in range(2):
        with refused("INVALID_ARGUMENT", "'typed_that_aborts'", "ended by SIGABRT"):
            custom_call("typed_that_aborts", "s32[]")


@pytest.mark.parametrize("prefer", [None, *PATHS])
def test_loaded_handlers_with_stages(modules, prefer):
    loaded = callbridge.jax.load(modules / "typed_registered.so")
    assert loaded.target("typed_counter", PLATFORM).abi == "typed_ffi"
    if prefer == "typed" and not has("stages of typed handlers"):
        with refused("UNIMPLEMENTED", "'typed_counter'", "0.4.31", re.escape(jax.__version__)):
            custom_call("typed_counter", "s32[]", prefer=prefer)
        return
    # By version 3 calls that are alike share a state, so these are of a kind for each test.
    attributes = {"of": f"test {prefer}"}
    options = {"prefer": prefer, "attributes": attributes, "has_side_effect": True}
    calls = [jax.jit(custom_call("typed_counter", "s32[]", **options)) for _ in range(2)]
    is_shared = prefer == "version_3" or not has("stages of typed handlers")
    expected = [[1, 2, 3], [4, 5, 6]] if is_shared else [[1, 2, 3]] * 2
    assert [[int(call()) for _ in range(3)] for call in calls] == expected


def test_handlers_need_an_execute_stage():
    with refused("INVALID_ARGUMENT", "'typed_nothing'", "'execute'"):
        callbridge.jax.register("typed_nothing", {}, PLATFORM, abi="typed_ffi")


def test_name_registered_with_other_stages(modules):
    symbols = ctypes.CDLL(str(modules / "typed_targets.so"))
    stages = {"execute": symbols.typed_kind, "prepare": symbols.typed_count}
    with refused("ALREADY_EXISTS", "'typed_kind'", "prepare"):
        callbridge.jax.register("typed_kind", stages, PLATFORM, abi="typed_ffi")


def test_type_needs_a_name_and_keeps_its_id():
    ids = (ctypes.c_int64 * 2)()
    first, second = (ctypes.addressof(ids) + 8 * i for i in range(2))
    callbridge.jax.register_type("a type of test_jax_typed", first)
    callbridge.jax.register_type("a type of test_jax_typed", first)
    assert ids[0] != 0
    with refused("ALREADY_EXISTS", "a type of test_jax_typed"):
        callbridge.jax.register_type("a type of test_jax_typed", second)
    assert ids[1] == 0
    with refused("INVALID_ARGUMENT", "name"):
        callbridge.jax.register_type("", second)
    with refused("INVALID_ARGUMENT", "type_id is null"):
        callbridge.jax.register_type("another type of test_jax_typed", 0)


def test_the_abi_says_which_of_two_targets_of_one_name_is_called(modules):
    callbridge.jax.load(modules / "twins.so")
    x = np.float32(2)
    scale = {"scale": np.float32(3)}
    for _ in range(2):
        assert jax.jit(custom_call("twin", x, attributes=scale))(x) == 6
        if RUNTIME.has_typed_ffi:
            assert jax.jit(custom_call("twin", x, abi="original"))(x) == -2
        else:
            with pytest.raises(CallbridgeError, match="UNIMPLEMENTED: .*beside a typed handler"):
                custom_call("twin", x, abi="original")


@pytest.mark.skipif(not RUNTIME.has_typed_ffi, reason="this JAX has no typed FFI")
def test_the_typed_path_is_the_handlers_where_there_are_two(modules):
    callbridge.jax.load(modules / "twins.so")
    with pytest.raises(CallbridgeError, match="INVALID_ARGUMENT: .*typed handler by that name"):
        custom_call("twin", np.float32(2), abi="original", prefer="typed")


@needs("the typed path of untyped targets")
def test_attributes_of_an_untyped_target_are_refused_also_in_xla(modules):
    """A call of version 4 that callbridge did not make."""
    callbridge.jax.load(modules / "targets.so")
    call = getattr(jax, "ffi", None) or pytest.importorskip("jax.extend.ffi")
    with fails("attributes .scale.", "is untyped"):
        if hasattr(jax, "ffi"):
            run = jax.jit(lambda x: call.ffi_call("refuse_negative", x)(x, scale=np.int32(3)))
        else:
            run = jax.jit(lambda x: call.ffi_call("refuse_negative", x, x, scale=np.int32(3)))
        jax.block_until_ready(run(X[0]))
