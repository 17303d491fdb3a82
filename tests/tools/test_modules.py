"""`callbridge run MODULE`, `show` and `upgrade`: the real executable on real modules."""

import json
import os
import pathlib
import re
import subprocess

import ml_dtypes
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
TARGETS = BUILD / "tests/tools/run_targets.so"
TWINS = BUILD / "tests/python/twins.so"

EXAMPLE = """HloModule example

ENTRY main {
  b = f32[128]{0} parameter(0)
  c = f32[2048]{0} parameter(1)
  ROOT a = f32[2048]{0} custom-call(b, c), custom_call_target="do_custom_call"
}
"""
TUPLES = """HloModule tuples

ENTRY main {
  x = f32[4]{0} parameter(0)
  y = bf16[4]{0} parameter(1)
  inner = (bf16[4]{0}, f32[4]{0}) tuple(y, x)
  p = (f32[4]{0}, (bf16[4]{0}, f32[4]{0})) tuple(x, inner)
  ROOT sums = (f32[], (f32[], f32[])) custom-call(p), custom_call_target="sums"
}
"""
FAILING = """HloModule failing

ENTRY main {
  ROOT a = f32[1]{0} custom-call(), custom_call_target="fail", API, backend_config="out of cheese"
}
""".replace("API", "api_version=API_VERSION_STATUS_RETURNING_UNIFIED")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("example.hlo").write_text(EXAMPLE)
    pathlib.Path("tuples.hlo").write_text(TUPLES)
    pathlib.Path("failing.hlo").write_text(FAILING)


def command(*words):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, timeout=60)


def output(*words):
    """Standard output of a command that succeeds, as bytes."""
    done = command(*words)
    assert (done.returncode, done.stderr) == (0, b""), done
    return done.stdout


def failure(status, *words):
    """The message of a command that fails: one line, and nothing else is printed."""
    done = command(*words)
    assert (done.returncode, done.stdout) == (status, b""), done
    assert re.fullmatch(rb"callbridge: [^\n]+\n", done.stderr), done.stderr
    return done.stderr.decode().removeprefix("callbridge: ").removesuffix("\n")


def save(name, array):
    np.save(name, array)
    return name


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    b, c = rng.random(128, np.float32), rng.random(2048, np.float32)
    save("b.npy", b)
    save("c.npy", c)
    return b, c


def test_the_example_of_the_documentation_runs(arrays):
    b, c = arrays
    run = ["run", "example.hlo", "b.npy", "c.npy", "--library", TARGETS, "--output", "a.npy"]
    assert output(*run).startswith(b"example.hlo\nresult{} f32[2048] ")
    np.testing.assert_array_equal(np.load("a.npy"), b[np.arange(2048) % 128] + c)
    record = json.loads(output(*run, "--json"))
    assert record["module"] == "example.hlo"
    assert record["results"][0]["dimensions"] == [2048]


def test_every_form_runs_and_means_the_same(arrays):
    output("show", "example.hlo", "--form", "proto", "--output", "example.pb")
    output("show", "example.pb", "--output", "again.hlo")
    output("show", "again.hlo", "--form", "proto", "--output", "again.pb")
    assert pathlib.Path("again.pb").read_bytes() == pathlib.Path("example.pb").read_bytes()
    for module in ["example.pb", "again.hlo"]:
        output(
            *["run", module, "b.npy", "c.npy"], *["--library", TARGETS, "--output", module + ".npy"]
        )
    np.testing.assert_array_equal(np.load("example.pb.npy"), np.load("again.hlo.npy"))
    assert b"stablehlo.custom_call @do_custom_call(" in output(
        "show", "example.pb", "--form", "stablehlo"
    )


def test_nested_tuples_are_tables(arrays):
    save("x.npy", np.float32([1, 2, 3, 4]))
    save("y.npy", np.uint16([0x3F80] * 4).view("V2"))
    output(
        *["run", "tuples.hlo", "x.npy", "bf16:y.npy", "--library", TARGETS],
        *["--output", "0.npy", "--output", "1.npy", "--output", "2.npy"],
    )
    assert [float(np.load(f"{i}.npy")) for i in range(3)] == [10, 4, 10]


def test_a_site_descriptor_says_what_a_target_expects(monkeypatch):
    # As JAX and PyTorch/XLA dump programs that call targets through callbridge by version 3.
    monkeypatch.syspath_prepend(str(ROOT / "python"))
    monkeypatch.setenv("CALLBRIDGE_LIBRARY", str(LIBRARY))
    from callbridge._core import _call_site, _shapes

    operands = (_shapes.parse_result("(f32[4],(bf16[4],f32[4]))"),)
    result = _shapes.parse_result("(f32[],(f32[],f32[]))")
    descriptor = _call_site.descriptor(operands, result, "nested", b"")
    escaped = "".join(f"\\{byte:03o}" for byte in descriptor)
    pathlib.Path("described.hlo").write_text(
        "HloModule described\n\nENTRY main {\n"
        "  x = f32[4]{0} parameter(0)\n  y = bf16[4]{0} parameter(1)\n"
        '  ROOT sums = (f32[], f32[], f32[]) custom-call(x, y, x), custom_call_target="sums", '
        f'api_version=API_VERSION_STATUS_RETURNING_UNIFIED, backend_config="{escaped}"\n}}\n'
    )
    save("x.npy", np.float32([1, 2, 3, 4]))
    save("y.npy", np.uint16([0x3F80] * 4).view("V2"))
    output(
        *["run", "described.hlo", "x.npy", "bf16:y.npy", "--library", TARGETS],
        *["--output", "0.npy", "--output", "1.npy", "--output", "2.npy"],
    )
    assert [float(np.load(f"{i}.npy")) for i in range(3)] == [10, 4, 10]


def test_an_upgraded_module_has_typed_calls_alone(arrays):
    save("x.npy", np.float32([1, 2, 3, 4]))
    for module in ["example", "tuples", "failing"]:
        text = output("upgrade", module + ".hlo").decode()
        assert "API_VERSION_TYPED_FFI" in text
        assert "STATUS_RETURNING" not in text
    assert "callbridge_site" in output("upgrade", "tuples.hlo").decode()
    # Plain arrays need no descriptor.
    assert "callbridge_site" not in output("upgrade", "example.hlo").decode()
    # What is typed already stays as it is.
    output("upgrade", "tuples.hlo", "--output", "new.hlo")
    assert output("upgrade", "new.hlo") == pathlib.Path("new.hlo").read_bytes()


def test_a_target_that_fails_is_an_error():
    message = failure(1, "run", "failing.hlo", "--library", TARGETS)
    assert "INTERNAL" in message and "CustomCall failed: out of cheese" in message


def test_a_target_that_is_not_there_is_named(arrays):
    message = failure(1, "run", "example.hlo", "b.npy", "c.npy")
    assert message.startswith("NOT_FOUND") and "do_custom_call" in message and "Host" in message


def test_operands_are_compared_with_the_parameters(arrays):
    message = failure(1, "run", "example.hlo", "b.npy", "--library", TARGETS)
    assert "the module has 2 parameters, but 1 operands were given" in message
    message = failure(1, "run", "example.hlo", "c.npy", "b.npy", "--library", TARGETS)
    assert "parameter 0 of the module is f32[128]{0}, but the operand is f32[2048]" in message


def test_options_of_targets_are_refused_for_modules(arrays):
    for option in [
        *(["--result", "f32[1]"], ["--opaque", "x"], ["--attribute", "a=1:i32"]),
        *(["--opaque-file", "b.npy"], ["--abi", "original"], ["--platform", "CUDA"]),
        *(["--tuple-layout", "flat"], ["--operator-info", "info.json"]),
    ]:
        message = failure(2, "run", "example.hlo", "b.npy", "c.npy", *option)
        assert message == (
            "--result, --opaque, --opaque-file, --attribute, --abi, --platform, --tuple-layout and "
            "--operator-info are for a library's target, but example.hlo is a module, whose calls "
            "have these themselves"
        )
    message = failure(2, "run", TARGETS, "copy", "--library", TARGETS)
    assert "--library is for modules" in message
    message = failure(
        2,
        *["run", "example.hlo", "b.npy", "c.npy", "--library", TARGETS] * 1,
        *["--output", "1", "--output", "2"],
    )
    assert "expected --output once for each array of" in message


def test_libraries_of_modules_are_loaded_elsewhere_first(arrays):
    ends = BUILD / "tests/targets/ends_by_exit.so"
    run = ["run", "example.hlo", "b.npy", "c.npy", "--library", TARGETS, "--library", ends]
    assert command(*run, "--in-process").returncode == 3
    message = failure(1, *run, "--isolate")
    assert message.startswith("INTERNAL: ") and "in isolation it exited with status 3" in message


def test_any_library_may_have_the_target(arrays):
    others = BUILD / "tests/python/other_example.so"
    for libraries in [[TARGETS, others], [others, TARGETS]]:
        words = [word for library in libraries for word in ("--library", library)]
        done = command("run", "example.hlo", "b.npy", "c.npy", *words)
        assert b"result{} f32[2048] " in done.stdout


def test_layouts_of_operands_do_not_count():
    pathlib.Path("m.hlo").write_text(
        "HloModule m\nENTRY e {\n  x = f32[2,3]{0,1} parameter(0)\n"
        "  ROOT y = f32[2,3]{0,1} negate(x)\n}\n"
    )
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    save("x.npy", array)
    output("run", "m.hlo", "x.npy", "--output", "y.npy")
    save("t.npy", np.ascontiguousarray(array.T))
    message = failure(1, "run", "m.hlo", "t.npy")
    assert "parameter 0 of the module is f32[2,3]{0,1}, but the operand is f32[3,2]" in message


def test_names_of_modules_are_any_bytes():
    name = b"m\xff.hlo"
    pathlib.Path(os.fsdecode(name)).write_text(
        "HloModule m\nENTRY e {\n  ROOT x = f32[] constant(1)\n}\n"
    )
    done = subprocess.run([COMMAND, "run", name, "--json"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == {
        "module": "m\ufffd.hlo",
        "results": [{"index": [], "element_type": "f32", "dimensions": []}],
    }


def test_the_first_operand_of_a_module_is_read_as_the_others(arrays):
    message = failure(1, "run", "example.hlo", "(b.npy", "c.npy", "--library", TARGETS)
    assert message.startswith("INVALID_ARGUMENT: ") and 'expected "," or ")"' in message


@pytest.mark.parametrize("name", ["show", "upgrade", "run"])
def test_what_is_no_module_is_said_to_be_none(name):
    for content in [b"", b"\0" * 100, b"no module", b"HloModule m", EXAMPLE.encode()[:-40]]:
        pathlib.Path("hostile").write_bytes(content)
        message = failure(1, name, "hostile")
        assert message.startswith("INVALID_ARGUMENT: hostile: ")
    assert "nowhere" in failure(1, name, "nowhere")


def test_modules_have_a_byte_for_each_small_element():
    pathlib.Path("s4.hlo").write_text(
        "HloModule s4\nENTRY e {\n  x = s4[3] parameter(0)\n  c = s4[3] constant({-8, 7, 1})\n"
        "  ROOT t = (s4[3], s4[3]) tuple(x, c)\n}\n"
    )
    np.save("x.npy", np.array([1, -2, 3], ml_dtypes.int4))
    printed = output("run", "s4.hlo", "s4:x.npy").decode().splitlines()
    assert printed[1:] == ["result{0} s4[3] 1 -2 3", "result{1} s4[3] -8 7 1"]


def test_a_missing_instruction_is_named():
    pathlib.Path("sort.hlo").write_text(
        "HloModule m\n\nENTRY e {\n  p = f32[4]{0} parameter(0)\n  ROOT s = f32[4]{0} tanh(p)\n}\n"
    )
    message = failure(1, "show", "sort.hlo")
    assert message.startswith("UNIMPLEMENTED") and "tanh" in message and "XLA" in message


def test_forms_are_checked():
    assert "hlo" in failure(2, "show", "example.hlo", "--form", "mhlo")


def test_examples_of_help_name_real_options():
    for name in ["show", "upgrade"]:
        text = output(name, "--help").decode()
        assert f"callbridge {name}" in text and "Exit status" in text


@pytest.mark.parametrize(
    "call, wanted",
    [
        ("", "-2"),
        (", api_version=API_VERSION_STATUS_RETURNING", "-2"),
        (", api_version=API_VERSION_TYPED_FFI, backend_config={scale = 3. : f32}", "6"),
    ],
)
def test_the_version_says_which_of_two_targets_of_one_name_is_called(call, wanted):
    text = "HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n  ROOT r = f32[] custom-call(p), "
    pathlib.Path("m.hlo").write_text(f'{text}custom_call_target="twin"{call}\n}}\n')
    x = save("x.npy", np.float32(2))
    assert output("run", "m.hlo", x, "--library", TWINS).endswith(f" {wanted}\n".encode())


def test_the_abi_says_which_of_two_targets_of_one_name_is_called():
    x = save("x.npy", np.float32(2))
    run = ["run", TWINS, "twin", x, "--result", "f32[]"]
    assert output(*run, "--attribute", "scale=3:f32").endswith(b"} f32[] 6\n")
    assert output(*run, "--abi", "original").endswith(b"} f32[] -2\n")
    assert "attributes" in failure(1, *run, "--abi", "original", "--attribute", "scale=3:f32")


def test_the_evidence_is_of_the_function_that_is_called():
    x = save("x.npy", np.float32(2))
    run = ["run", TWINS, "twin", x, "--result", "f32[]"]
    typed = output(*run, "--attribute", "scale=3:f32").decode().splitlines()[0]
    untyped = output(*run, "--abi", "original").decode().splitlines()[0]
    assert typed == "twin on Host: typed_ffi (registered as a typed FFI handler)"
    assert untyped.startswith("twin on Host: original (") and "typed" not in untyped


def test_attributes_of_an_untyped_target_are_refused():
    typed = 'custom_call_target="do_custom_call", api_version=API_VERSION_TYPED_FFI'
    config = "backend_config={scale = 3 : i32}"
    text = EXAMPLE.replace('custom_call_target="do_custom_call"', f"{typed}, {config}")
    pathlib.Path("m.hlo").write_text(text)
    b = save("b.npy", np.zeros(128, np.float32))
    c = save("c.npy", np.zeros(2048, np.float32))
    message = failure(1, "run", "m.hlo", b, c, "--library", TARGETS)
    assert message.startswith("INVALID_ARGUMENT: the call site has attributes (scale)")


def test_files_are_those_that_numpy_writes():
    """Of each rank, with the long dimension first and last: headers end where NumPy's do."""
    shapes = [(), (0,)]
    for rank in range(1, 15):
        shapes += [(1000, *[1] * (rank - 1)), (*[1] * (rank - 1), 1000)]
    parameters, operands, outputs = [], [], []
    for i, shape in enumerate(shapes):
        np.save(f"{i}.npy", np.arange(np.prod(shape), dtype=np.float32).reshape(shape))
        text = f"f32[{','.join(map(str, shape))}]"
        parameters.append(f"  p{i} = {text} parameter({i})\n")
        operands.append((text, f"p{i}"))
        outputs += ["--output", f"{i}.out.npy"]
    types, names = (", ".join(each) for each in zip(*operands, strict=True))
    root = f"  ROOT all = ({types}) tuple({names})\n"
    text = f"HloModule copies\n\nENTRY main {{\n{''.join(parameters)}{root}}}\n"
    pathlib.Path("copies.hlo").write_text(text)
    done = command("run", "copies.hlo", *(f"{i}.npy" for i in range(len(shapes))), *outputs)
    assert done.returncode == 0, done.stderr
    for i, shape in enumerate(shapes):
        written, expected = (pathlib.Path(f"{i}{end}").read_bytes() for end in (".out.npy", ".npy"))
        assert written == expected, shape
