"""What is asked of each handler of the suite, and what it must answer: written once, for every way
of calling it. Standard library and NumPy alone: it is read by every Python of the matrix.

A case is a call of one handler. `since` is the first version of the headers that has what it needs,
as SUITE_HEADERS counts (434 is jaxlib 0.4.34, 1200 is 0.12.0); callbridge's own have all of it.
`asks` names what a runtime must offer (RUNTIMES_WITH): where it offers less, UNIMPLEMENTED that
names it is the right answer. `program` names what a program must be able to say: where it cannot,
there is no such call. `host` means that no XLA:CPU calls handlers so: only callbridge's host does.
"""

import collections

import numpy as np
from headers import OURS

# ---- Values -------------------------------------------------------------------------------------

# An array by XLA's name of its element type, its dimensions, and its elements: numbers, or bytes
# for types that NumPy lacks.
Value = collections.namedtuple("Value", "type dimensions elements")
Scalar = collections.namedtuple("Scalar", "type value")
Array = collections.namedtuple("Array", "type values")
# The address of a symbol of the library that is tested.
Address = collections.namedtuple("Address", "symbol")
Failure = collections.namedtuple("Failure", "code words")

NUMPY = {
    "pred": "?",
    "s8": "i1",
    "s16": "i2",
    "s32": "i4",
    "s64": "i8",
    "u8": "u1",
    "u16": "u2",
    "u32": "u4",
    "u64": "u8",
    "f16": "f2",
    "f32": "f4",
    "f64": "f8",
    "c64": "c8",
    "c128": "c16",
}
# XLA_FFI_DataType, which are xla.PrimitiveType's.
NUMBERS = dict(
    pred=1, s8=2, s16=3, s32=4, s64=5, u8=6, u16=7, u32=8, u64=9, f16=10, f32=11, f64=12, c64=15,
    bf16=16, token=17, c128=18, f8e5m2=19, f8e4m3fn=20, s4=21, u4=22, f8e4m3b11fnuz=23,
    f8e5m2fnuz=24, f8e4m3fnuz=25, s2=26, u2=27, f8e4m3=28, f8e3m4=29, s1=30, u1=31, f4e2m1fn=32,
    f8e8m0fnu=33,
)  # fmt: skip


def array(type_, elements, dimensions=None):
    elements = list(elements)
    return Value(type_, tuple([len(elements)] if dimensions is None else dimensions), elements)


def f32(*elements):
    return array("f32", elements)


def f64(*elements):
    return array("f64", elements)


def s32(*elements):
    return array("s32", elements)


def s64(*elements):
    return array("s64", elements)


TOKEN = Value("token", (), [])


def to_bytes(value):
    """Of a Value, as the runtime has it in memory; elements of less than a byte take one each."""
    if value.type == "token":
        return b""
    if value.type in NUMPY:
        return np.array(value.elements, dtype=NUMPY[value.type]).tobytes()
    return bytes(value.elements)


# ---- What runtimes offer ------------------------------------------------------------------------

# The first runtime with it, as versions count above.
RUNTIMES_WITH = {
    "scratch memory": 434,
    "state": 434,
    "threads": 434,
    "number of threads": 438,
    "future": 434,
    "run id": 602,
    "device ordinal": 602,
    "extensions": 1102,
    "custom options": 1200,
    "stages": 431,
    "state of other stages": 1002,
}
# What a program can say; `state` here is that Python can register a type.
PROGRAMS_WITH = {
    "nested dictionary": 434,
    "unsigned array": 438,
    "token": 602,
    "types by name": 438,
    "instantiate": 434,
    # What code that reads XLA's API table by itself takes for granted.
    "table of 0.4.31": 431,
    "fp8": 431,
    "fp8 of 0.6": 602,
}

# ---- Cases --------------------------------------------------------------------------------------

Case = collections.namedtuple(
    "Case",
    "name handler since operands results attributes expect asks without program host until stages "
    "calls",
)
CASES = []


def case(
    name,
    operands=(),
    expect=(),
    attributes=None,
    handler=None,
    since=430,
    asks=(),
    without=None,
    program=(),
    host=None,
    results=None,
    until=None,
    stages=None,
    calls=1,
    into=CASES,
):
    """`expect`: the results' Values, or a Failure. `results`: their types, where it is a Failure.
    `without`: the Value where the runtime lacks what is asked and the headers make no error of it.
    `until`: {version: what headers before that version answer}; callbridge's are the newest.
    `host`: what the host provides, as a dictionary, where only it can call so. `stages`: the
    handlers of other stages. `calls`: how often the call is made, the last of which counts. `into`:
    the list that gets the case."""
    if isinstance(expect, Value):
        expect = (expect,)
    if results is None:
        results = expect if not isinstance(expect, Failure) else (f32(0),)
    into.append(
        Case(
            name,
            handler or name,
            since,
            tuple(operands),
            tuple(results),
            attributes or {},
            expect,
            tuple(asks),
            without,
            tuple(program),
            host,
            until or {},
            stages or {},
            calls,
        )
    )


def expected(wanted, headers):
    """What a handler of these headers must answer."""
    for version, answer in sorted(wanted.until.items()):
        if headers < version:
            return (answer,) if isinstance(answer, Value) else answer
    return wanted.expect


INVALID = "INVALID_ARGUMENT"

# Buffers.
case("add", [f32(1, 2, 3), f32(10, 20, 30)], f32(11, 22, 33))
case(
    "add_scalar",
    [array("f32", [1], ()), array("f32", [2], ())],
    array("f32", [3], ()),
    handler="add",
)
case(
    "add_rank_3",
    [array("f32", range(12), (2, 3, 2)), array("f32", range(12), (2, 3, 2))],
    array("f32", range(0, 24, 2), (2, 3, 2)),
    handler="add",
)
case(
    "add_empty",
    [array("f32", [], (2, 0)), array("f32", [], (2, 0))],
    array("f32", [], (2, 0)),
    handler="add",
)
for type_ in ["pred", "s8", "s64", "u16", "f16", "bf16", "f64", "c64", "c128"]:
    if type_ == "bf16":
        elements = [0x80, 0x3F] * 6
    else:
        elements = [1] * 6
    case(
        f"describe_{type_}",
        [Value(type_, (2, 3), elements)],
        s32(NUMBERS[type_], 2, 2, 3),
        handler="describe",
    )
for type_ in ["f8e5m2", "f8e4m3fn", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz"]:
    case(
        f"describe_{type_}",
        [Value(type_, (3,), [0x10, 0x20, 0x30])],
        s32(NUMBERS[type_], 1, 3, -1),
        handler="describe",
        since=431,
        program=["fp8"],
    )
for type_ in ["f8e4m3", "f8e3m4", "f8e8m0fnu"]:
    case(
        f"describe_{type_}",
        [Value(type_, (3,), [0x10, 0x20, 0x30])],
        s32(NUMBERS[type_], 1, 3, -1),
        handler="describe",
        since=602,
        program=["fp8 of 0.6"],
    )
for type_ in ["s4", "u4", "s2", "u2"]:
    case(
        f"describe_{type_}",
        [Value(type_, (3,), [1, 0, 1])],
        s32(NUMBERS[type_], 1, 3, -1),
        handler="describe",
        since=602,
        program=["fp8 of 0.6"],
    )
case("copy_bytes", [array("s16", [1, -2, 3])], array("s16", [1, -2, 3]), {"size": Scalar("s64", 6)})
case(
    "ranks",
    [array("f32", range(d, d + 2**d), (2,) * d) for d in range(5)],
    f32(0, 2, 5, 10, 19),
)
case(
    "span_of_dimensions",
    [array("f32", [0] * 24, (2, 3, 4))],
    s64(3, 2, 4, 3, 3, 3, 9, 1),
)
case(
    "result_shapes",
    [],
    (array("f32", [0], ()), array("f32", [3] * 6, (2, 3)), array("f64", [3, 3], (1, 2, 1))),
)
case("no_operands", [], f32(42, 42))
case("no_results", [f32(1)], ())
case("any_methods", [f32(1, 7)], s64(8, 2, 7, 0x3F800000, 1), since=438)
case(
    "buffer_methods",
    [array("f32", [1, 2, 5, 4], (2, 2))],
    (array("f32", [1, 2, 5, 4], (2, 2)), s64(16, 4, 1, 2, 5)),
    since=431,
)
case("token_in", [TOKEN, f32(1, 2)], f32(1, 2), program=["token"])
case("token_out", [f32(1, 2)], (f32(1, 2), TOKEN), program=["token"])

# Data types.
for type_ in NUMPY:
    elements = [1, 0, 1] if type_ == "pred" else [1, 2, 3]
    case(
        f"reverse_{type_}", [array(type_, elements)], array(type_, elements[::-1])
    )  # fmt: skip
case(
    "reverse_bf16",
    [Value("bf16", (2,), [0x80, 0x3F, 0, 0x40])],
    Value("bf16", (2,), [0, 0x40, 0x80, 0x3F]),
)
for type_, since, can in [
    ("f8e5m2", 431, "fp8"),
    ("f8e4m3fn", 431, "fp8"),
    ("f8e4m3b11fnuz", 431, "fp8"),
    ("f8e5m2fnuz", 431, "fp8"),
    ("f8e4m3fnuz", 431, "fp8"),
    ("f8e4m3", 602, "fp8 of 0.6"),
    ("f8e3m4", 602, "fp8 of 0.6"),
    ("f8e8m0fnu", 602, "fp8 of 0.6"),
]:
    case(
        f"reverse_{type_}",
        [Value(type_, (3,), [0x10, 0x20, 0x30])],
        Value(type_, (3,), [0x30, 0x20, 0x10]),
        {"dtype": Scalar("s32", NUMBERS[type_])},
        handler="reverse_bytes",
        since=since,
        program=[can],
    )

# Remaining and optional ones.
case("all_remaining", [f32(1), f32(2), f32(3)], f32(3, 0, 6))
case("all_remaining_none", [], f32(0, 1, 0), handler="all_remaining")
case("remaining_after", [f32(1), f32(2), f32(3)], f32(1, 2, 5))
case("remaining_after_none", [f32(1)], f32(1, 0, 0), handler="remaining_after")
case("remaining_misuse", [f32(1)], s32(1, 0, 0, 0))
case("remaining_message", [f32(1)], Failure(INVALID, ["dtype", "S64", "F32"]), results=[s32(0)])
case("remaining_rets", [f32(1)], (f32(0, 0), f32(1), f32(2)))
case("remaining_rets_none", [f32(1)], (), handler="remaining_rets")
case(
    "isa",
    [f32(1), array("s64", [1], (1, 1))],
    (s32(1, 0, 1, 1, 0, 1, 0), f64(7)),
    since=803,
)
case("optional_args_1", [f32(1)], f32(1, 0, 0), handler="optional_args", since=434)
case("optional_args_2", [f32(1), f32(2)], f32(1, 2, 0), handler="optional_args", since=434)
case("optional_args_3", [f32(1), f32(2), f32(3)], f32(1, 2, 3), handler="optional_args", since=434)
case("optional_rets_1", [f32(1)], f32(1), handler="optional_rets", since=434)
case("optional_rets_3", [f32(1)], (f32(1), f32(2), s32(3)), handler="optional_rets", since=434)
case("optional_then_remaining", [f32(4), f32(5), f32(6)], f32(4, 2), since=434)
case("optional_then_remaining_none", [], f32(0, 0), handler="optional_then_remaining", since=434)

# Attributes.
case(
    "attr_scalars",
    [],
    f64(1, -8, -300, -70000, -(2**40), 200, 60000, 2**31, 2**50, 1.5, 2.25),
    {
        "b": Scalar("pred", True),
        "s8": Scalar("s8", -8),
        "s16": Scalar("s16", -300),
        "s32": Scalar("s32", -70000),
        "s64": Scalar("s64", -(2**40)),
        "u8": Scalar("u8", 200),
        "u16": Scalar("u16", 60000),
        "u32": Scalar("u32", 2**31),
        "u64": Scalar("u64", 2**50),
        "f32": Scalar("f32", 1.5),
        "f64": Scalar("f64", 2.25),
    },
)
case(
    "attr_complex",
    [],
    f64(1, 2, 3, -4),
    {"c64": Scalar("c64", 1 + 2j), "c128": Scalar("c128", 3 - 4j)},
    host={},
)
case("attr_string", [], s32(3, 97, 98, 99), {"text": b"abc"})
case("attr_string_bytes", [], s32(4, 97, 0, 255, 34), {"text": b'a\0\xff"'}, handler="attr_string")
case("attr_string_empty", [], s32(0), {"text": b""}, handler="attr_string")
for type_ in ["s8", "s16", "s32", "s64", "f32", "f64"]:
    case(f"attr_array_{type_}", [], f64(3, 1, -2, 3), {"values": Array(type_, [1, -2, 3])})
for type_ in ["u8", "u16", "u32", "u64"]:
    case(
        f"attr_array_{type_}",
        [],
        f64(3, 1, 2, 200),
        {"values": Array(type_, [1, 2, 200])},
        since=434,
        program=["unsigned array"],
    )
case("attr_array_empty", [], f64(0), {"values": Array("s32", [])}, handler="attr_array_s32")
case(
    "attr_unsorted",
    [],
    f64(1, 2.5, 3.5),
    {"a": Scalar("f32", 2.5), "b": Scalar("s32", 1), "c": Scalar("f64", 3.5)},
)
case(
    "attr_enum",
    [],
    s32(1, 200),
    {"level": Scalar("s32", 2), "small": Scalar("u8", 200)},
    since=434,
)
CONFIG = {
    "number": Scalar("s64", 7),
    "factor": Scalar("f32", 0.5),
    "text": b"four",
    "list": Array("s64", [1, 2, 3]),
}
case("attr_struct", [], f64(7, 0.5, 4, 6), {"config": CONFIG}, program=["nested dictionary"])
case("attrs_as_struct", [], f64(7, 0.5, 4, 6), CONFIG)
case(
    "attr_struct_in_struct",
    [],
    f64(3, 4.5, 1),
    {"inner": {"x": Scalar("s32", 3), "y": Scalar("f64", 4.5)}, "flag": Scalar("pred", True)},
    program=["nested dictionary"],
)
case("attr_pointer", [], s32(5678), {"pointer": Address("pointed_at")})
case(
    "attr_variant_s32",
    [],
    f64(0, 5),
    {"value": Scalar("s32", 5)},
    handler="attr_variant",
    since=803,
)
case(
    "attr_variant_f32",
    [],
    f64(1, 1.5),
    {"value": Scalar("f32", 1.5)},
    handler="attr_variant",
    since=803,
)
case("attr_variant_string", [], f64(2, 3), {"value": b"abc"}, handler="attr_variant", since=803)
case(
    "attr_variant_none",
    [],
    Failure(INVALID, ["variant"]),
    {"value": Scalar("f64", 5)},
    handler="attr_variant",
    results=[f64(0, 0)],
    since=803,
)
case(
    "attr_unused",
    [],
    f32(1),
    {"unused": Scalar("s32", 5)},
    handler="without_attributes",
    until={803: Failure(INVALID, ["number of attributes"])},
)

# Dictionaries.
XY = {"x": Scalar("f32", 1.5), "y": Scalar("s32", 4)}
case("dictionary", [], f64(2, 1, 0, 1.5, 4, -6, -7), XY)
case("dictionary_empty", [], f64(0, 0, 0, -5, -5, -6, -7), {}, handler="dictionary")
case(
    "dictionary_nested",
    [],
    f64(1, 2, 2, 2.5),
    {
        "x": Scalar("s32", 1),
        "inner": {"y": Scalar("s32", 2), "innermost": {"z": Scalar("f64", 2.5)}},
    },
    program=["nested dictionary"],
)
case("dictionary_message", [], Failure(INVALID, ["missing"]), XY, results=[f64(0)])
case(
    "dictionary_iterate",
    [],
    s32(4, 0, 1, 1, 5, 1, 0, 1, 0),
    {"c": Scalar("s64", 1), "a": Scalar("s32", 1), "s": b"text", "bb": Scalar("f32", 1)},
    since=803,
)

# Contexts.
case("stream", [], Failure(INVALID, ["stream"]), results=[s64(0)])
case("stream_lent", [], s64(4660), handler="stream", host={"stream": 4660})
# No XLA:CPU has any: 0.4.30's ends the process, the later ones say so.
case(
    "scratch_on_cpu",
    [f32(1, 2, 3)],
    Failure("RESOURCE_EXHAUSTED", ["no scratch memory"]),
    handler="scratch",
    asks=["scratch memory"],
    results=[f32(0, 0, 0)],
)
case(
    "scratch",
    [f32(1, 2, 3)],
    f32(1, 2, 3),
    asks=["scratch memory"],
    host={"scratch": True},
)
case("user_data", [], f64(6.5), host={"user_data": ("weight_type_id", np.float64(6.5))})
case("run_id", [], s64(1), since=602, asks=["run id"])
case("device_ordinal", [], s64(0), since=602, asks=["device ordinal"])
case("lazy_ordinal", [], s64(0), since=803, asks=["device ordinal"])
case("lazy_stream", [], s64(0), since=803)
case(
    "extension_missing",
    [],
    Failure("UNIMPLEMENTED", ["ServiceNumber"]),
    handler="extension",
    results=[s64(0)],
    since=1102,
    asks=["extensions"],
    until={OURS: Failure(INVALID, ["ServiceNumber"])},
)
case(
    "extension",
    [],
    s64(99),
    since=1102,
    asks=["extensions"],
    host={"extension": (777, 1, 2, 99)},
)
case(
    "extension_other_version",
    [],
    Failure("UNIMPLEMENTED", ["ServiceNumber", "1.3"]),
    handler="extension",
    results=[s64(0)],
    since=1102,
    asks=["extensions"],
    until={OURS: Failure(INVALID, ["ServiceNumber", "1.3"])},
    host={"extension": (777, 1, 3, 99)},
)
case(
    "extension_supported",
    [],
    s64(99),
    since=1102,
    asks=["extensions"],
    host={"extension": (777, 1, 3, 99)},
)
case(
    "custom_options_none",
    [],
    s64(0, -1),
    handler="custom_options",
    since=1200,
    asks=["custom options"],
)
case(
    "custom_options",
    [],
    s64(1, 5),
    since=1200,
    asks=["custom options"],
    host={"custom_options": {"depth": Scalar("s32", 5)}},
)

# Stages and state.
START = {"start": Scalar("s32", 5)}
STATE = dict(
    handler="state_execute",
    since=431,
    asks=["state"],
    program=["types by name"],
    stages={"instantiate": "state_instantiate"},
)
case("state", [], s32(5), START, **STATE)
case(
    "note",
    [],
    s32(5),
    START,
    **{**STATE, "handler": "note_execute", "stages": {"instantiate": "note_instantiate"}},
)
case("state_third_call", [], s32(7), START, calls=3, **STATE)
case(
    "state_refused",
    [],
    Failure("OUT_OF_RANGE", ["starts at 0"]),
    {"start": Scalar("s32", -1)},
    results=[s32(0)],
    **STATE,
)
case(
    "stage_instantiate",
    [],
    s32(5),
    START,
    asks=["stages"],
    handler="stage_execute",
    since=431,
    program=["instantiate"],
    stages={"instantiate": "stage_instantiate"},
)
case(
    "stage_instantiate_refuses",
    [],
    Failure("UNAVAILABLE", ["not with 13"]),
    {"start": Scalar("s32", 13)},
    asks=["stages"],
    handler="stage_execute",
    results=[s32(0)],
    since=431,
    program=["instantiate"],
    stages={"instantiate": "stage_instantiate"},
)
case("stage_bind_execute", [], s32(5), START, since=1102)
case(
    "stage_all",
    [],
    s32(5),
    START,
    asks=["stages"],
    handler="stage_execute",
    since=803,
    host={},
    stages={
        "instantiate": "stage_instantiate",
        "prepare": "stage_prepare",
        "initialize": "stage_initialize",
    },
)
case(
    "stage_prepare_refuses",
    [],
    Failure("UNAVAILABLE", ["not with 13"]),
    {"start": Scalar("s32", 13)},
    handler="stage_execute",
    results=[s32(0)],
    since=803,
    host={},
    stages={"prepare": "stage_prepare"},
)
case(
    "notes",
    [],
    s32(50, 55),
    START,
    handler="notes_execute",
    asks=["state of other stages"],
    since=1002,
    host={},
    stages={"prepare": "notes_prepare", "initialize": "notes_initialize"},
)

# Errors.
CODES = """CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS
PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL
UNAVAILABLE DATA_LOSS UNAUTHENTICATED""".split()
for number, code in enumerate(CODES, 1):
    case(
        f"fail_with_{code.lower()}",
        [f32(1)],
        Failure(code, [f"told to fail with {number}"]),
        {"code": Scalar("s32", number)},
        handler="fail_with",
    )
case("fail_with_c", [f32(1)], Failure("DATA_LOSS", ["told to fail with a C code"]))
case("long_message", [f32(1)], Failure("ABORTED", ["the end"]))
case("error_object", [], s32(1, 0, 1, 1, 1, 1))
case("expected_object", [], s32(1, 3, 0, 1, 4, 4))
case("error_or_object", [], s32(1, 3, 0, 1, 1), since=431)
case("error_internal", [], Failure("INTERNAL", ["an internal one"]), results=[s32(0)], since=434)
case("error_invalid", [], Failure(INVALID, ["an invalid one"]), results=[s32(0)], since=434)
case(
    "error_or_from_error",
    [],
    Failure("DATA_LOSS", ["made of an error"]),
    results=[s32(0)],
    since=1102,
)
# XLA's headers let it go on, which ends the process: asked of callbridge's, and of callbridge.
case("throws", [f32(1)], Failure("INTERNAL", ["thrown on purpose"]))

# What calls that do not fit get.
case("too_few_arguments", [f32(1)], Failure(INVALID, ["arguments", "2", "1"]), handler="add")
case("too_many_arguments", [f32(1)] * 3, Failure(INVALID, ["arguments", "2", "3"]), handler="add")
case(
    "too_many_results",
    [f32(1)] * 2,
    Failure(INVALID, ["results", "1", "2"]),
    handler="add",
    results=[f32(0)] * 2,
)
case("too_few_remaining", [], Failure(INVALID, ["arguments", "least"]), handler="remaining_after")
case(
    "wrong_argument_type",
    [f32(1), s32(1)],
    Failure(INVALID, ["dtype", "F32", "S32"]),
    handler="add",
)
case(
    "wrong_result_type",
    [f32(1), f32(1)],
    Failure(INVALID, ["dtype", "F32", "F64"]),
    handler="add",
    results=[f64(0)],
)
case(
    "wrong_rank",
    [f32(1)],
    Failure(INVALID, ["rank", "1", "2"]),
    handler="describe",
    results=[array("s32", [0], (1, 1))],
)
case(
    "two_problems",
    [s32(1), array("f64", [1])],
    Failure(INVALID, ["S32", "F64"]),
    handler="add",
)
case(
    "attribute_missing",
    [],
    Failure(INVALID, ["attributes", "expected 1", "0"]),
    handler="attr_string",
    results=[s32(0)],
)
case(
    "attribute_of_another_name",
    [],
    Failure(INVALID, ["text", "tixt"]),
    {"tixt": b"abc"},
    handler="attr_string",
    results=[s32(0)],
)
case(
    "attribute_of_another_kind",
    [],
    Failure(INVALID, ["string", "scalar"]),
    {"text": Scalar("s32", 1)},
    handler="attr_string",
    results=[s32(0)],
)
case(
    "attribute_of_another_type",
    [],
    Failure(INVALID, ["S32", "F32"]),
    {"values": Array("f32", [1])},
    handler="attr_array_s32",
    results=[f64(0)],
)
case(
    "attribute_too_many",
    [],
    Failure(INVALID, ["attributes", "expected 1", "2"]),
    {"text": b"a", "zeal": b"b"},
    handler="attr_string",
    results=[s32(0)],
)
case(
    "struct_member_missing",
    [],
    Failure(INVALID, ["attributes", "4"]),
    {"number": Scalar("s64", 7)},
    handler="attrs_as_struct",
    results=[f64(0)],
)

# Futures and threads.
for mode, name in [(0, "at_once"), (2, "later")]:
    case(
        f"future_{name}",
        [f32(1, 2)],
        f32(1, 2),
        {"mode": Scalar("s32", mode)},
        handler="future",
        since=434,
        asks=["future"],
    )
for mode, name in [(1, "at_once"), (3, "later")]:
    case(
        f"future_fails_{name}",
        [f32(1, 2)],
        Failure("ABORTED", ["told to fail later"]),
        {"mode": Scalar("s32", mode)},
        handler="future",
        since=434,
        asks=["future"],
        results=[f32(0, 0)],
    )
case("thread_pool", [f32(1, 2)], f32(1, 2), since=434, asks=["threads"])
case("num_threads", [], s64(1), since=438, asks=["number of threads"], without=s64(0))
case(
    "count_down",
    [f32(1, 2, 3)],
    f32(1, 2, 3),
    {"mode": Scalar("s32", 0)},
    since=602,
    asks=["future"],
)
case(
    "count_down_fails",
    [f32(1, 2, 3)],
    Failure("ABORTED", ["told to fail later"]),
    {"mode": Scalar("s32", 1)},
    handler="count_down",
    since=602,
    asks=["future"],
    results=[f32(0, 0, 0)],
)

# Bindings.
SCALE = {"factor": Scalar("f32", 2), "shift": Scalar("s32", 1)}
case("bound_to", [f32(1, 2)], f32(3, 5), SCALE)
case("bound_to_dictionary", [s32(1), f32(4)], f32(4, 2), SCALE)
for handler, since in [
    ("bound_lambda", 430),
    ("handler_variable", 430),
    ("with_traits", 434),
    ("wrapped", 602),
    ("comma", OURS),
]:
    case(handler, [f32(1, 2)], f32(2, 4), since=since)
case("bound_at_run_time", [f32(1, 2)], f32(3, 6))

# Decodings of the user's own.
case("user_decodings", [f32(1, 5, 2)], array("f32", [6.5], ()), {"tag": b"abc"})
case(
    "user_decoding_refuses",
    [array("f32", [1], ())],
    Failure(INVALID, ["Ends wants a vector", "at most 8"]),
    {"tag": b"abcdefghi"},
    handler="user_decodings",
    results=[array("f32", [0], ())],
)
case("user_decoding_bound_to", [f32(1, 5, 2)], f32(1, 2))
case("user_encoding", [f32(1)], f32(5), since=431)
case(
    "user_encoding_fails",
    [f32(-1)],
    Failure("PERMISSION_DENIED", ["outcome is bad"]),
    handler="user_encoding",
    since=431,
    program=["table of 0.4.31"],
)

# Patterns.
case(
    "match_buffers",
    [f32(9, 2, 3), array("f32", [0] * 6, (2, 3))],
    s64(2, 9),
    since=1102,
)
case(
    "match_buffers_refuses",
    [f32(9, 2, 3, 4), array("f32", [0] * 6, (2, 3))],
    Failure(INVALID, ["'a'", "3", "4"]),
    handler="match_buffers",
    results=[s64(0)],
    since=1102,
)
