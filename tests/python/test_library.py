"""callbridge.library: targets on NumPy arrays, without XLA."""

import collections
import ctypes
import os
import pathlib
import subprocess
import sys

import callbridge
import numpy as np
import pytest
from callbridge._core import _c_api
from callbridge.library import CallbridgeError, load
from refused import refused

F32 = "f32[]"
ONE = np.float32(1)


# ---- The package --------------------------------------------------------------------------------


def test_structs_are_laid_out_as_in_c(modules):
    structs = [
        _c_api.Error,
        _c_api.Target,
        _c_api.TargetAbi,
        _c_api.Site,
        _c_api.Array,
        _c_api.ExecutionContext,
        _c_api.EntryPoints,
        _c_api.FfiHandlers,
    ]
    last_fields = [getattr(struct, struct._fields_[-1][0]) for struct in structs]
    ours = [
        number
        for struct, last in zip(structs, last_fields, strict=True)
        for number in (ctypes.sizeof(struct), last.offset)
    ]
    layout = ctypes.CDLL(str(modules / "c_api_layout.so"))
    assert ours == list((ctypes.c_size_t * len(ours)).in_dll(layout, "c_api_layout"))


def test_version_is_the_librarys():
    assert callbridge.__version__ == _c_api.version().decode()


def test_library_needs_no_jax():
    code = "import callbridge.library, sys; sys.exit('jax' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("path", [None, "/nowhere/libcallbridge.so"])
def test_missing_libcallbridge_says_what_to_do(monkeypatch, path):
    if path is None:
        monkeypatch.delenv("CALLBRIDGE_LIBRARY")
    else:
        monkeypatch.setenv("CALLBRIDGE_LIBRARY", path)
    run = subprocess.run(
        [sys.executable, "-c", "import callbridge.library"], capture_output=True, text=True
    )
    assert run.returncode == 1
    assert "ImportError: " in run.stderr and "set" in run.stderr
    assert "CALLBRIDGE_LIBRARY" in run.stderr


# ---- Opening files ------------------------------------------------------------------------------


def test_missing_file():
    with refused("NOT_FOUND", "/nowhere/old.so"):
        load("/nowhere/old.so")


@pytest.mark.parametrize(
    "change, word",
    [
        (lambda elf: b"#!/bin/sh\nexit 0\n" * 100, "is text"),
        (lambda elf: b"", "is empty"),
        (lambda elf: elf[:40], "ELF"),
        (lambda elf: elf[:18] + b"\xb7\0" + elf[20:], "aarch64"),
        (lambda elf: elf[:4] + b"\x01" + elf[5:], "32"),
        (lambda elf: elf[:5000], ""),
    ],
    ids=["text", "empty", "header cut off", "another machine", "32 bits", "cut off"],
)
def test_no_library_for_this_machine(modules, tmp_path, change, word):
    file = tmp_path / "old.so"
    file.write_bytes(change((modules / "targets.so").read_bytes()))
    with refused("INVALID_ARGUMENT", "old.so", word):
        load(file)


def test_path_of_wrong_kind():
    with pytest.raises(TypeError):
        load(3)
    with refused("INVALID_ARGUMENT", "NUL"):
        load("a\0b")


def test_lists_targets(targets, modules):
    assert targets.path == str(modules / "targets.so")
    told = {t.name: (t.platform, t.abi) for t in targets.targets}
    assert told["example"] == ("Host", "original")
    assert told["refuse_negative"] == ("Host", "status_returning")
    assert told["fail"] == ("Host", "status_returning_unified")
    assert told["untold_double"] == ("Host", None)
    assert told["gpu_add_opaque"][0] == "CUDA"
    assert all(t.address and t.evidence for t in targets.targets)
    assert list(told) == sorted(told)
    assert repr(targets) == f"<callbridge library {targets.path!r}, {len(targets.targets)} targets>"


def test_an_empty_library_registers_nothing(modules):
    library = load(modules.parent / "targets" / "libbeside.so")
    assert library.targets == ()
    with refused(
        "NOT_FOUND", "libbeside.so registers no target 'any' for Host; it registers nothing"
    ):
        library.target("any")


def test_finds_targets(targets):
    assert targets.target("example", "CPU").name == "example"
    with refused("NOT_FOUND", "'exam'", "Host", "example .Host.", "gpu_add_opaque .CUDA."):
        targets.target("exam")
    with refused("NOT_FOUND", "'example'", "CUDA"):
        targets.target("example", "gpu")
    with refused("INVALID_ARGUMENT", "tpu", "CUDA"):
        targets.target("example", "tpu")


# ---- Calls --------------------------------------------------------------------------------------


def test_example(targets):
    b, c = np.arange(128, dtype=np.float32), np.linspace(0, 1, 2048, dtype=np.float32)
    a = targets.run("example", [b, c], "f32[2048]")
    np.testing.assert_array_equal(a, np.tile(b, 16) + c)


def test_operands_of_any_strides_and_byte_order(targets):
    b = np.arange(256, dtype=np.float32)[::2]
    c = np.linspace(0, 1, 2048, dtype=">f4").reshape(2, 1024).T
    a = targets.run("example", [b, c], np.empty((2, 1024), ">f4"))
    np.testing.assert_array_equal(a.reshape(-1), np.tile(b, 16) + c.reshape(-1))
    assert a.dtype == np.float32


def test_operands_are_not_modified(targets):
    x = np.full((), 7, np.float32)
    x.setflags(write=False)
    assert targets.run("writes_to_operand", [x], F32) == 7 and x == 7


def test_buffers_are_aligned_as_xla_aligns_them(targets):
    operand = np.zeros(65, np.uint8)[1:]
    assert targets.run("misalignment", [operand], "u64[2]").tolist() == [0, 0]


def test_every_dtype(targets, some_array):
    # Sub-byte elements come packed: 15 of 4 bits are 8 bytes.
    from callbridge._core._shapes import element_type

    size = -(-some_array.size * element_type(some_array.dtype, "").bits // 8)
    copy = targets.run("copy_bytes", [some_array], some_array, opaque=np.uint64(size).tobytes())
    assert copy.dtype == some_array.dtype
    np.testing.assert_array_equal(copy.view(np.uint8), some_array.view(np.uint8))


def test_sub_byte_elements_are_packed_first_lowest(targets):
    import ml_dtypes

    values = np.array([1, -2, 7, -8, 5]).astype(ml_dtypes.int4)
    packed = targets.run("copy_bytes", [values], "u8[3]", opaque=np.uint64(3).tobytes())
    assert packed.tolist() == [0xE1, 0x87, 0x05]
    copy = targets.run("copy_bytes", [values], "s4[5]", opaque=np.uint64(3).tobytes())
    np.testing.assert_array_equal(copy, values)


def test_nested_tuples(targets):
    a, b, c, d = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    for name, tuple_layout in [("nested", "nested"), ("nested_flat", "flat")]:
        results = targets.run(name, [(a, (b, c)), d], "(f32[4], f32[4])", tuple_layout=tuple_layout)
        assert type(results) is tuple
        np.testing.assert_array_equal(results, (a - b, c - d))


def test_empty_and_single_tuples(targets):
    assert targets.run("empty_and_single", [(), (ONE,)], F32) == 1
    assert targets.run("single_result", [ONE], "(f32[])") == (1,)
    assert targets.run("nested_result", [ONE], "((f32[]),(),(f32[],(f32[])))") == (
        (1,),
        (),
        (1, (1,)),
    )
    before = targets.run("calls_without_result", [], "s32[]")
    assert targets.run("without_result", [], ()) == ()
    assert targets.run("calls_without_result", (), "s32[]") == before + 1


def test_results_as_anything_with_shape_and_dtype(targets):
    template = np.empty((), np.float32)
    assert targets.run("nested_result", [ONE], ((template,), (), (template, (ONE,)))) == (
        (1,),
        (),
        (1, (1,)),
    )


def test_gpu_target_on_host_memory(targets):
    assert targets.run("gpu_add_opaque", [ONE], F32, platform="CUDA", opaque=b"\1\2") == 4


def test_opaque_of_any_bytes(targets):
    for opaque in [b"", b"\0\xff\0", bytes(range(256)), b"\xcb\0site\0\1", bytearray(b"ab")]:
        size, digest = targets.run("digest_opaque", [], "u64[2]", opaque=opaque)
        assert size == len(opaque) and digest == fnv(opaque)


def test_opaque_of_16_mib(targets):
    assert targets.run("digest_opaque", [], "u64[2]", opaque=bytes(16 << 20))[0] == 16 << 20


def fnv(data):
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 % 2**64
    return digest


# ---- Failures -----------------------------------------------------------------------------------


def test_failure(targets):
    assert targets.run("refuse_negative", [ONE], F32) == 1
    with pytest.raises(CallbridgeError) as caught:
        targets.run("refuse_negative", [-ONE], F32)
    assert caught.value.code == "INTERNAL"
    assert str(caught.value) == "INTERNAL: CustomCall failed: negative operand"


@pytest.mark.parametrize(
    "message, arrives",
    [
        (b"up to here\0not this", "up to here"),
        (b"m" * (1 << 20), "m" * (1 << 20)),
        (b"\xff no UTF-8", r"\xff no UTF-8"),
    ],
    ids=["NULs", "1 MiB", "no UTF-8"],
)
def test_failure_messages(targets, message, arrives):
    with pytest.raises(CallbridgeError) as caught:
        targets.run("fail", [], F32, opaque=message)
    assert caught.value.message == "CustomCall failed: " + arrives


def test_targets_that_throw(targets):
    with refused("INTERNAL", "what it said"):
        targets.run("throw_exception", [], F32, opaque=b"what it said")
    with refused("INTERNAL", "int"):
        targets.run("throw_int", [], F32)


def test_abi_must_be_known_or_declared(targets):
    with refused("INVALID_ARGUMENT", "untold_double", "abi=", "'original'"):
        targets.run("untold_double", [ONE], F32)
    assert targets.run("untold_double", [ONE], F32, abi="original") == 2
    assert targets.run("untold_double", [ONE], F32, abi="status_returning") == 2
    assert (
        targets.run("untold_opaque_size", [], F32, abi="status_returning_unified", opaque=b"abc")
        == 3
    )


def test_declared_abi_must_agree(targets):
    assert targets.run("refuse_negative", [ONE], F32, abi="original") == 1
    with refused("INVALID_ARGUMENT", "'original'", "'status_returning_unified'"):
        targets.run("fail", [], F32, abi="original")
    with refused("INVALID_ARGUMENT", "version_2", "'typed_ffi'"):
        targets.run("fail", [], F32, abi="version_2")


Pair = collections.namedtuple("Pair", "x y")


@pytest.mark.parametrize(
    "operand, word",
    [
        ([ONE], "a list; pass a plain tuple"),
        (None, r"None; pass \(\) for an empty"),
        ({"x": ONE}, "a dict; pass a plain tuple of its values"),
        (Pair(ONE, ONE), "a named tuple; pass a plain tuple"),
        (1.5, "a Python number; pass a NumPy scalar"),
        (True, "a Python number"),
        (1j, "a Python number"),
        ("text", "expected an array or a plain tuple of arrays, got str"),
        (np.float32, "type"),
        ((ONE, [ONE]), r"\[1\]"),
    ],
)
def test_operands_that_are_no_operands(targets, operand, word):
    with pytest.raises(TypeError, match=rf"operands\[0\].*{word}"):
        targets.run("single_result", [operand], "(f32[])")
    with pytest.raises(TypeError, match="operands: expected a list or tuple"):
        targets.run("single_result", ONE, "(f32[])")


@pytest.mark.parametrize("result", [[ONE], None, {"x": ONE}, Pair(ONE, ONE), 1.5, (ONE, None)])
def test_results_that_are_no_results(targets, result):
    with pytest.raises(TypeError, match="result"):
        targets.run("single_result", [ONE], result)


@pytest.mark.parametrize(
    "result, word",
    [
        ("f32[", "shape"),
        ("x32[2]", "x32"),
        ("f32[-1]", ""),
        ("f32[2]{0}", "layout"),
        ("(f32[],token[])", "token"),
        ("", ""),
        ("(" * 200 + ")" * 200, "128"),
        ("f32[]\0", "NUL"),
        (np.empty(2, object), "object"),
        (np.empty(2, "U3"), "str"),
    ],
)
def test_results_of_no_shape(targets, result, word):
    with refused("INVALID_ARGUMENT", word):
        targets.run("single_result", [ONE], result)


def test_operands_of_no_element_type(targets):
    for dtype in [object, "U3", "M8[s]", np.longdouble]:
        with refused("INVALID_ARGUMENT", r"operands\[1\]\[0\]", "element type"):
            targets.run("single_result", [ONE, (np.empty(2, dtype),)], "(f32[])")


def test_wrong_opaque_and_era(targets):
    with pytest.raises(TypeError, match="encode"):
        targets.run("fail", [], F32, opaque="text")
    with pytest.raises(TypeError, match="NoneType"):
        targets.run("fail", [], F32, opaque=None)
    with refused("INVALID_ARGUMENT", "'modern'", "'nested'", "'flat'"):
        targets.run("example", [], F32, tuple_layout="modern")


def test_error_survives_pickling():
    import pickle

    error = pickle.loads(pickle.dumps(CallbridgeError("INTERNAL", "message")))
    assert (error.code, str(error)) == ("INTERNAL", "INTERNAL: message")


def test_the_library_was_loaded_by_a_relative_path(modules):
    """Its helper programs are still found beside it in another working folder."""
    program = """if True:
        import ctypes, os, sys
        library = ctypes.CDLL("./libcallbridge.so.0")
        os.chdir("/")
        target = ctypes.CDLL(sys.argv[1])
        verdict, evidence = ctypes.c_int32(), ctypes.c_char_p()
        library.callbridge_probe_typed.restype = ctypes.c_void_p
        address = ctypes.cast(target.answers_query, ctypes.c_void_p)
        arguments = address, ctypes.byref(verdict), ctypes.byref(evidence)
        assert library.callbridge_probe_typed(*arguments) is None
        print(evidence.value.decode())
    """
    folder = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"]).parent
    command = [sys.executable, "-c", program, modules.parent / "targets/probed.so"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.stdout == "answers the metadata query: XLA FFI 0.7\n", done
