"""`callbridge layout`: what it prints compiles, and is what targets get."""

import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import xml.etree.ElementTree

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
COMMAND = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "callbridge"

# The example of XLA's documentation.
DOCUMENTED = ["(f32[32],(f32[64],f32[128]),f32[256])", "--result", "(f32[512],f32[1024])"]
TYPES = (
    "pred s8 s16 s32 s64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128 s1 u1 s2 u2 s4 u4 f4e2m1fn "
    "f8e3m4 f8e4m3 f8e4m3b11fnuz f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0fnu"
).split()
DEEP = "(" * 128 + "f32[7]" + ")" * 128


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def command(*words):
    return subprocess.run(
        [COMMAND, *map(str, words)], capture_output=True, text=True, timeout=60, check=False
    )


def layout(*words):
    """Standard output of a layout that succeeds."""
    done = command("layout", *words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def failure(status, *words):
    """The message of a layout that fails: one line, and nothing else is printed."""
    done = command("layout", *words)
    assert (done.returncode, done.stdout) == (status, ""), done
    assert re.fullmatch(r"callbridge: [^\n]+\n", done.stderr)
    return done.stderr.removeprefix("callbridge: ").removesuffix("\n")


def layouts(*words):
    """The layouts as JSON; their declarations are those that the text has."""
    described = json.loads(layout("--json", *words))["layouts"]
    text = layout(*words)
    for each in described:
        assert "\n".join(["", *each["declarations"], ""]) in text
    return described


def includes(several):
    """Those that the first lines of their declarations ask for, and no more."""
    first = [described["declarations"][:1] for described in several]
    asked = [line for (line,) in filter(None, first) if line.startswith("// needs ")]
    return [f"#include {header}" for header in re.findall(r"<\w+\.h>", " ".join(asked))]


def function(name, described, body=()):
    """A target that starts with the declarations. Its signature needs no headers."""
    parameters = {
        "Host": "void* out, const void** in",
        "GPU": "void* stream, void** buffers, const char* opaque, unsigned long opaque_len",
    }[described["platform"]]
    lines = [*described["declarations"], *body]
    return [f"void {name}({parameters}) {{", *(f"  {line}" for line in lines), "}"]


def compile_as(language, source, *flags):
    compiler = {"c99": "gcc", "c++17": "g++"}[language]
    path = pathlib.Path("target.c" if language == "c99" else "target.cc")
    path.write_text("\n".join([*source, ""]))
    warnings = ["-Wall", "-Wextra", "-Wno-unused-variable", "-Wno-unused-parameter", "-Werror"]
    subprocess.run([compiler, f"-std={language}", *warnings, *flags, path], check=True, timeout=120)


def leaves(described):
    """The arrays and tokens that pointers lead to, in preorder."""

    def below(slot):
        if "table" not in slot:
            yield slot
        else:
            for each in described["tables"][slot["table"]]["slots"]:
                yield from below(each)

    for parameter in described["parameters"]:
        yield from below(parameter)


# ---- The declarations ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        DOCUMENTED,
        [f"{name}[3]" for name in TYPES],
        ["f32[]", "--result", f"({','.join(f'{name}[3]' for name in TYPES)})"],
        *([f"{name}[]", "--result", f"{name}[]"] for name in ("pred", "c64", "bf16", "token")),
        ["--result", "()"],
        ["()", "(())", "--result", "((),())"],
        ["token[]", "(token[],(f32[1]))", "--result", "(token[],(u8[],(token[])))"],
        ["f32[2,3]{0,1}", "--result", "s4[5]{0:E(4)}"],
        [DEEP, "--result", DEEP],
        [f"({','.join(['f32[1],(u8[2])'] * 5000)})"],
    ],
    ids=lambda words: " ".join(words)[:60],
)
def test_the_declarations_compile_without_warnings(words):
    several = layouts(*words)
    source = includes(several)
    for number, described in enumerate(several):
        source += function(f"target_{number}", described)
    compile_as("c99", source, "-pedantic", "-fsyntax-only")
    compile_as("c++17", source, "-pedantic", "-fsyntax-only")


# ---- What targets get ----------------------------------------------------------------------------


def size(shape):
    return int(np.prod([int(n) for n in re.findall(r"\d+", shape.removeprefix("f32"))], initial=1))


PLATFORMS = {"Host": "Host", "GPU": "CUDA"}


def target(name, described):
    """Writes the last elements of all its operands into each of its results."""
    arrays = [leaf for leaf in leaves(described) if leaf["shape"].startswith("f32")]
    operands = [slot for slot in arrays if slot["name"].startswith("p")]
    results = [slot for slot in arrays if slot["name"].startswith("r")]
    body = [
        f"{result['name']}[{size(result['shape']) - len(operands) + i}] = "
        f"{number * 1000} + {operand['name']}[{size(operand['shape']) - 1}];"
        for number, result in enumerate(results)
        for i, operand in enumerate(operands)
    ]
    register = f'XLA_REGISTER_CUSTOM_CALL_TARGET({name}, "{PLATFORMS[described["platform"]]}");'
    return [*function(name, described, body), register]


def build(*words):
    """A library with a target for each of the layouts, whose names and layouts are returned."""
    several = layouts(*words)
    source = ['#include "xla/service/custom_call_target_registry.h"', *includes(several)]
    named = {f"target_{number}": described for number, described in enumerate(several)}
    for name, described in named.items():
        source += target(name, described)
    compile_as("c++17", source, "-shared", "-fPIC", f"-I{ROOT}/include", "-o", "target.so")
    return named.items()


def run(name, operands, result, platform, tuple_layout):
    """The arrays that the target returns; element i of operand leaf k is 10 k + i."""
    numbers = itertools.count()

    def save(match):
        number = next(numbers)
        np.save(f"p{number}.npy", np.arange(size(match[0]), dtype=np.float32) + 10 * number)
        return f"p{number}.npy"

    operands = [re.sub(r"f32\[[\d,]*\]", save, operand) for operand in operands]
    files = [f"r{i}.npy" for i in range(result.count("f32"))]
    outputs = [word for file in files for word in ("--output", file)]
    done = command(
        *["run", "target.so", name, *operands, "--result", result, *outputs],
        *["--platform", platform, "--tuple-layout", tuple_layout],
    )
    assert done.returncode == 0, done
    return [np.load(file).ravel() for file in files]


@pytest.mark.parametrize(
    "operands, result",
    [
        (DOCUMENTED[:1], DOCUMENTED[2]),
        (["f32[3]"], "f32[5]"),
        (["f32[3]", "f32[2,2]"], "(f32[5])"),
        (["(f32[3])"], "f32[5]"),
        (["f32[3]", "(f32[1],f32[2])", "f32[]"], "(f32[5],f32[6])"),
        (["()", "f32[3]", "(f32[1],(),(()),f32[2])"], "f32[5]"),
        (["token[]", "(f32[3],token[])", "f32[2]"], "(token[],f32[5])"),
        (["(((f32[1])))", "((f32[2],f32[3]),f32[4])"], "((f32[5]),(),(f32[6],(f32[7])))"),
        (["f32[1]", "f32[2]", "f32[3]", "f32[4]", "f32[5]", "(f32[6],f32[7])"], "f32[8]"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_the_pointers_are_right(operands, result):
    last = [
        10 * k + size(shape) - 1
        for k, shape in enumerate(re.findall(r"f32\[[\d,]*\]", " ".join(operands)))
    ]
    called = []
    for name, described in build(*operands, "--result", result):
        platform = PLATFORMS[described["platform"]]
        for tuple_layout in described["tuple_layouts"] or ["nested", "flat"]:
            for number, array in enumerate(run(name, operands, result, platform, tuple_layout)):
                assert list(array[-len(last) :]) == [1000 * number + value for value in last]
                assert not array[: -len(last)].any()
            called.append((platform, tuple_layout))
    assert sorted(called) == [
        (platform, tuple_layout)
        for platform in ("CUDA", "Host")
        for tuple_layout in ("flat", "nested")
    ]


def test_a_call_without_operands():
    result = "(f32[2],f32[3])"
    for name, described in build("--result", result):
        platform = PLATFORMS[described["platform"]]
        assert [array.size for array in run(name, [], result, platform, "flat")] == [2, 3]


# ---- What is printed -----------------------------------------------------------------------------


def test_json():
    nested, gpu = layouts("f32[2]", "(u8[3],())", "--result", "pred[]", "--tuple-layout", "nested")
    assert nested == {
        "platform": "Host",
        "tuple_layouts": ["nested"],
        "signature": "void target(void* out, const void** in)",
        "parameters": [
            {"parameter": "in", "name": "in", "table": 0},
            {"parameter": "out", "name": "r", "shape": "pred[]"},
        ],
        "tables": [
            {
                "name": "in",
                "slots": [
                    {"offset": 0, "name": "p0", "shape": "f32[2]"},
                    {"offset": 8, "name": "p1", "shape": "(u8[3],())", "table": 1},
                ],
            },
            {
                "name": "p1",
                "slots": [
                    {"offset": 0, "name": "p1_0", "shape": "u8[3]"},
                    {"offset": 8, "name": "p1_1", "shape": "()", "table": 2},
                ],
            },
            {"name": "p1_1", "slots": []},
        ],
        "declarations": [
            "// needs <stdbool.h>, <stdint.h>",
            "const float* p0 = (const float*)in[0];              // f32[2]",
            "const void* const* p1 = (const void* const*)in[1];",
            "const uint8_t* p1_0 = (const uint8_t*)p1[0];        // u8[3]",
            "// p1[1] is p1_1, an empty tuple",
            "bool* r = (bool*)out;                               // pred[]",
        ],
    }
    assert (gpu["platform"], gpu["tuple_layouts"]) == ("GPU", [])
    assert [slot["offset"] for slot in gpu["tables"][0]["slots"]] == [0, 8, 16]


def titles(*words):
    return re.findall(r"^((?:CPU|GPU).*)$", layout(*words), re.MULTILINE)


def test_eras():
    both = [
        "CPU, nested tuple layout (TensorFlow 2.13.1, jaxlib <= 0.4.30)",
        "CPU, flat tuple layout (TensorFlow 2.21.0, jaxlib >= 0.4.38)",
        "GPU (all runtimes)",
    ]
    assert titles("(f32[])") == both
    assert titles("(f32[])", "--tuple-layout", "nested") == [both[0], both[2]]
    assert titles("(f32[])", "--tuple-layout", "flat") == both[1:]
    assert titles("f32[]") == ["CPU, both tuple layouts (all runtimes)", both[2]]


def svg_texts(document):
    root = xml.etree.ElementTree.fromstring(document)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_svg():
    text = layout(*DOCUMENTED)
    assert layout(*DOCUMENTED, "--svg", "layout.svg") == text
    document = pathlib.Path("layout.svg").read_text()
    assert layout(*DOCUMENTED, "--svg", "-") == document
    assert json.loads(layout(*DOCUMENTED, "--svg", "again.svg", "--json"))
    assert pathlib.Path("again.svg").read_text() == document
    texts = svg_texts(document)
    assert {"in", "p0_1_1", "f32[1024]", "TensorFlow 2.13.1, jaxlib <= 0.4.30"} <= set(texts)
    for described in layouts(*DOCUMENTED):
        assert {leaf["name"] for leaf in leaves(described)} <= set(texts)


def test_the_picture_is_the_one_that_was_looked_at():
    """Where a change of the picture is meant, look at the new one and put it there."""
    words = ["(f32[2],(u8[],()))", "token[]", "--result", "s32[3]"]
    assert layout(*words, "--svg", "-") == (HERE / "expected_layout.svg").read_text()


def test_many_leaves_and_deep_ones():
    many = f"({','.join(['f32[1]'] * 10000)})"
    assert len(layout(many).splitlines()) > 6 * 10000
    assert len(svg_texts(layout(many, "--svg", "-"))) > 3 * 3 * 10000
    deep = layout(DEEP, "--result", DEEP)
    drawn = [line for line in deep.splitlines() if " ─▶ │ " in line]
    # Where more than one table is in a line, the line is not too long.
    assert all(len(line) <= 100 for line in drawn if line.count("─▶ │") > 1)
    assert "f32[7]" in svg_texts(layout(DEEP, "--svg", "-"))


# ---- The command line ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, message",
    [
        ([], "expected the SHAPE of an operand, or --result"),
        (["f32["], "SHAPE 1: shape text, character 5: expected a dimension, found the end"),
        (["f32[]", "(f32[],)"], "SHAPE 2: shape text, character 8: expected a tuple in "),
        (["f32[]", "--result", "f17[]"], "--result: shape text, character 1: expected a tuple in "),
        (["(" * 129 + ")" * 129], "SHAPE 1: shape text, character 129: expected tuples nested at "),
        (["(" * 100000], "SHAPE 1: shape text, character 129: expected tuples nested at "),
        (["f32[4611686018427387904]"], "SHAPE 1: shape text, character 1: "),
        ([""], "SHAPE 1: shape text, character 1: expected "),
        (
            ["(u8[],s4[2]{0:E(8)})"],
            "SHAPE 1: s4[2]{0:E(8)}: custom calls get s4 in 4 bits, never in 8: leave the ",
        ),
        (
            ["f32[]", "--tuple-layout", "old"],
            '--tuple-layout: unknown tuple layout "old": expected nested',
        ),
        (["f32[]", "--svg", "-", "--json"], "--json and --svg - both write to standard output"),
        (["f32[]", "--svg"], "--svg"),
        (["f32[]", "--frobnicate"], "unknown option --frobnicate"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_usage_errors(words, message):
    assert failure(2, *words).startswith(message)


def test_files_that_cannot_be_written():
    message = failure(1, "f32[]", "--svg", "nowhere/x.svg")
    assert message == "NOT_FOUND: nowhere/x.svg: No such file or directory"
    assert failure(1, "f32[]", "--svg", "/dev/full").endswith("/dev/full: No space left on device")
    with open("/dev/full", "w") as full:
        done = subprocess.run([COMMAND, "layout", "f32[]"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert b"standard output: No space left on device" in done.stderr


def test_the_example_of_the_help():
    done = command("layout", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    (example,) = re.findall(r"^  (callbridge layout .*)$", done.stdout, re.MULTILINE)
    assert shlex.split(example) == [COMMAND.name, "layout", *DOCUMENTED]
    assert layout(*DOCUMENTED).startswith("CPU, nested tuple layout ")


def test_the_example_of_the_readme():
    page = (ROOT / "docs/old_libraries.md").read_text()
    ((words, printed),) = re.findall(r"^\$ callbridge layout (.*)\n([^`]+)```", page, re.MULTILINE)
    assert layout(*shlex.split(words)) == printed
