"""The calls that genuine XLA and callbridge both make, and the files they exchange.

An oracle is a program of its own, since two XLAs do not share a process. It is given a folder:

  scenarios.tsv   a line each: name, target, api version, operands as one tuple shape, result shape,
                  opaque in hexadecimal
  <name>.in       the bytes of all operand leaves, in preorder, row-major

and leaves in another:

  <name>.status   "OK", or the failure as XLA words it
  <name>.out      the bytes of all result leaves, where it is OK

Standard library and NumPy alone: it is imported under every Python that an oracle needs.
"""

import dataclasses
import pathlib
import re
import struct
import zlib

import ml_dtypes  # with every JAX
import numpy as np

_DTYPES = {
    "pred": np.bool_,
    "s8": np.int8,
    "s16": np.int16,
    "s32": np.int32,
    "s64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "c64": np.complex64,
    "c128": np.complex128,
}


@dataclasses.dataclass(frozen=True)
class Array:
    """The shape of an array; a tuple's is a Python tuple of shapes."""

    element_type: str
    shape: tuple

    @property
    def dtype(self):
        return np.dtype(_DTYPES[self.element_type])

    @property
    def nbytes(self):
        return self.dtype.itemsize * int(np.prod(self.shape, dtype=np.int64))


def parse_shape(text):
    """ "(f32[8,4],())" -> (Array("f32", (8, 4)), ())."""
    tokens = re.findall(r"\w+\[[\d,]*\]|[()]", text)

    def parse():
        token = tokens.pop(0)
        if token != "(":
            element_type, dimensions = token[:-1].split("[")
            return Array(element_type, tuple(int(d) for d in dimensions.split(",") if d))
        elements = []
        while tokens[0] != ")":
            elements.append(parse())
        tokens.pop(0)
        return tuple(elements)

    return parse()


def leaves(tree):
    """Whatever is in a tree of tuples, in preorder."""
    if type(tree) is tuple:
        return [leaf for element in tree for leaf in leaves(element)]
    return [tree]


def from_bytes(shape, data):
    """Arrays in the form of a shape (a tree of Arrays), from the bytes of its leaves."""
    if type(shape) is tuple:
        elements = []
        for element in shape:
            size = sum(leaf.nbytes for leaf in leaves(element))
            elements.append(from_bytes(element, data[:size]))
            data = data[size:]
        return tuple(elements)
    return np.frombuffer(data[: shape.nbytes], shape.dtype).reshape(shape.shape)


def to_bytes(arrays):
    """The bytes of the leaves of a tree of arrays."""
    return b"".join(np.asarray(leaf).tobytes() for leaf in leaves(arrays))


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    target: str
    api_version: int
    operands: str  # all of them, as one tuple shape
    result: str
    opaque: bytes = b""
    expect: str = "ok"  # or "failure"
    # What the operands hold. "bits": any bits at all, NaNs among them; "subnormals": of f32.
    inputs: str = "numbers"

    def input_bytes(self):
        """Operands that are the same in every run."""
        random = np.random.Generator(np.random.PCG64(zlib.crc32(self.name.encode())))
        data = []
        for leaf in leaves(parse_shape(self.operands)):
            if self.inputs == "subnormals":
                array = random.integers(1, 1 << 23, leaf.shape, dtype=np.uint32)
            elif leaf.element_type == "pred":
                array = random.integers(0, 2, leaf.shape, dtype=np.uint8)
            elif self.inputs == "bits" or leaf.dtype.kind in "iu":
                array = random.integers(0, 256, leaf.nbytes, dtype=np.uint8)
            elif leaf.dtype.kind == "c":
                array = random.normal(size=(*leaf.shape, 2)).view(np.complex128).astype(leaf.dtype)
            else:
                array = random.normal(size=leaf.shape).astype(leaf.dtype)
            data.append(array.tobytes())
        return b"".join(data)


def write_inputs(folder):
    folder = pathlib.Path(folder)
    lines = []
    for s in SCENARIOS:
        fields = (s.name, s.target, s.api_version, s.operands, s.result, s.opaque.hex())
        lines.append("\t".join(map(str, fields)) + "\n")
        (folder / f"{s.name}.in").write_bytes(s.input_bytes())
    (folder / "scenarios.tsv").write_text("".join(lines))


def write_outcome(folder, name, status, result):
    """What an oracle leaves: "OK" and the result's bytes, or the failure and None."""
    (pathlib.Path(folder) / f"{name}.status").write_bytes(status.encode())
    if result is not None:
        (pathlib.Path(folder) / f"{name}.out").write_bytes(result)


def read_outcome(folder, name):
    """The status and the result's bytes, or None, that write_outcome was given."""
    status = (pathlib.Path(folder) / f"{name}.status").read_bytes().decode()
    if status != "OK":
        return status, None
    return status, (pathlib.Path(folder) / f"{name}.out").read_bytes()


def _scenarios():
    def scenario(name, operands, result, api_version=1, target=None, **others):
        return Scenario(name, target or name, api_version, operands, result, **others)

    def failing(name, operands="(f32[8])", result="f32[8]", api_version=2, **others):
        return scenario(name, operands, result, api_version, expect="failure", **others)

    # Version 1: arrays.
    yield scenario("do_custom_call", "(f32[128],f32[2048])", "f32[2048]")
    for element_type in _DTYPES:
        shape = f"{element_type}[24]"
        itemsize = parse_shape(shape).dtype.itemsize
        yield scenario(
            f"reverse_{element_type}",
            f"({shape})",
            shape,
            target=f"reverse_{itemsize}",
            inputs="bits",
        )
    yield scenario("select_mixed", "(s32[8],f64[8],pred[8],c64[8])", "f64[8]")
    yield scenario("rotate", "(f64[8],s64[])", "f64[8]")
    yield scenario("sum", "(f64[8])", "f64[]")
    yield scenario("transpose", "(f32[8,4])", "f32[4,8]")
    yield scenario("no_operands", "()", "f32[4]")
    yield scenario("halve", "(f32[24])", "f32[24]")
    # Every XLA:CPU computes with subnormals flushed to zero, and its targets with it.
    yield scenario("halve_subnormals", "(f32[24])", "f32[24]", target="halve", inputs="subnormals")
    yield scenario("misalignment", "(f32[5],(s8[3],f64[1]))", "(s64[4],u8[1])")

    # Version 1: tuples.
    yield scenario(
        "nested_tuple", "((f32[32],(f32[64],f32[128]),f32[256]))", "(f32[512],f32[1024])"
    )
    yield scenario("after_empty_tuple", "((),f32[8])", "f32[8]")
    yield scenario("empty_tuple_inside", "((f32[8],(),f32[8]),())", "f32[8]")
    yield scenario("one_tuple_operand", "((f32[16]))", "f32[16]")
    yield scenario("one_tuple_result", "(f32[16])", "(f32[16])")
    yield scenario("tuple_among_arrays", "(f32[4],(f32[8],s32[8]),f32[16])", "f32[16]")
    yield scenario("deep_nesting", "(((((f32[4]),f32[4]),()),f32[4]))", "f32[4]")
    wide = "(" + ",".join(["s32[2]"] * 300) + ")"
    yield scenario("wide_tuples", f"({wide})", wide)
    yield scenario("zero_sizes", "(f32[0],(f32[0,3],f32[3]))", "(f32[0],f32[3])")
    yield scenario("mixed_results", "(f64[8])", "(f64[8],s32[8],pred[8],u8[3])")

    # Version 2. A function of two arguments may be called so too, and often was.
    yield scenario(
        "nested_tuple_version_2",
        "((f32[32],(f32[64],f32[128]),f32[256]))",
        "(f32[512],f32[1024])",
        2,
        target="nested_tuple",
    )
    yield scenario("leave_status_alone", "(f32[8])", "f32[8]", 2)
    yield scenario("succeed", "((f32[8],f32[8]))", "(f32[8])", 2)
    yield scenario("fail_then_succeed", "(f32[8])", "f32[8]", 2)
    yield failing("refuse_negative")
    yield failing("fail_with_nul")
    yield failing("fail_with_cut_message")
    yield failing("fail_with_nothing")
    yield failing("fail_in_utf8")
    yield failing("fail_with_long_message")
    yield failing("fail_twice")

    # Version 3.
    opaques = {
        "empty": b"",
        "text": b'{"axis": 0, "quote": "\\""}',
        "binary": bytes([0xFF, 0x00, 0xFE, 0x00]),
        "of_all_bytes": bytes(range(256)),
        "of_zeros": bytes(7),
    }
    for name, opaque in opaques.items():
        yield scenario(
            f"opaque_{name}", "()", "(u8[256],s64[])", 3, target="copy_opaque", opaque=opaque
        )
    operands = "((f32[8],(f32[8])),f32[])"
    yield scenario("scale", operands, "f32[8]", 3, opaque=struct.pack("<fi", 2.5, 0))
    yield failing(
        "scale_refuses", operands, "f32[8]", 3, target="scale", opaque=struct.pack("<fi", 2.5, -7)
    )
    yield failing("scale_without_opaque", operands, "f32[8]", 3, target="scale")


SCENARIOS = tuple(_scenarios())
