"""callbridge.jax: targets inside JAX programs, by both paths through XLA."""

import collections
import concurrent.futures
import copy
import ctypes
import pickle
import re
import subprocess
import sys

import callbridge.jax
import callbridge.library
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from callbridge._core import _call_site
from callbridge._core._native_functions import make_capsule
from callbridge.jax import _frozen_attributes, custom_call
from callbridge.jax._runtimes import RUNTIME, jax_function
from refused import refused
from this_jax import PREFERS_TYPED, enable_x64, fails, has, needs
from this_platform import END, ON_GPU, PLATFORM, scalar_target

F32 = jax.ShapeDtypeStruct((), jnp.float32)
F32x4 = jax.ShapeDtypeStruct((4,), jnp.float32)
ONE = np.float32(1)
MAGIC = b"\xcb\0site\0\1"


@pytest.fixture(scope="module", autouse=True)
def library(modules):
    return callbridge.jax.load(modules / "targets.so")


@pytest.fixture(scope="module")
def embedded(tests_folder):
    """The library of CPU targets, for calls without XLA."""
    return callbridge.library.load(tests_folder / "python/targets.so")


def raw_call(name, result, path, config):
    """Without callbridge.jax: `config` as it is."""
    is_typed = path == "typed"
    call = jax_function(RUNTIME.ffi_call)(
        name,
        [result],
        has_side_effect=False,
        vmap_method=None,
        input_layouts=None,
        output_layouts=None,
        input_output_aliases=None,
        custom_call_api_version=4 if is_typed else 3,
        legacy_backend_config=None if is_typed else config,
    )
    attributes = _frozen_attributes.freeze({"callbridge_site": config} if is_typed else {})
    return lambda *operands: call(*operands, **attributes)[0]


def what_xla_is_told(call, *operands):
    return jax.jit(call).lower(*operands).as_text()


# ---- Calls --------------------------------------------------------------------------------------


def test_example(path):
    b, c = np.arange(128, dtype=np.float32), np.linspace(0, 1, 2048, dtype=np.float32)
    call = custom_call("example", jax.ShapeDtypeStruct((2048,), jnp.float32), prefer=path)
    for run in [call, jax.jit(call), lambda b, c: jax.jit(call)(jnp.asarray(b), jnp.asarray(c))]:
        np.testing.assert_array_equal(run(b, c), np.tile(b, 16) + c)


def test_nested_tuples(path):
    a, b, c, d = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    for name, tuple_layout in [("nested", "nested"), ("nested_flat", "flat")]:
        call = custom_call(name, (F32x4, F32x4), tuple_layout=tuple_layout, prefer=path)
        for run in [call, jax.jit(call)]:
            results = run((a, (b, c)), d)
            assert type(results) is tuple
            np.testing.assert_array_equal(results, (a - b, c - d))


def test_empty_and_single_tuples(path):
    assert custom_call("empty_and_single", F32, prefer=path)((), (ONE,)) == 1
    assert custom_call("single_result", (F32,), prefer=path)(ONE) == (1,)
    nested = ((F32,), (), (F32, (F32,)))
    for result in nested, "((f32[]),(),(f32[],(f32[])))":
        assert custom_call("nested_result", result, prefer=path)(ONE) == ((1,), (), (1, (1,)))


def test_empty_result(path):
    calls = custom_call("calls_without_result", "s32[]", prefer=path, has_side_effect=True)
    call = custom_call("without_result", (), prefer=path, has_side_effect=True)
    before = calls()
    assert jax.jit(call)() == ()
    jax.effects_barrier()
    assert calls() == before + 1


def test_sub_byte_elements_are_packed_as_by_the_embedded_runtime(embedded, path):
    import ml_dtypes

    values = np.array([1, -2, 7, -8, 5]).astype(ml_dtypes.int4)
    opaque = np.uint64(3).tobytes()
    call = custom_call("copy_bytes", "u8[3]", prefer=path, opaque=opaque)
    if not has("packed elements by version_3"):  # an untyped target is not told the type
        with refused("UNIMPLEMENTED", "int4", re.escape(jax.__version__)):
            call(values)
        return
    expected = embedded.run("copy_bytes", [values], "u8[3]", opaque=opaque)
    if not has("first packed element in the low bits"):
        expected = expected >> 4 | expected << 4
    np.testing.assert_array_equal(call(values), expected)


def test_layouts(library, path):
    # Column-major to the target, which copies: row-major that is the transpose.
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    result = jax.ShapeDtypeStruct((2, 3), jnp.float32)
    size = np.uint64(24).tobytes()
    columns = x.T.reshape(2, 3)
    for options, expected in [
        ({}, x),
        ({"input_layouts": [None], "output_layouts": None}, x),
        ({"input_layouts": [(0, 1)], "output_layouts": (0, 1)}, x),
        ({"input_layouts": [(1, 0)]}, columns),
        ({"output_layouts": (1, 0)}, x.reshape(3, 2).T),
        ({"input_layouts": [(1, 0)], "output_layouts": (1, 0)}, x),
    ]:
        call = custom_call("copy_bytes", result, prefer=path, opaque=size, **options)
        np.testing.assert_array_equal(jax.jit(call)(x), expected)


@pytest.mark.parametrize("method", ["sequential", "broadcast_all", "expand_dims"])
def test_layouts_under_vmap(path, method):
    # The result is the operand's bytes, so that the place of the batch dimension shows.
    x = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    size = np.uint64(24 if method == "sequential" else 48).tobytes()
    options = {"opaque": size, "prefer": path, "vmap_method": method}
    call = custom_call("copy_bytes", "u8[24]", input_layouts=[(1, 0)], **options)
    expected = np.stack([np.frombuffer(one.tobytes("F"), np.uint8) for one in x])
    np.testing.assert_array_equal(jax.jit(jax.vmap(call))(x), expected)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"input_layouts": [(0,), (0,)]}, [r"input_layouts", "2", "1"]),
        ({"input_layouts": [(1,)]}, [r"input_layouts\[0\]", "rank 1"]),
        ({"output_layouts": (0, 0)}, [r"output_layouts\[0\]", "rank 1"]),
    ],
    ids=str,
)
def test_layouts_that_are_none(path, options, words):
    call = custom_call("copy_bytes", F32x4, prefer=path, opaque=b"\0" * 8, **options)
    with refused("INVALID_ARGUMENT", *words):
        call(np.zeros(4, np.float32))


@pytest.mark.parametrize("aliases", [{1: 0}, {0: 1}, {-1: 0}, {0: -1}], ids=str)
def test_aliases_of_nothing(path, aliases):
    with refused("INVALID_ARGUMENT", "input_output_aliases", "there is no"):
        custom_call("copy_bytes", F32x4, prefer=path, input_output_aliases=aliases)(
            np.zeros(4, "f")
        )


@pytest.mark.parametrize("aliases", [{0.0: 0}, {0: 0.0}, {"0": 0}, {None: 0}, [(0, 0)]], ids=str)
def test_aliases_that_are_no_integers(path, aliases):
    with pytest.raises(TypeError, match="input_output_aliases: expected"):
        custom_call("copy_bytes", F32x4, prefer=path, input_output_aliases=aliases)(
            np.ones(4, np.float32)
        )


def test_aliases_of_another_form(path):
    call = custom_call("copy_bytes", F32x4, prefer=path, input_output_aliases={0: 0})
    with refused("INVALID_ARGUMENT", "input_output_aliases", r"float32\[3\]", r"float32\[4\]"):
        call(np.zeros(3, np.float32))


@pytest.mark.parametrize(
    "opaque",
    [
        b"",
        b"\0\xff\0'\"",
        bytes(range(256)),
        MAGIC,
        MAGIC + b"\xff",
        bytearray(b"ab"),
        memoryview(b"abc"),
    ],
    ids=repr,
)
def test_opaque_of_any_bytes(embedded, path, opaque):
    with enable_x64():
        digest = custom_call("digest_opaque", "u64[2]", opaque=opaque, prefer=path)()
    np.testing.assert_array_equal(
        digest, embedded.run("digest_opaque", [], "u64[2]", opaque=opaque)
    )


@pytest.mark.parametrize("mib", [1, 16])
def test_big_opaque(embedded, path, mib):
    opaque = bytes(range(256)) * (mib << 12)
    with enable_x64():
        digest = jax.jit(custom_call("digest_opaque", "u64[2]", opaque=opaque, prefer=path))()
    assert np.asarray(digest)[0] == mib << 20
    np.testing.assert_array_equal(
        digest, embedded.run("digest_opaque", [], "u64[2]", opaque=opaque)
    )


def test_opaque_beside_tuples(path):
    call = custom_call("tuples_and_opaque", (F32, (F32,)), opaque=b"\0\1\2", prefer=path)
    assert jax.jit(call)((ONE, (ONE,))) == (2, (3,))


def test_plain_calls_tell_xla_nothing_more(path):
    call = custom_call("example", jax.ShapeDtypeStruct((2048,), jnp.float32), prefer=path)
    told = what_xla_is_told(call, np.zeros(128, np.float32), np.zeros(2048, np.float32))
    assert "@example(" in told and "site" not in told
    flat = custom_call("nested_flat", (F32x4, F32x4), tuple_layout="flat", prefer=path)
    assert "site" not in what_xla_is_told(
        flat, (np.zeros(4), (np.zeros(4), np.zeros(4))), np.zeros(4)
    )


@needs("lowering for another platform")
def test_path_by_default_is_version_3_on_cpu_and_typed_on_gpu():
    told = what_xla_is_told(custom_call("single_result", (F32,)), ONE)
    assert ("api_version = 3" in told) != (ON_GPU or PREFERS_TYPED)
    for opaque in b"", b"opaque":
        call = custom_call("gpu_add_opaque", F32, opaque=opaque)
        told = jax.jit(call).trace(ONE).lower(lowering_platforms=("cuda",)).as_text()
        assert "mhlo.backend_config" in told and ("callbridge_site" in told) == bool(opaque)


def test_vmap(path):
    call = custom_call(
        "tuples_and_opaque", (F32, (F32,)), opaque=b"\0", prefer=path, vmap_method="sequential"
    )
    x = np.arange(3, dtype=np.float32)
    sums, (sizes,) = jax.vmap(call)((x, (x,)))
    np.testing.assert_array_equal(sums, 2 * x)
    np.testing.assert_array_equal(sizes, [1, 1, 1])


def test_vmap_with_arrays_of_another_rank(path):
    # The descriptor holds no dimensions, so it fits the batched call.
    call = custom_call("single_result", (F32,), prefer=path, vmap_method="broadcast_all")
    (result,) = jax.vmap(call)(np.arange(5, 8, dtype=np.float32))
    assert result.shape == (3,) and result[0] == 5


@pytest.mark.parametrize("is_partitioned", [False, True], ids=["whole", "with rules"])
def test_vmap_as_before_it_had_methods(path, is_partitioned):
    # Mapped operands get a dimension more, the others stay as they are, layouts too.
    rules = dict.fromkeys(["partition", "infer_sharding_from_operands"], lambda *given: None)
    if "jax_use_shardy_partitioner" in jax.config.values and has("jax.ffi"):
        rules["sharding_rule"] = "i, j k -> i"
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    call = custom_call(
        "copy_bytes",
        jax.ShapeDtypeStruct((), np.float32),
        opaque=np.uint64(8).tobytes(),
        prefer=path,
        vmap_method="legacy_vectorized",
        input_layouts=[None, (1, 0)],
        partitioning=rules if is_partitioned else None,
    )
    mapped = jax.jit(jax.vmap(call, in_axes=(0, None)))
    np.testing.assert_array_equal(mapped(x[0, :2], x), x[0, :2])
    told = mapped.lower(x[0, :2], x).as_text()
    line = next(line for line in told.splitlines() if "@copy_bytes" in line)
    operands = line.split(" : (")[1].split(") -> ")[0]
    assert operands == "tensor<2xf32>, tensor<2x3xf32>", line
    assert "[dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>]" in line, line


def test_aliasing(path):
    call = custom_call(
        "copy_bytes",
        F32x4,
        opaque=np.uint64(16).tobytes(),
        prefer=path,
        input_output_aliases={0: 0},
    )
    x = jnp.arange(4, dtype=jnp.float32)
    np.testing.assert_array_equal(jax.jit(call)(x), x)
    assert "output_operand_alias" in what_xla_is_told(call, x)


def test_no_derivatives(path):
    call = custom_call("copy_bytes", F32, opaque=np.uint64(4).tobytes(), prefer=path)
    with pytest.raises(ValueError, match="cannot be differentiated"):
        jax.grad(call)(ONE)


def test_calls_from_many_threads(path):
    call = jax.jit(custom_call("nested", (F32x4, F32x4), prefer=path))
    x = np.arange(4, dtype=np.float32)

    def run(i):
        return call((x, (x * i, x * i)), x)

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for i, (first, second) in enumerate(pool.map(run, range(64))):
            np.testing.assert_array_equal(first, x - x * i)
            np.testing.assert_array_equal(second, x * i - x)


# ---- Failures of targets ------------------------------------------------------------------------


def test_failure(path):
    call = jax.jit(custom_call("refuse_negative", F32, prefer=path))
    assert call(ONE) == 1
    with fails("INTERNAL: .*negative operand" + END):
        call(-ONE).block_until_ready()
    assert call(ONE) == 1


@pytest.mark.parametrize(
    "message, arrives",
    [
        (b"up to here\0not this", rf"up to here(\n|{END})"),
        (b"m" * (1 << 20), "m{1000}"),
    ],
    ids=["NULs", "1 MiB"],
)
def test_failure_messages(path, message, arrives):
    with fails(arrives) as caught:
        custom_call("fail", F32, opaque=message, prefer=path)().block_until_ready()
    assert str(caught.value).count("m") >= message.count(b"m")


def test_targets_that_throw(path):
    with fails("INTERNAL", "what it said"):
        custom_call(
            "throw_exception", F32, opaque=b"what it said", prefer=path
        )().block_until_ready()
    with fails("INTERNAL", "int"):
        custom_call("throw_int", F32, prefer=path)().block_until_ready()


def test_malformed_descriptors(path):
    good = _call_site.descriptor(((F32, F32),), F32, "nested", b"")
    for bad in [
        MAGIC,
        MAGIC + b"\xff" * 4,
        good[:-1],
        good[:12] + b"\7" + good[13:],
        MAGIC + b"\1\0\0\0\0",
        good[:17] + b"\xff" * (len(good) - 17),
    ]:
        with fails("descriptor"):
            raw_call("example", F32, path, bad)(ONE, ONE).block_until_ready()


@needs("the typed path of untyped targets")
def test_descriptor_of_another_call():
    for operands, result, word in [
        (((F32,),), F32, "operand"),
        (((F32, jax.ShapeDtypeStruct((), jnp.int32)),), F32, "s32"),
        (((F32, F32),), (F32, F32), "result"),
    ]:
        config = _call_site.descriptor(operands, result, "nested", b"")
        with fails("INVALID_ARGUMENT", word):
            raw_call("example", F32, "typed", config)(ONE, ONE).block_until_ready()


@needs("the typed path of untyped targets")
def test_attribute_that_is_no_descriptor():
    with fails("descriptor"):
        raw_call("single_result", F32, "typed", b"no descriptor")(ONE).block_until_ready()


# ---- What is refused when a call is made --------------------------------------------------------


def test_unregistered(library):
    with refused("NOT_FOUND", "'exam'", "Host", rf"example \({PLATFORM}\)"):
        custom_call("exam", F32, platform="cpu")
    other = "ROCM" if ON_GPU else "CUDA"
    with refused("NOT_FOUND", "'example'", other):
        custom_call("example", F32, platform=other)
    with refused("INVALID_ARGUMENT", "tpu"):
        custom_call("example", F32, platform="tpu")


def test_unknown_names():
    with refused("INVALID_ARGUMENT", "'version_2'", "'typed'", "'version_3'"):
        custom_call("example", F32, prefer="version_2")
    with refused("INVALID_ARGUMENT", "'modern'", "'nested'"):
        custom_call("example", F32, tuple_layout="modern")
    with refused("INVALID_ARGUMENT", "'version_1'", "'original'"):
        custom_call("example", F32, abi="version_1")


def test_abi_must_be_known_or_declared(library, path):
    # A name for each path, since what XLA has been told stays.
    name = f"untold_{path}"
    callbridge.jax.register(name, make_capsule(library.target("untold_double").address))
    with refused("INVALID_ARGUMENT", name, "abi="):
        custom_call(name, F32, prefer=path)
    assert custom_call(name, F32, abi="original", prefer=path)(ONE) == 2
    # Once declared it is known; and on CPU the two are called alike.
    assert custom_call(name, F32, prefer=path)(ONE) == 2
    assert custom_call(name, F32, abi="status_returning", prefer=path)(ONE) == 2
    with refused("INVALID_ARGUMENT", "'status_returning_unified'", "'original'"):
        custom_call(name, F32, abi="status_returning_unified")


def test_declared_abi_must_agree():
    with refused("INVALID_ARGUMENT", "'original'", "'status_returning_unified'"):
        custom_call("fail", F32, abi="original")
    custom_call("refuse_negative", F32, abi="original")


Pair = collections.namedtuple("Pair", "x y")


@pytest.mark.parametrize(
    "operand, word",
    [
        ([ONE], "a list"),
        (None, "None"),
        ({"x": ONE}, "a dict"),
        (Pair(ONE, ONE), "a named tuple"),
        (1.5, "a Python number"),
        ((ONE, [ONE]), r"\[1\]"),
    ],
)
def test_operands_that_are_no_operands(operand, word):
    with pytest.raises(TypeError, match=rf"operands\[0\].*{word}"):
        custom_call("single_result", (F32,))(operand)


@pytest.mark.parametrize("result", [[F32], None, {"x": F32}, Pair(F32, F32), 1.5, (F32, None)])
def test_results_that_are_no_results(result):
    with pytest.raises(TypeError, match="result"):
        custom_call("single_result", result)


def test_opaque_that_is_no_bytes():
    with pytest.raises(TypeError, match="encode"):
        custom_call("fail", F32, opaque="text")


# ---- Registration -------------------------------------------------------------------------------


triple = scalar_target(lambda x: 3 * x)


def test_register_ctypes_function(path):
    for _ in range(2):
        callbridge.jax.register("triple", triple, PLATFORM, abi="original")
    assert custom_call("triple", F32, prefer=path)(ONE) == 3


@needs("jax.ffi")
def test_register_after_jax_has_made_a_capsule():
    # Which sets the types of ctypes.pythonapi's functions, for everybody.
    jax.ffi.pycapsule(triple)
    callbridge.jax.register("triple_of_a_capsule", triple, PLATFORM, abi="original")
    assert custom_call("triple_of_a_capsule", F32)(ONE) == 3


def test_register_things_that_are_no_functions():
    new = ctypes.PyDLL(None).PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    for name in [b"xla._OTHER", None]:
        with refused("INVALID_ARGUMENT", "xla._CUSTOM_CALL_TARGET"):
            callbridge.jax.register("wrong_capsule", new(1, name, None), abi="original")
    with refused("INVALID_ARGUMENT", "null"):
        callbridge.jax.register("null", ctypes.CFUNCTYPE(None)(), abi="original")
    for thing in [1, None, lambda: None, "text"]:
        with pytest.raises(TypeError, match="capsule"):
            callbridge.jax.register("thing", thing, abi="original")
    with refused("NOT_FOUND", "wrong_capsule"):
        custom_call("wrong_capsule", F32, platform="cpu")


def test_register_by_unknown_names():
    with refused("INVALID_ARGUMENT", "'tpu'"):
        callbridge.jax.register("unknown", triple, platform="tpu", abi="original")
    with refused("INVALID_ARGUMENT", "'version_1'"):
        callbridge.jax.register("unknown", triple, abi="version_1")


def test_register_typed_handler(tests_folder):
    with refused("FAILED_PRECONDITION", "typed_handler", "cannot verify"):
        callbridge.jax.register("typed_handler", triple, abi="typed_ffi")
    # A helper process asks functions of files first whether they are typed.
    probed = ctypes.CDLL(str(tests_folder / "targets/probed.so"))
    with refused("INVALID_ARGUMENT", "'aborts'", "typed_ffi", "ended by SIGABRT"):
        callbridge.jax.register("aborts", probed.aborts, abi="typed_ffi")


@needs("versions of typed handlers")
def test_register_typed_handler_that_xla_refuses(tests_folder):
    # A handler that answers is of the version that it says, whoever wrote it.
    probed = ctypes.CDLL(str(tests_folder / "targets/probed.so"))
    with refused("UNIMPLEMENTED", "'answers_query'", "headers of XLA FFI 0.7; callbridge knows"):
        callbridge.jax.register("answers_query", probed.answers_query, abi="typed_ffi")


def test_name_registered_with_another_address(library, modules, path):
    with refused("ALREADY_EXISTS", "'example'", "targets.so", "other_example.so"):
        callbridge.jax.load(modules / "other_example.so")
    with refused("NOT_FOUND", "only_in_other_example"):
        custom_call("only_in_other_example", F32, platform=PLATFORM)
    with refused("ALREADY_EXISTS", "'example'", "targets.so", "register"):
        callbridge.jax.register("example", triple, PLATFORM, abi="original")
    test_example(path)


def test_functions_are_of_this_process(library):
    call = custom_call("example", jax.ShapeDtypeStruct((2048,), np.float32))
    assert copy.copy(call) is copy.deepcopy(call) is call
    with pytest.raises(TypeError, match="'example'.* cannot be pickled: .*other process"):
        pickle.dumps(call)


def test_loading_again_is_fine(library, modules):
    assert callbridge.jax.load(str(modules / "targets.so")) is library


def test_load_of_no_library(tmp_path):
    with refused("NOT_FOUND", "nowhere"):
        callbridge.jax.load("/nowhere/old.so")
    (tmp_path / "text.so").write_text("no ELF")
    with refused("INVALID_ARGUMENT", "text.so"):
        callbridge.jax.load(tmp_path / "text.so")


def test_registering_from_many_threads(path):
    def register(i):
        callbridge.jax.register(f"triple_{path}_{i % 4}", triple, PLATFORM, abi="original")
        return custom_call(f"triple_{path}_{i % 4}", F32, prefer=path)(ONE)

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert [float(x) for x in pool.map(register, range(64))] == [3] * 64


@needs("jax.ffi")
def test_programs_that_know_nothing_of_callbridge(modules):
    # Whoever loads the library can run a program that was lowered elsewhere.
    code = (
        f"import callbridge.jax, jax, numpy as np\n"
        f"callbridge.jax.load({str(modules / 'targets.so')!r})\n"
        "f = jax.ffi.ffi_call('refuse_negative', jax.ShapeDtypeStruct((), np.float32))\n"
        "assert f(np.float32(4)) == 4\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
