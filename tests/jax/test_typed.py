"""callbridge.jax.custom_call on typed FFI handlers, and their attributes."""

import ctypes
import enum

import callbridge.jax
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from callbridge.jax import CallbridgeError, custom_call

F32x4 = jax.ShapeDtypeStruct((4,), jnp.float32)
X = np.arange(4, dtype=np.float32)
HANDLERS = ["scale", "tuples", "scalars", "text", "nested", "kind", "count", "fail"]


@pytest.fixture(scope="module", autouse=True)
def library(modules):
    """Loaded twice: its handlers registered by their symbols, and its targets by load()."""
    symbols = ctypes.CDLL(str(modules / "typed_targets.so"))
    for name in HANDLERS:
        handler = getattr(symbols, f"typed_{name}")
        callbridge.jax.register(f"typed_{name}", handler, abi="typed_ffi")
    return callbridge.jax.load(modules / "typed_targets.so")


def refused(code, *words):
    return pytest.raises(
        CallbridgeError, match=f"(?s)^{code}: " + "".join(f"(?=.*{word})" for word in words)
    )


def kind(x, run=lambda call: call):
    return int(run(custom_call("typed_kind", "s32[]", attributes={"x": x}))())


# ---- Calls --------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"abi": "typed_ffi"}, {"prefer": "typed"}], ids=repr)
def test_call(options):
    call = custom_call("typed_scale", F32x4, attributes={"factor": np.float32(3)}, **options)
    for run in [call, jax.jit(call)]:
        np.testing.assert_array_equal(run(X), 3 * X)


def test_xla_is_told_what_jax_ffi_would_tell_it():
    attributes = {"factor": np.float32(2), "text": b"\0\xff", "n": 1, "x": 1.5, "flag": True}
    attributes["array"] = np.arange(6, dtype=np.int16).reshape(2, 3)
    attributes["scalars"] = {"a": np.uint8(1), "b": "text", "c": ml_dtypes.bfloat16(1)}
    options = {"has_side_effect": True, "input_output_aliases": {0: 0}}
    ours = custom_call("typed_scale", F32x4, attributes=attributes, **options)
    plain = jax.ffi.ffi_call("typed_scale", F32x4, **options)

    def call(x):
        return plain(x, **attributes)

    theirs = jax.jit(call).lower(X).as_text()
    assert jax.jit(ours).lower(X).as_text() == theirs


def test_tuples_are_flattened():
    call = custom_call("typed_tuples", (F32x4, (F32x4,)), era="flat")
    first, (second,) = jax.jit(call)((X, (2 * X, 5 * X)))
    np.testing.assert_array_equal([first, second], [-X, 3 * X])
    assert "site" not in jax.jit(call).lower((X, (X, X))).as_text()


def test_aliasing():
    attributes = {"factor": np.float32(2)}
    call = custom_call("typed_scale", F32x4, attributes=attributes, input_output_aliases={0: 0})
    np.testing.assert_array_equal(jax.jit(call, donate_argnums=0)(jnp.asarray(X)), 2 * X)


@pytest.mark.parametrize("method", ["sequential", "broadcast_all"])
def test_vmap(method):
    call = custom_call(
        "typed_scale", F32x4, attributes={"factor": np.float32(2)}, vmap_method=method
    )
    batch = np.stack([X, X + 1, X + 2])
    np.testing.assert_array_equal(jax.vmap(call)(batch), 2 * batch)


def test_side_effect():
    count = jax.jit(custom_call("typed_count", "s32[]", has_side_effect=True))
    unused = custom_call("typed_count", "s32[]", has_side_effect=True)
    before = int(count())
    jax.jit(lambda: (unused(), None)[1])()
    jax.effects_barrier()
    assert count() == before + 2


def test_failure():
    call = custom_call("typed_fail", F32x4, attributes={"message": "what it said"})
    with pytest.raises((jax.errors.JaxRuntimeError, ValueError), match="what it said"):
        call(X).block_until_ready()


def test_export():
    call = jax.jit(custom_call("typed_scale", F32x4, attributes={"factor": np.float32(2)}))
    checks = [jax.export.DisabledSafetyCheck.custom_call("typed_scale")]
    exported = jax.export.export(call, disabled_checks=checks)(X)
    np.testing.assert_array_equal(exported.call(X), 2 * X)


# ---- Attributes ---------------------------------------------------------------------------------


def test_scalars():
    attributes = {
        "flag": True,
        "small": np.int8(-8),
        "middle": np.int32(-9),
        "big": -(2**40),
        "natural": np.uint64(2**62),
        "single": np.float32(0.5),
        "real": -1.25,
    }
    call = custom_call("typed_scalars", "f32[7]", attributes=attributes)
    expected = [1, -8, -9, -(2.0**40), 2.0**62, 0.5, -1.25]
    np.testing.assert_array_equal(jax.jit(call)(), np.float32(expected))


@pytest.mark.parametrize("text", ["text", "ä\0", b"", b"\0\xff'\"\\", bytes(range(256))], ids=len)
def test_text(text):
    data = text.encode() if isinstance(text, str) else text
    call = custom_call("typed_text", f"u8[{len(data)}]", attributes={"text": text})
    assert np.asarray(jax.jit(call)()).tobytes() == data


@pytest.mark.parametrize("outside_of_jit", [False, True])
def test_dictionaries_and_arrays_at_any_depth(outside_of_jit):
    array = np.broadcast_to(np.float32(2), (3,))
    inner = {"array": np.array([1, 2, 3, 4], ">i4")[::2]}
    attributes = {"array": array, "outer": {"scale": 10, "inner": inner}}
    call = custom_call("typed_nested", "f32[2]", attributes=attributes)
    inner["array"][:] = 0  # they have been copied
    run = call if outside_of_jit else jax.jit(call)
    np.testing.assert_array_equal(run(), [6, 40])
    np.testing.assert_array_equal(run(), [6, 40])


class Color(enum.IntEnum):
    GREEN = 3


@pytest.mark.parametrize("run", [lambda call: call, jax.jit], ids=["eager", "jit"])
def test_equal_attributes_of_different_types(run):
    # JAX by itself takes each for the first of them, and calls the program made for that.
    for _ in range(2):
        assert kind(True, run) == kind(np.bool_(True), run) == 1
        assert kind(np.int32(1), run) == 4
        assert kind(1, run) == kind(np.int64(1), run) == kind(Color.GREEN, run) == 8
        assert kind(np.float32(1), run) == 104
        assert kind(1.0, run) == kind(np.float64(1), run) == 108


def test_zeros_of_both_signs():
    for zero in [0.0, -0.0]:
        attributes = {"factor": np.float32(zero)}
        product = custom_call("typed_scale", F32x4, attributes=attributes)(np.ones(4, np.float32))
        assert np.signbit(product).all() == np.signbit(zero)


def test_equal_attributes_share_a_program():
    def attributes():
        inner = {"array": np.arange(3, dtype=np.int32)}
        outer = {"scale": 1, "inner": inner}
        return {"array": np.full(2, np.nan, np.float32), "outer": outer}

    calls = [custom_call("typed_nested", "f32[2]", attributes=attributes()) for _ in range(2)]
    jaxprs = [jax.make_jaxpr(call)() for call in calls]
    first, second = (jaxpr.eqns[0].params["attributes"] for jaxpr in jaxprs)
    assert first == second and hash(first) == hash(second)
    assert "nan" in str(jaxprs[0])


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


def test_integers_out_of_range():
    with pytest.raises(TypeError, match=r"attributes\['x'\].*int64"):
        kind(2**63)


def test_attributes_that_jax_ffi_cannot_pass():
    with refused("UNIMPLEMENTED", r"attributes\['x'\]", str(2**63)):
        kind(np.uint64(2**63))
    with refused("UNIMPLEMENTED", "'ctx'"):
        custom_call("typed_kind", "s32[]", attributes={"ctx": 1})
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
    with refused("INVALID_ARGUMENT", "'typed_kind'", "version 3"):
        custom_call("typed_kind", "s32[]", prefer="version_3")
    with refused("INVALID_ARGUMENT", "'modern'"):
        custom_call("typed_kind", "s32[]", era="modern")


def test_declared_abi_must_agree(library):
    with refused("INVALID_ARGUMENT", "'original'", "'typed_ffi'"):
        custom_call("typed_kind", "s32[]", abi="original")
    with refused("INVALID_ARGUMENT", "'original'", "'typed_ffi'"):
        custom_call("typed_of_known_type", F32x4, abi="original")


# ---- Registration -------------------------------------------------------------------------------


def test_loaded_handler_of_known_type(library):
    assert library.target("typed_of_known_type").abi == "typed_ffi"
    call = custom_call("typed_of_known_type", F32x4, attributes={"factor": np.float32(2)})
    np.testing.assert_array_equal(jax.jit(call)(X), 2 * X)


def test_loaded_handler_of_unknown_type(library):
    assert library.target("typed_of_unknown_type").abi is None
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


def test_loaded_handlers_with_stages(modules):
    loaded = callbridge.jax.load(modules / "typed_registered.so")
    assert loaded.target("typed_counter").abi == "typed_ffi"
    calls = [jax.jit(custom_call("typed_counter", "s32[]", has_side_effect=True)) for _ in range(2)]
    assert [[int(call()) for _ in range(3)] for call in calls] == [[1, 2, 3]] * 2


def test_handlers_need_an_execute_stage():
    with refused("INVALID_ARGUMENT", "'typed_nothing'", "'execute'"):
        callbridge.jax.register("typed_nothing", {}, abi="typed_ffi")


def test_name_registered_with_other_stages(modules):
    symbols = ctypes.CDLL(str(modules / "typed_targets.so"))
    stages = {"execute": symbols.typed_kind, "prepare": symbols.typed_count}
    with refused("ALREADY_EXISTS", "'typed_kind'", "prepare"):
        callbridge.jax.register("typed_kind", stages, abi="typed_ffi")


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
    with refused("INVALID_ARGUMENT", "variable"):
        callbridge.jax.register_type("another type of test_jax_typed", 0)
