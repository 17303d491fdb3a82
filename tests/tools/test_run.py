"""`callbridge run`, the real executable on real files."""

import io
import json
import os
import pathlib
import re
import shlex
import subprocess

import ml_dtypes
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
TARGETS = BUILD / "tests/tools/run_targets.so"
TYPED = BUILD / "tests/targets/typed_handlers.so"

NAMED_TYPES = {
    "pred": np.bool_,
    "s8": np.int8,
    "s16": np.int16,
    "s32": np.int32,
    "s64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "c64": np.complex64,
    "c128": np.complex128,
}
ML_TYPES = {
    "bf16": ml_dtypes.bfloat16,
    "f8e3m4": ml_dtypes.float8_e3m4,
    "f8e4m3": ml_dtypes.float8_e4m3,
    "f8e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f8e8m0fnu": ml_dtypes.float8_e8m0fnu,
    "f4e2m1fn": ml_dtypes.float4_e2m1fn,
    "s1": ml_dtypes.int1,
    "s2": ml_dtypes.int2,
    "s4": ml_dtypes.int4,
    "u1": ml_dtypes.uint1,
    "u2": ml_dtypes.uint2,
    "u4": ml_dtypes.uint4,
}
TYPES = NAMED_TYPES | ML_TYPES
# Those of less than a byte, which calls get packed.
BITS = {"f4e2m1fn": 4, "s1": 1, "s2": 2, "s4": 4, "u1": 1, "u2": 2, "u4": 4}
# Those of ml_dtypes' types that XLA has not: what reads as float6 would be some other type.
NOT_IN_XLA = {"float6_e2m3fn", "float6_e3m2fn", "complex32", "bcomplex32"}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # The address sanitizer would rather abort than say that memory is short.
    monkeypatch.setenv("ASAN_OPTIONS", "allocator_may_return_null=1")


def command(*words, **options):
    return subprocess.run(
        [COMMAND, *map(str, words)], capture_output=True, text=True, timeout=60, **options
    )


def run(*words):
    """Standard output of a run that succeeds."""
    done = command("run", TARGETS, *words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def failure(status, *words, library=TARGETS):
    """The message of a run that fails: one line, and nothing else is printed."""
    done = command("run", library, *words)
    assert (done.returncode, done.stdout) == (status, ""), done
    assert re.fullmatch(r"callbridge: [^\n]+\n", done.stderr)
    return done.stderr.removeprefix("callbridge: ").removesuffix("\n")


def npy(array):
    """What numpy.save writes."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def text(name, shape):
    return f"{name}[{','.join(map(str, shape))}]"


def sample(name, shape):
    bits = np.random.default_rng(0).integers(0, 256, (*shape, np.dtype(TYPES[name]).itemsize))
    if name == "pred":
        return (bits[..., 0] % 2).astype(bool)
    if name in BITS:
        bits %= 2 ** BITS[name]
    return bits.astype(np.uint8).view(TYPES[name]).reshape(shape)


def operand(name, path):
    return f"{name}:{path}" if name in ML_TYPES else path


def call_bytes(name, array):
    """How many bytes a call gets for it."""
    return -(-array.size * BITS.get(name, 8 * array.itemsize) // 8)


# ---- Files ---------------------------------------------------------------------------------------


def test_every_type_of_ml_dtypes_is_accounted_for():
    dtypes = {
        np.dtype(value)
        for name, value in vars(ml_dtypes).items()
        if isinstance(value, type) and issubclass(value, np.generic)
    }
    missing = {str(dtype) for dtype in dtypes - {np.dtype(t) for t in ML_TYPES.values()}}
    assert missing == NOT_IN_XLA


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 3, 4), (2, 0)])
def test_every_type_passes_unchanged(name, shape):
    array = sample(name, shape)
    np.save("x.npy", array)
    run(
        "copy",
        operand(name, "x.npy"),
        "--opaque",
        call_bytes(name, array),
        "--result",
        text(name, shape),
        "--output",
        "y.npy",
    )
    written = pathlib.Path("y.npy").read_bytes()
    # numpy.load refuses what numpy.save writes for float8_e5m2.
    assert written == npy(array).replace(b"'<f1'", b"'<V1'")
    loaded = np.load("y.npy")
    assert loaded.shape == shape
    assert (loaded.view(array.dtype) if name in ML_TYPES else loaded).tobytes() == array.tobytes()
    # And its own output is an operand again.
    run(
        "copy",
        operand(name, "y.npy"),
        "--opaque",
        call_bytes(name, array),
        "--result",
        text(name, shape),
        "--output",
        "z.npy",
    )
    assert pathlib.Path("z.npy").read_bytes() == written


def test_headers_are_those_of_numpy_save():
    # numpy.save leaves room for the first dimension to grow, and then aligns the data.
    shapes = [(10**digits, 0) for digits in range(19)] + [(0,) + (1,) * more for more in range(48)]
    names = [f"{i}.npy" for i in range(len(shapes))]
    np.save("x.npy", np.zeros(0, np.uint8))
    result = f"({','.join(text('u8', shape) for shape in shapes)})"
    outputs = [word for name in names for word in ("--output", name)]
    run("split", "x.npy", "--opaque", f"{len(shapes)} 0", "--result", result, *outputs)
    for shape, name in zip(shapes, names, strict=True):
        assert pathlib.Path(name).read_bytes() == npy(np.empty(shape, np.uint8)), shape


@pytest.mark.parametrize(
    "name", [name for name, t in NAMED_TYPES.items() if np.dtype(t).itemsize > 1]
)
def test_big_endian_is_converted(name):
    array = sample(name, (5,))
    np.save("x.npy", array.astype(array.dtype.newbyteorder(">")))
    run("copy", "x.npy", "--opaque", array.nbytes, "--result", f"{name}[5]", "--output", "y.npy")
    assert pathlib.Path("y.npy").read_bytes() == npy(array)


def test_fortran_order_is_converted_both_ways():
    array = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    np.save("x.npy", np.asfortranarray(array))
    assert b"True" in pathlib.Path("x.npy").read_bytes()
    run("copy", "x.npy", "--opaque", 48, "--result", "s16[2,3,4]", "--output", "y.npy")
    assert pathlib.Path("y.npy").read_bytes() == npy(array)
    # A target that returns column-major: the same bytes, read the other way.
    out = run("copy", "x.npy", "--opaque", 48, "--result", "s16[4,3,2]{0,1,2}", "--output", "y.npy")
    assert pathlib.Path("y.npy").read_bytes() == npy(np.ascontiguousarray(array.T))
    assert out.splitlines()[1] == "result{} s16[4,3,2] 0 12 4 16 8 20 1 13 ..."
    out = run("copy", "x.npy", "--opaque", 48, "--result", "s16[4,3,2]{1,2,0}", "--output", "y.npy")
    expected = array.reshape(4, 2, 3).transpose(0, 2, 1)
    assert np.array_equal(np.load("y.npy"), expected)


def test_buffers_are_aligned():
    np.save("x.npy", np.zeros(65, np.uint8))
    for _ in range(4):
        out = run("misalignment", "x.npy", "--result", "u64[]")
        assert out.endswith("result{} u64[] 0\n")


@pytest.mark.parametrize(
    "array, message",
    [
        (np.zeros(3, np.longdouble), "its dtype '<f16' has no XLA element type"),
        (np.zeros(3, np.clongdouble), "its dtype '<c32' has no XLA element type"),
        (np.zeros(3, "S3"), "its dtype '|S3' has no XLA element type"),
        (np.zeros(3, "U2"), "its dtype '<U2' has no XLA element type"),
        (np.zeros(3, "M8[s]"), "its dtype '<M8[s]' has no XLA element type"),
        (np.zeros(3, [("a", "i4")]), "a structured dtype has no XLA element type"),
        (np.array([print]), "its dtype '|O' has no XLA element type"),
        (np.zeros(3, ml_dtypes.complex32), "its dtype '<W4' has no XLA element type"),
        (
            np.zeros(3, ml_dtypes.bfloat16),
            "its dtype '<V2' does not say the element type: put the type before the file, as in "
            "bf16:FILE",
        ),
        (
            np.zeros(3, ml_dtypes.int4),
            "its dtype '<V1' does not say the element type: put the type before the file, as in "
            "f8e5m2:FILE; the types of this size are f8e5m2, f8e4m3fn, s4, u4, ",
        ),
    ],
    ids=lambda value: str(value.dtype) if isinstance(value, np.ndarray) else "",
)
def test_types_that_cannot_be_read(array, message):
    np.save("x.npy", array)
    assert failure(1, "run", "x.npy", "--result", "s32[]").startswith(
        f"INVALID_ARGUMENT: x.npy: {message}"
    )


def test_files_that_are_broken():
    whole = npy(np.arange(6, dtype=np.int32))
    path = pathlib.Path("x.npy")
    path.write_bytes(whole[:-1])
    message = failure(1, "run", "x.npy", "--result", "s32[]")
    assert message == "INVALID_ARGUMENT: x.npy: truncated: s32[6] takes 24 bytes, found 23"
    path.write_bytes(whole + b"\0")
    message = failure(1, "run", "x.npy", "--result", "s32[]")
    assert message.startswith("INVALID_ARGUMENT: x.npy: too long: s32[6] takes 24 bytes, found 25")
    np.savez("x.npz", np.zeros(3))
    message = failure(1, "run", "x.npz", "--result", "s32[]")
    assert message.startswith("INVALID_ARGUMENT: x.npz: not a .npy file")
    message = failure(1, "run", "nowhere.npy", "--result", "s32[]")
    assert message == "NOT_FOUND: nowhere.npy: No such file or directory"
    message = failure(1, "run", "(x.npy,f32:x.npz)", "--result", "s32[]")
    assert message.startswith("INVALID_ARGUMENT: x.npy: too long")


def test_operands_from_a_pipe():
    np.save("x.npy", np.arange(3, dtype=np.int32))
    done = command(
        "run",
        TARGETS,
        "copy",
        "/dev/stdin",
        "--opaque",
        12,
        "--result",
        "s32[3]",
        stdin=subprocess.Popen(["cat", "x.npy"], stdout=subprocess.PIPE).stdout,
    )
    assert done.stdout.endswith("result{} s32[3] 0 1 2\n"), done


# ---- Elements of less than a byte ----------------------------------------------------------------


@pytest.fixture(scope="session")
def library():
    """The targets, opened by the Python face, which has to agree with the command."""
    os.environ.setdefault("CALLBRIDGE_LIBRARY", str(LIBRARY))
    import callbridge.library

    return callbridge.library.load(TARGETS)


def test_targets_get_elements_packed_the_first_in_the_lowest_bits():
    # As ml_dtypes has them: -2 is 0x0e. A file may hold them sign-extended: 0xf8 is -8.
    np.save("x.npy", np.array([1, 14, 7, 0xF8, 5], np.uint8).view("V1"))
    out = run("copy", "s4:x.npy", "--opaque", 3, "--result", "u8[3]", "--output", "y.npy")
    assert out.endswith(f"result{{}} u8[3] {0xE1} {0x87} {0x05}\n")
    np.save("y.npy", np.array([0xE1, 0x87, 0xF5], np.uint8))
    for result in ("s4[5]", "s4[5]{0:E(4)}"):
        out = run("copy", "y.npy", "--opaque", 3, "--result", result, "--output", "z.npy")
        assert out.endswith("result{} s4[5] 1 -2 7 -8 5\n")
        assert pathlib.Path("z.npy").read_bytes() == npy(
            np.array([1, -2, 7, -8, 5]).astype(ml_dtypes.int4)
        )
    # Packed in the order of the memory.
    out = run("copy", "y.npy", "--opaque", 3, "--result", "s4[2,3]{0,1}")
    assert out.endswith("result{} s4[2,3] 1 7 5 -2 -8 -1\n")
    np.save("x.npy", np.asfortranarray(np.arange(6, dtype=np.uint8).reshape(2, 3).view("V1")))
    out = run("copy", "u4:x.npy", "--opaque", 3, "--result", "u8[3]")
    assert out.endswith(f"result{{}} u8[3] {0x10} {0x32} {0x54}\n")


@pytest.mark.parametrize("name", BITS)
@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (9, 1, 3), (0, 3)])
def test_the_command_and_the_python_face_agree(library, name, shape):
    array = sample(name, shape)
    size = call_bytes(name, array)
    opaque = str(size).encode()
    np.save("x.npy", array)
    words = ["copy", operand(name, "x.npy"), "--opaque", size, "--output", "y.npy", "--result"]

    run(*words, f"u8[{size}]")
    packed = library.run("copy", [array], f"u8[{size}]", opaque=opaque)
    assert np.load("y.npy").tobytes() == packed.tobytes()

    run(*words, text(name, shape))
    copy = library.run("copy", [array], text(name, shape), opaque=opaque)
    assert pathlib.Path("y.npy").read_bytes() == npy(copy)

    # Bits behind the last element, where a target leaves some, do not count.
    np.save("x.npy", np.full(size, 0xB5, np.uint8))
    run("copy", "x.npy", *words[2:], text(name, shape))
    copy = library.run("copy", [np.load("x.npy")], text(name, shape), opaque=opaque)
    assert pathlib.Path("y.npy").read_bytes() == npy(copy)


# ---- What is printed -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ML_TYPES, "f16", "s8", "u8"])
def test_every_bit_pattern_is_printed_so_that_it_reads_back(name):
    dtype = np.dtype(TYPES[name])
    array = np.arange(256**dtype.itemsize, dtype=f"u{dtype.itemsize}").view(dtype)
    if name in BITS:
        array = array[: 2 ** BITS[name]]
    array = np.resize(array, max(array.size, 8))
    np.save("x.npy", array)
    pieces = array.size // 8
    result = f"({','.join([f'{name}[8]'] * pieces)})"
    opaque = f"{pieces} {call_bytes(name, array[:8])}"
    out = run("split", operand(name, "x.npy"), "--opaque", opaque, "--result", result)
    lines = out.splitlines()[1:]
    assert [line.split(" ")[:2] for line in lines] == [
        [f"result{{{i}}}", f"{name}[8]"] for i in range(pieces)
    ]
    words = [word for line in lines for word in line.split(" ")[2:]]
    if name[0] in "su":
        assert words == [str(int(element)) for element in array]
        return
    with np.errstate(all="ignore"):
        read_back = np.array(words, dtype=np.float64).astype(dtype)
        numbers = ~np.isnan(array.astype(np.float64))
    assert [word == "nan" for word in words] == list(~numbers)
    assert read_back[numbers].tobytes() == array[numbers].tobytes()


@pytest.mark.parametrize("name", ["f32", "f64", "c64", "c128"])
def test_floats_are_printed_so_that_they_read_back(name):
    array = sample(name, (8,))
    np.save("x.npy", array)
    out = run("copy", "x.npy", "--opaque", array.nbytes, "--result", f"{name}[8]")
    parts = np.array(re.findall(r"[^ ,()]+", out.splitlines()[1].split("] ")[1]), dtype=np.float64)
    assert np.array_equal(
        parts.astype(array.real.dtype), array.view(array.real.dtype), equal_nan=True
    )


def test_text_and_json():
    np.save("x.npy", np.arange(4, dtype=np.float32))
    np.save("y.npy", np.ones(4, ml_dtypes.bfloat16))
    words = ["sums", "(x.npy,(bf16:y.npy,x.npy))", "--result", "(f32[],(f32[],f32[]))"]
    first, *results = run(*words).splitlines()
    assert re.fullmatch(r"sums on Host: original \(.+\)", first)
    assert results == ["result{0} f32[] 6", "result{1,0} f32[] 4", "result{1,1} f32[] 6"]

    files = [word for file in ("a.npy", "b.npy", "c.npy") for word in ("--output", file)]
    described = json.loads(run("--json", *files, *words))
    evidence = described.pop("evidence")
    assert evidence in first
    assert described == {
        "target": "sums",
        "platform": "Host",
        "abi": "original",
        "results": [
            {"index": [0], "element_type": "f32", "dimensions": [], "file": "a.npy"},
            {"index": [1, 0], "element_type": "f32", "dimensions": [], "file": "b.npy"},
            {"index": [1, 1], "element_type": "f32", "dimensions": [], "file": "c.npy"},
        ],
    }
    assert [float(np.load(file["file"])) for file in described["results"]] == [6, 4, 6]


def test_standard_output_that_is_full():
    np.save("x.npy", np.zeros(1, np.uint8))
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [COMMAND, "run", TARGETS, "run", "--result", "s32[]"],
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 1
    assert b"standard output: No space left on device" in done.stderr


# ---- The call ------------------------------------------------------------------------------------


def test_an_empty_tuple_and_a_token():
    out = run("pass_token", "token[]", "--result", "(s32[],token[])", "--output", "x.npy")
    assert out.splitlines()[1:] == ["result{0} s32[] 1", "result{1} token[]"]
    assert np.load("x.npy") == 1
    out = run("opaque_bytes", "()", "(())", "--result", "u8[64]", "--opaque", "A")
    assert out.splitlines()[1] == "result{} u8[64] 65 0 0 0 0 0 0 0 ..."


@pytest.mark.parametrize(("count", "more"), [(7, ""), (8, ""), (9, " ...")])
def test_eight_elements_are_shown(count, more):
    np.save("x.npy", np.zeros(count, np.uint8))
    out = run("copy", "x.npy", "--opaque", count, "--result", f"u8[{count}]")
    assert out.splitlines()[1] == f"result{{}} u8[{count}]" + " 0" * min(count, 8) + more


def test_opaque_is_bytes():
    run("opaque_bytes", "--result", "u8[64]", "--opaque", "", "--output", "x.npy")
    assert np.load("x.npy").tobytes() == bytes(64)
    run("opaque_bytes", "--result", "u8[64]", "--opaque=--json", "--output", "x.npy")
    assert np.load("x.npy").tobytes() == b"--json".ljust(64, b"\0")
    opaque = b"\0\xff\n\0end"
    pathlib.Path("opaque").write_bytes(opaque)
    run("opaque_bytes", "--result", "u8[64]", "--opaque-file", "opaque", "--output", "x.npy")
    assert np.load("x.npy").tobytes() == opaque.ljust(64, b"\0")
    message = failure(1, "opaque_bytes", "--result", "u8[64]", "--opaque-file", "nowhere")
    assert message == "NOT_FOUND: nowhere: No such file or directory"


def test_eras():
    np.save("x.npy", np.array([1], np.float32))
    np.save("y.npy", np.array([2], np.float32))
    out = run("flat_pair", "(x.npy,(y.npy))", "--result", "f32[2]", "--tuple-layout", "flat")
    assert out.endswith("result{} f32[2] 1 2\n")


def test_abi_and_platform():
    np.save("x.npy", np.array([7], np.float32))
    words = ["no_types", "x.npy", "--opaque", "4", "--result", "f32[1]"]
    assert "declare it" in failure(1, *words)
    out = run(*words, "--abi", "status_returning_unified")
    assert out.splitlines() == [
        "no_types on Host: status_returning_unified (declared by --abi)",
        "result{} f32[1] 7",
    ]
    message = failure(1, "copy", "--abi", "original", "--result", "f32[]")
    assert message.startswith("INVALID_ARGUMENT: copy is status_returning_unified (")
    assert message.endswith("not original: leave --abi out")

    assert failure(1, "on_gpu", "x.npy", "--result", "f32[1]").startswith("NOT_FOUND: ")
    out = run("on_gpu", "x.npy", "--result", "f32[1]", "--platform", "cuda")
    assert out.splitlines()[1] == "result{} f32[1] 7"
    # All versions are called alike there.
    out = run("no_types_on_gpu", "x.npy", "--result", "f32[1]", "--platform", "cuda")
    assert out.splitlines()[1] == "result{} f32[1] 7"
    assert "unspecified" in out.splitlines()[0] and "--abi" not in out.splitlines()[0]


def test_a_call_that_fails():
    message = failure(1, "fail", "--opaque", "not today", "--result", "f32[]")
    assert message == "INTERNAL: CustomCall failed: not today"
    message = failure(1, "fail", "--opaque", "two\nlines\t", "--result", "f32[]")
    assert message == r"INTERNAL: CustomCall failed: two\nlines\t"
    message = failure(1, "fail_as_version_2", "--result", "f32[]", "--output", "x.npy")
    assert message == "INTERNAL: CustomCall failed: no luck"
    assert not pathlib.Path("x.npy").exists()
    message = failure(1, "throw_exception", "--result", "f32[]")
    assert message.startswith("INTERNAL: CustomCall failed: ")
    assert "thrown by the target" in message


def test_a_target_named_like_the_subcommand():
    assert run("run", "--result", "s32[]").endswith("result{} s32[] 1\n")


def test_libraries_and_targets_that_are_not_there():
    message = failure(1, "t", "--result", "f32[]", library="nowhere.so")
    assert message.startswith("NOT_FOUND: ") and "nowhere.so" in message
    pathlib.Path("text.so").write_text("no ELF")
    message = failure(1, "t", "--result", "f32[]", library="text.so")
    assert message.startswith("INVALID_ARGUMENT: ") and "text.so" in message
    message = failure(1, "t", "--result", "f32[]")
    assert message.startswith("NOT_FOUND: ") and "do_custom_call" in message
    message = failure(2)
    assert re.search(r"^TARGET is required; .*run_targets.so registers copy on Host, ", message)
    assert failure(1, library="nowhere.so").startswith("NOT_FOUND: ")


def test_outputs_that_cannot_be_written():
    message = failure(1, "run", "--result", "s32[]", "--output", "nowhere/x.npy")
    assert message == "NOT_FOUND: nowhere/x.npy: No such file or directory"
    message = failure(1, "run", "--result", "s32[]", "--output", "/dev/full")
    assert message.endswith("/dev/full: No space left on device")


def test_results_beyond_the_memory():
    done = command("run", TARGETS, "run", "--result", "f32[1000000000000000]")
    message = (
        "callbridge: RESOURCE_EXHAUSTED: no memory for 4000000000000000 bytes; this machine has "
    )
    assert done.returncode == 1 and done.stderr.startswith(message), done


# ---- The command line ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, message",
    [
        (["t"], "--result is required: the shape that the target returns"),
        (["t", "--result", "f32["], "--result: shape text, character 5: expected a dimension"),
        (
            ["t", "--result", "(token[],s4[2]{0:E(8)})"],
            "--result: s4[2]{0:E(8)}: custom calls get s4 in 4 bits, never in 8: leave ",
        ),
        (
            ["t", "--result", "pred[2]{0:E(1)}"],
            "--result: pred[2]{0:E(1)}: custom calls get pred in 8 bits, never in 1: ",
        ),
        (
            ["t", "--result", "(f32[],(f32[],token[]))", "--output", "x.npy"],
            "expected --output once for each array of (f32[],(f32[],token[])) (2), got 1",
        ),
        (["t", "(x.npy", "--result", "f32[]"], 'OPERAND: "(x.npy", character 7: expected '),
        (["t", "bf17:x.npy", "--result", "f32[]"], 'OPERAND: "bf17:x.npy", character 1: expected '),
        (["t", "--result", "f32[]", "--abi", "v1"], "--abi: "),
        (["t", "--result", "f32[]", "--tuple-layout", "old"], "--tuple-layout: "),
        (["t", "--result", "f32[]", "--platform", "TPU"], "--platform: "),
        (
            ["t", "--result", "f32[]", "--frobnicate"],
            "unknown option --frobnicate (see --help)",
        ),
        (["t", "--result", "f32[]", "--result", "f32[]"], "--result"),
        (["t", "--opaque", "x", "--opaque-file", "y"], "--opaque"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage_errors(words, message):
    assert failure(2, *words).startswith(message)


def test_commands_that_do_not_exist():
    for words in ([], ["frobnicate"], ["run"]):
        done = command(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(r"callbridge: [^\n]+ \(see --help\)\n", done.stderr)


def test_help_and_version():
    assert re.fullmatch(r"callbridge \d+\.\d+\.\d+\n", command("--version").stdout)
    done = command("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "run " in done.stdout


MODULE = """HloModule example

ENTRY main {
  b = f32[128]{0} parameter(0)
  c = f32[2048]{0} parameter(1)
  ROOT a = f32[2048]{0} custom-call(b, c), custom_call_target="do_custom_call"
}
"""


OPERATOR = """
#include <cstdint>
extern "C" int CustomAdd(int, void** params, int*, int64_t** shapes, const char**, void*, void*) {
  float** arrays = reinterpret_cast<float**>(params);
  for (int i = 0; i < shapes[1][0]; ++i) arrays[2][i] = arrays[0][i % shapes[0][0]] + arrays[1][i];
  return 0;
}
"""


def test_the_examples_of_the_help():
    done = command("run", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    examples = re.findall(r"^  (callbridge run .*)$", done.stdout, re.MULTILINE)
    assert len(examples) == 6
    pathlib.Path("add.cc").write_text(OPERATOR)
    pathlib.Path("libold.so").symlink_to(TARGETS)
    pathlib.Path("libplain.so").symlink_to(BUILD / "tests/tools/exported_functions.so")
    pathlib.Path("module.hlo").write_text(MODULE)
    pathlib.Path("libtyped.so").symlink_to(TYPED)
    b, c = np.arange(128, dtype=np.float32), np.arange(2048, dtype=np.float32)
    np.save("b.npy", b)
    np.save("c.npy", c)
    np.save("x.npy", np.arange(4, dtype=np.float32))
    np.save("y.npy", np.ones(4, ml_dtypes.bfloat16))
    for example in examples:
        program, *words = shlex.split(example)
        assert program == COMMAND.name
        done = command(*words)
        assert (done.returncode, done.stderr) == (0, ""), done
        if "a.npy" in words:
            assert np.array_equal(np.load("a.npy"), np.tile(b, 16) + c)
            pathlib.Path("a.npy").unlink()


def test_the_view_of_the_help():
    """What the help says about types that NumPy cannot name."""
    assert "numpy.load(file).view(ml_dtypes.bfloat16)" in command("run", "--help").stdout
    array = np.array([1.5, -2], ml_dtypes.bfloat16)
    np.save("x.npy", array)
    run("copy", "bf16:x.npy", "--opaque", 4, "--result", "bf16[2]", "--output", "y.npy")
    assert np.array_equal(np.load("y.npy").view(ml_dtypes.bfloat16), array)


# ---- Typed FFI handlers -------------------------------------------------------------------------


def test_typed_handler():
    np.save("x.npy", np.float32([1, 2, 3]))
    done = command(
        *("run", TYPED, "scale", "x.npy", "--attribute", "factor=0.5:f32"),
        *("--result", "f32[3]", "--output", "y.npy", "--json"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["abi"] == "typed_ffi"
    np.testing.assert_array_equal(np.load("y.npy"), np.float32([0.5, 1, 1.5]))


def test_typed_handler_with_state():
    done = command("run", TYPED, "count", "--attribute", "start=7:i32", "--result", "s32[]")
    assert (done.returncode, done.stderr) == (0, "")
    assert "typed_ffi (registered as a typed FFI handler)" in done.stdout
    assert "7" in done.stdout


def test_typed_handlers_error():
    done = command("run", TYPED, "refuse", "--attribute", 'why="too far"', "--result", "()")
    assert done.returncode == 1
    assert "OUT_OF_RANGE: too far" in done.stderr


def test_attribute_that_is_none():
    done = command("run", TYPED, "scale", "--attribute", "factor=0.5", "--result", "()")
    assert done.returncode == 2
    assert "--attribute" in done.stderr and "expected NAME=VALUE" in done.stderr


# What CustomRegOp(...).get_op_info() of MindSpore returns for the typed handler "scale".
SCALE_INFO = {
    "op_name": "scale_cpu",
    "inputs": [{"index": 0, "name": "x", "paramType": "required"}],
    "outputs": [{"index": 0, "name": "y", "paramType": "required"}],
    "attr": [{"name": "factor", "paramType": "required", "type": "f32", "value": 0.5}],
    "fusion_type": "",
    "dtype_format": [[["float32", "DefaultFormat"], ["float32", "DefaultFormat"]]],
    "target": "CPU",
}


def test_operator_information():
    np.save("x.npy", np.array([1, 2], np.float32))
    np.save("n.npy", np.array([1, 2], np.int32))
    pathlib.Path("info.json").write_text(json.dumps(SCALE_INFO))
    options = ["--result", "f32[2]", "--operator-info", "info.json"]
    done = command("run", TYPED, "scale", "x.npy", *options, "--output", "y.npy")
    assert (done.returncode, done.stderr) == (0, "")
    assert np.load("y.npy").tolist() == [0.5, 1]
    given = ["--attribute", "factor=2.0:f32"]
    done = command("run", TYPED, "scale", "x.npy", *options, *given, "--output", "y.npy")
    assert (done.returncode, done.stderr) == (0, "")
    assert np.load("y.npy").tolist() == [2, 4]
    done = command("run", TYPED, "scale", "n.npy", *options)
    assert done.returncode == 1
    assert (
        'INVALID_ARGUMENT: custom call "scale": its operator information "scale_cpu" allows '
        "(x f32) -> (y f32), but the call has (s32[2]) -> (f32[2]); operand 0 (x) must be f32, but "
        "is s32[2]"
    ) in done.stderr
    pathlib.Path("info.json").write_text("[]")
    done = command("run", TYPED, "scale", "x.npy", *options)
    assert done.returncode == 1
    assert "info.json: operator information: the whole text is a list of 0: expected" in done.stderr
    done = command("run", TYPED, "scale", "x.npy", *options[:-1], "nowhere")
    assert (done.returncode, "nowhere: No such file" in done.stderr) == (1, True)
