"""What custom_call() and register() are told: each option, that it is copied, and which target of
several is meant."""

import ctypes
import gc
import mmap
import weakref

import numpy as np
import pytest
from callbridge import numpy as face
from callbridge._core import _call_site, _native_functions
from callbridge._core._error import parse_platform
from callbridge.numpy import CallbridgeError, custom_call
from refused import refused

ONE = np.float32(1)
POINTERS = ctypes.POINTER(ctypes.c_void_p)
ORIGINAL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, POINTERS)


@pytest.fixture(scope="module", autouse=True)
def targets(built):
    return face.load(built / "python" / "targets.so")


@pytest.fixture(scope="module")
def handlers(built):
    return face.load(built / "targets" / "typed_handlers.so")


@pytest.fixture(scope="module")
def symbols(built):
    return ctypes.CDLL(str(built / "python" / "typed_targets.so"))


# ---- Aliases ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shared():
    """Three operands, two results: for each result, the operand that has its address, or -1."""

    @ORIGINAL
    def function(out, ins):
        results = ctypes.cast(out, POINTERS)[:2]
        for result in results:
            place = ins[:3].index(result) if result in ins[:3] else -1
            ctypes.cast(result, ctypes.POINTER(ctypes.c_int32))[0] = place

    face.register("shared", function, abi="original")


@pytest.mark.parametrize(
    "aliases, expected",
    [
        ({}, [-1, -1]),
        ({2: 0}, [2, -1]),
        ({0: 1}, [-1, 0]),
        ({2: 0, 0: 1}, [2, 0]),
        ({np.int64(1): np.int32(1)}, [-1, 1]),
        (None, [-1, -1]),
    ],
    ids=str,
)
def test_aliases_are_from_operands_to_results(shared, aliases, expected):
    operands = [np.zeros(1, np.int32) for _ in range(3)]
    result = tuple(np.zeros(1, np.int32) for _ in range(2))
    call = custom_call("shared", result, input_output_aliases=aliases)
    assert [int(x[0]) for x in call(*operands)] == expected
    assert not any(operands)


def test_aliased_arrays_are_of_one_type(shared):
    call = custom_call("shared", "(s32[1],s32[1])", input_output_aliases={1: 0})
    with refused("INVALID_ARGUMENT", r"1 to 0: the operand is float32\[1\]", r"result int32\[1\]"):
        call(np.zeros(1, np.int32), np.zeros(1, np.float32))
    with refused("INVALID_ARGUMENT", "there is no operand 1, but 1 operands, counted"):
        call(np.zeros(1, np.int32))
    call = custom_call("shared", "(s32[1],s32[1])", input_output_aliases={0: 2})
    with refused("INVALID_ARGUMENT", "there is no result 2, but 2 results, counted"):
        call(np.zeros(1, np.int32))


def test_aliases_are_copied(shared):
    aliases = {2: 0}
    call = custom_call("shared", "(s32[1],s32[1])", input_output_aliases=aliases)
    aliases.clear()
    results = call(*[np.zeros(1, np.int32)] * 3)
    assert [int(x[0]) for x in results] == [2, -1]


# ---- Results, attributes and the opaque ---------------------------------------------------------


def test_shapes_of_results_may_be_lists_and_any_integers():
    class Result:
        shape, dtype = [2, np.int64(1)], np.dtype(np.float32)

    result = custom_call("refuse_negative", Result())(ONE)
    assert result.shape == (2, 1)


def test_attributes_are_copied(handlers):
    array = np.array([1, 2, 3], np.int32)
    attributes = {"n": 1, "array": array, "inner": {"x": 0.5}, "text": "ab"}
    call = custom_call("attributes", "f32[4]", attributes=attributes)
    array[:] = 9
    attributes["n"], attributes["inner"]["x"] = 7, 8.0
    assert call().tolist() == [1, 6, 0.5, 2]


def test_the_opaque_is_copied():
    opaque = bytearray(b"ab")
    call = custom_call("tuples_and_opaque", "(f32[],(f32[]))", opaque=opaque)
    opaque += b"c"
    assert call((ONE, (ONE,))) == (2, (2,))


@pytest.mark.parametrize("text", ["ä\0☃", "", b"\0\xff\0"])
def test_texts_are_utf_8(symbols, text):
    face.register("typed_text", symbols.typed_text, abi="typed_ffi")
    data = text.encode() if isinstance(text, str) else text
    call = custom_call("typed_text", f"u8[{len(data)}]", attributes={"text": text})
    assert call().tobytes() == data


def test_an_error_of_a_handler_is_pythons_own_for_its_code(symbols):
    face.register("typed_text", symbols.typed_text, abi="typed_ffi")
    call = custom_call("typed_text", "u8[1]", attributes={"text": "two"})
    with pytest.raises(ValueError, match="^INVALID_ARGUMENT: another size$") as raised:
        call()
    assert isinstance(raised.value, CallbridgeError) and raised.value.message == "another size"


def test_names_of_attributes_are_utf_8(handlers):
    with refused("INVALID_ARGUMENT", "names?.*: facteur é, factor$"):
        custom_call("scale", "f32[]", attributes={"facteur é": ONE, "factor": ONE})(ONE)


@pytest.mark.parametrize("value", [np.array("text"), np.array([None]), np.datetime64(1, "s")])
def test_attributes_of_no_element_type(handlers, value):
    words = r"attributes\['inner'\]\['x'\] is of dtype .*, which is not an element type of XLA's"
    with refused("INVALID_ARGUMENT", words):
        custom_call("scale", "f32[]", attributes={"inner": {"x": value}})


def test_arrays_of_rank_0_are_arrays_to_handlers(symbols):
    face.register("typed_kind", symbols.typed_kind, abi="typed_ffi")
    for value, kind in [(np.float32(3), 104), (np.array(3, np.float32), -1)]:
        assert custom_call("typed_kind", "s32[]", attributes={"x": value})() == kind


def test_keywords_of_jax(targets):
    with pytest.raises(TypeError, match="output_layouts= is for callbridge.jax: arrays are row-m"):
        custom_call("example", "f32[]", output_layouts=None)


def test_descriptors_are_freed():
    import resource

    opaque = b"x" * 2**20

    def describe():
        for _ in range(200):
            made = _call_site.descriptor(((ONE,),), ONE, "nested", opaque)
            assert len(made) > len(opaque)

    describe()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    describe()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 2**10  # KiB


# ---- Platforms ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, platform",
    [
        ("Host", "Host"),
        ("cpu", "Host"),
        ("CPU", "Host"),
        ("CUDA", "CUDA"),
        ("cuda", "CUDA"),
        ("gpu", "CUDA"),
        ("GPU", "CUDA"),
        ("ROCM", "ROCM"),
        ("rocm", "ROCM"),
    ],
)
def test_names_of_platforms(name, platform):
    assert parse_platform(name) == platform


def test_unknown_platforms():
    with refused(
        "INVALID_ARGUMENT", "platform: expected Host or cpu, CUDA or gpu, or ROCM, got 'tpu'"
    ):
        parse_platform("tpu")
    with pytest.raises(TypeError, match="platform: expected a str, got int"):
        parse_platform(1)


def test_the_platform_by_default_is_the_only_one_or_the_cpu(targets):
    on_cpu = ORIGINAL(targets.target("untold_double").address)
    on_gpu = ORIGINAL(targets.target("gpu_add_opaque", "CUDA").address)
    face.register("on several", on_gpu, "ROCM")
    assert custom_call("on several", "f32[]", opaque=b"\5")(ONE) == 6
    face.register("on several", on_gpu, "CUDA")
    with refused("NOT_FOUND", "no target 'on several' is registered for Host", r"several \(ROCM\)"):
        custom_call("on several", "f32[]")
    face.register("on several", on_cpu, abi="original")
    assert custom_call("on several", "f32[]")(np.float32(4)) == 8
    for platform in ("gpu", "rocm"):
        assert custom_call("on several", "f32[]", platform=platform, opaque=b"\5")(ONE) == 6


def test_targets_for_platforms_that_callbridge_does_not_know(built):
    library = face.load(built / "targets" / "original_linked.so")
    assert library.target("registered_twice").platform == "Host"
    assert "TPU" in {target.platform for target in library.targets}
    assert custom_call("registered_twice", "s32[]", abi="original")() in (1, 2)


def test_gpu_targets_are_of_one_abi_or_typed(targets):
    assert custom_call("gpu_add_opaque", "f32[]", abi="original", opaque=b"\3")(ONE) == 4
    for abi in ("status_returning", "status_returning_unified"):
        assert targets.run("gpu_add_opaque", [ONE], "f32[]", platform="CUDA", abi=abi) == 1
    with refused("INVALID_ARGUMENT", "'gpu_add_opaque' on CUDA", "'typed_ffi'"):
        targets.run("gpu_add_opaque", [ONE], "f32[]", platform="CUDA", abi="typed_ffi")


# ---- Registration -------------------------------------------------------------------------------


def test_a_function_that_nobody_calls_yet_may_get_its_other_stages(handlers):
    count = handlers.target("count")
    face.register("count of stages", ORIGINAL(count.address))
    stages = {"execute": count.address, **count.stages}
    face.register("count of stages", stages, abi="typed_ffi")
    stages.clear()
    call = custom_call("count of stages", "s32[]", attributes={"start": np.int32(3)})
    assert [int(call()), int(call())] == [3, 4]
    # Now it is called.
    with refused("ALREADY_EXISTS", "'count of stages'", "another name"):
        face.register("count of stages", count.address, abi="typed_ffi")


def test_functions_in_a_dict_of_stages_are_kept(symbols):
    handler = ORIGINAL(ctypes.cast(symbols.typed_count, ctypes.c_void_p).value)
    kept, stages = weakref.ref(handler), {"execute": handler}
    face.register("kept stages", stages, abi="typed_ffi")
    del stages["execute"], handler
    gc.collect()
    assert kept() is not None


def test_a_library_that_was_refused_is_not_said_to_have_changed(built):
    with refused("ALREADY_EXISTS", "'example'") as raised:
        face.load(built / "python" / "other_example.so")
    assert "has changed" not in str(raised.value)


# ---- Memory that is handed over as an address ---------------------------------------------------


def test_memory_of_two_mappings_that_touch():
    pages = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert libc.mprotect(start + mmap.PAGESIZE, mmap.PAGESIZE, mmap.PROT_READ) == 0
    size = 2 * mmap.PAGESIZE
    _native_functions.check_memory(start, size, "r", "it")
    _native_functions.check_memory(start + 8, mmap.PAGESIZE, "r", "it")
    with refused("INVALID_ARGUMENT", f"it is at {start:#x}, where .* no readable and writable mem"):
        _native_functions.check_memory(start, size, "rw", "it")
    _native_functions.check_memory(start, mmap.PAGESIZE, "rw", "it")
    with refused("INVALID_ARGUMENT", "it is at"):
        _native_functions.check_memory(start, mmap.PAGESIZE + 1, "rw", "it")
    with refused("INVALID_ARGUMENT", "no executable memory"):
        _native_functions.check_memory(start, 1, "x", "it")


def test_nothing_is_found_where_there_is_no_list_of_the_memory(monkeypatch):
    def refuse(*_):
        raise OSError

    monkeypatch.setattr(_native_functions, "open", refuse, raising=False)
    _native_functions.check_memory(5, 1, "x", "it")


def test_type_infos_are_aligned():
    memory = ctypes.create_string_buffer(64)
    address = ctypes.addressof(memory) | 7
    word = ctypes.c_int64(0)
    with refused("INVALID_ARGUMENT", "type_info", hex(address), "not a multiple of 8"):
        face.register_type("misaligned info", ctypes.addressof(word), address)
    assert word.value == 0
