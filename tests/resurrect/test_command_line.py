"""`python -m callbridge.resurrect` itself: its own options, its errors, and what --explain writes.

test_as_python.py has how it runs programs.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import callbridge
import jax
import pytest
from callbridge.jax._runtimes import RUNTIME, is_since
from jax_releases import IN_DEBIAN_13

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE.parents[1] / "python"
COMMAND = ["-m", "callbridge.resurrect"]
LIBRARY = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])


def ended(arguments, python=sys.executable, path=(), given="", **variables):
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", **variables}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, [*path, PYTHON, HERE]))
    done = subprocess.run(
        [python, *map(str, arguments)],
        env=environment, input=given, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def without_jax(tmp_path_factory):
    """A Python without packages."""
    folder = tmp_path_factory.mktemp("python")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder / "bin/python"


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import sys\nprint(sys.argv[1:])\n")
    return path


# ---- Its own options, which need no JAX ----------------------------------------------------------


@pytest.mark.parametrize("option", ["-h", "--help", "-?"])
def test_help(without_jax, option):
    status, printed, errors = ended([*COMMAND, option], without_jax)
    assert (status, errors) == (0, "")
    assert printed.startswith("usage: python [OPTION...] -m callbridge.resurrect [--explain]")
    for part in ("--explain   ", "--version", "\n  python -m callbridge.resurrect train.py"):
        assert part in printed
    assert max(map(len, printed.splitlines())) <= 100


def test_version(without_jax):
    expected = 0, f"callbridge {callbridge.__version__}\n", ""
    assert ended([*COMMAND, "--version"], without_jax) == expected


def test_wrong_command_lines(without_jax):
    for arguments, said in [
        (["--explian", "x.py"], "Unknown option: --explian\n"),
        (["--explain", "--version "], "Unknown option: --version \n"),
        (["-c"], "Argument expected for the -c option\n"),
        (["--explain", "-m"], "Argument expected for the -m option\n"),
    ]:
        status, printed, errors = ended([*COMMAND, *arguments], without_jax)
        assert (status, printed) == (2, "")
        assert errors.startswith(f"{said}usage: python ") and errors.count("\n") == 3


def test_no_program_on_a_terminal(without_jax):
    if shutil.which("script") is None:
        pytest.skip("script(1) is not here")
    for options in ("", " --explain"):
        command = f"'{without_jax}' -m callbridge.resurrect{options}"
        status, printed, _ = ended(["-qec", command, "/dev/null"], "script")
        assert status == 2
        assert printed.startswith(
            "python -m callbridge.resurrect: expected a program, found none; `-` starts Python's "
            "prompt"
        )


def test_a_program_that_is_not_there(without_jax, tmp_path):
    """Before anything is imported, as Python says it."""
    missing = tmp_path / "not_there.py"
    for explain in ([], ["--explain"]):
        status, printed, errors = ended([*COMMAND, *explain, missing], without_jax)
        assert (status, printed, errors) == ended([missing], without_jax)
        assert status == 2 and errors.endswith("No such file or directory\n")


# ---- What it needs and lacks: one line, and no traceback -----------------------------------------


def refusal(*arguments, **more):
    status, printed, errors = ended([*COMMAND, *arguments], **more)
    assert (status, printed, errors.count("\n")) == (1, "", 1), errors
    prefix = "python -m callbridge.resurrect: "
    assert errors.startswith(prefix)
    return errors[len(prefix) : -1]


def test_no_jax(without_jax, program):
    expected = f"no JAX is installed for {without_jax}; install it: pip install jax"
    assert refusal(program, python=without_jax) == expected
    assert refusal("-m", "json.tool", python=without_jax) == expected
    # A program that finds none by itself keeps its own error.
    assert "Traceback" in ended(["-c", "import callbridge.resurrect"], without_jax)[2]


def jax_of(folder, text, jaxlib=""):
    for name, content in (("jax", text), ("jaxlib", jaxlib)):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(content)
    return [folder]


def test_a_jax_that_is_too_old(tmp_path, program):
    path = jax_of(tmp_path, "__version__ = '0.4.12'", "__version__ = '0.4.12'")
    assert refusal(program, path=path) == (
        "callbridge.jax runs on jax 0.4.13 and newer; this is jax 0.4.12: pip install 'jax>=0.4.13'"
    )


@pytest.mark.parametrize("error", ["ModuleNotFoundError", "RuntimeError", "ImportError"])
def test_a_jax_that_cannot_be_imported(tmp_path, program, error):
    path = jax_of(tmp_path, f"raise {error}('jaxlib version 0.1 is older than required')")
    said = refusal(program, path=path)
    assert said == "JAX cannot be imported: jaxlib version 0.1 is older than required"


def test_a_library_of_another_version(tmp_path, program):
    content = LIBRARY.read_bytes()
    for old, new in ((b"\0callbridge_probe_typed\0", b"\0callbridge_probe_types\0"),
                     (b"0.1.0\0", b"0.0.9\0")):  # fmt: skip
        assert old in content
        content = content.replace(old, new)
    other = tmp_path / "libcallbridge.so.0"
    other.write_bytes(content)
    assert refusal(program, CALLBRIDGE_LIBRARY=str(other)) == (
        f"{other} is libcallbridge 0.0.9 and has no function callbridge_probe_typed, and this "
        f"Python package is of {callbridge.__version__}; set CALLBRIDGE_LIBRARY to the path of "
        "one of this version, or unset it to use the installed one"
    )


def test_a_library_for_another_machine(tmp_path, program):
    content = LIBRARY.read_bytes()
    number = b"\xf3" if content[18:19] != b"\xf3" else b"\x3e"
    other = tmp_path / "libcallbridge.so.0"
    other.write_bytes(content[:18] + number + content[19:])
    said = refusal(program, CALLBRIDGE_LIBRARY=str(other))
    assert said.startswith(f"{other} is for ELF machine 243, and this machine is {os.uname()[4]}: ")


def test_no_library(tmp_path, program):
    for path, part in [
        (tmp_path / "not_there.so", "which is not a file; set it to"),
        (program, "cannot be loaded"),
        (shutil.which("true"), "cannot be loaded"),
        (HERE / "__init__", "which is not a file"),
    ]:
        assert part in refusal(program, CALLBRIDGE_LIBRARY=str(path))


def test_a_python_that_is_too_old(tmp_path, program):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nsys.version_info = (3, 8, 20, 'final', 0)\n"
    )
    status, printed, errors = ended([*COMMAND, program], path=[tmp_path])
    assert (status, printed, errors.count("\n")) == (1, "", 1), errors
    assert (
        "callbridge needs Python 3.9 or newer, and this is 3.8: run it with a newer one" in errors
    )


def test_other_errors_keep_their_traceback(tmp_path, program):
    """Of what is wrong with callbridge or JAX, and with the program."""
    path = jax_of(tmp_path, "import not_there")
    assert "JAX cannot be imported: No module named 'not_there'" in refusal(program, path=path)
    program.write_text("import not_there\n")
    assert "Traceback" in ended([*COMMAND, program])[2]


# ---- --explain -----------------------------------------------------------------------------------


def test_explains(build, tmp_path):
    library = build / f"tests/typed_ffi/suite/suite_{IN_DEBIAN_13}.so"
    arguments = [HERE / "explained_program.py", library, "a", "--explain"]
    old = {"OLD_PACKAGE_LIBRARY": str(build / "tests/resurrect/old_package.so")}
    status, printed, errors = ended([*COMMAND, *arguments], **old)
    assert (status, printed) == (3, f"{jax.__version__} custom_call ['a', '--explain']\n"), errors
    explained = ended([*COMMAND, "--explain", *arguments], **old)
    assert explained[:2] == (status, printed)
    text = re.sub(r"\S*/(?=explained_program)", "", explained[2][len(errors) :])
    first, *lines = text.splitlines()
    assert first == f"callbridge.resurrect on jax {jax.__version__}:"
    at = dict(re.findall(r"^    (\S+?)(?:: .*)?  (explained_program.py:.*)$", text, re.MULTILINE))
    source = (HERE / "explained_program.py").read_text().splitlines()
    number = {part: n for n, line in enumerate(source, 1) for part in (line.strip(),)}

    def place(line):
        return f"explained_program.py:{number[line]}"

    if is_since("0.6"):
        assert at["jax.core.subst_axis_names"] == place("core.subst_axis_names  # noqa: B018")
    if is_since("0.6"):
        assert at["jax.core.Primitive"] == place("assert core.Primitive is not None")
    if is_since("0.8"):
        assert at["jax.interpreters.mlir.custom_call"] == place(
            "from jax.interpreters.mlir import custom_call"
        )
        assert at["jax.lib.xla_client"] == place("from jax.lib import xla_client")
        named_shape = place(
            "assert core.ShapedArray((2,), jnp.float32, named_shape={}).named_shape == {}"
        )
        assert at["jax.core.ShapedArray.named_shape"] == named_shape
        assert at["jax.core.ShapedArray(named_shape)"] == named_shape
        assert at["jax.numpy.sort"] == place('jnp.sort(jnp.ones(3), kind="quicksort")')
    handlers = [line for line in lines if " on Host, of " in line]
    adapted = "'add' on Host, of " + str(library)
    if RUNTIME.has_instantiate and jax.__version__ != IN_DEBIAN_13:
        assert re.fullmatch(
            rf"    {re.escape(adapted)}: this XLA has FFI 0\.[0-4] and calls it through "
            r"callbridge; the handler answers the metadata query: XLA FFI 0\.5",
            handlers[0],
        ), handlers
    if is_since("0.6"):
        assert any(re.match(r"    'nested_sum' on Host, of .*old_package\.so: an untyped function",
                            line) for line in handlers)  # fmt: skip


def test_nothing_to_explain(program):
    status, printed, errors = ended([*COMMAND, "--explain", program, "x"])
    assert (status, printed) == (0, "['x']\n")
    assert errors.endswith(
        f"callbridge.resurrect on jax {jax.__version__}:\n"
        "  the program asked for nothing that this JAX lacks, and no handler was adapted\n"
    )


@pytest.mark.skipif(not is_since("0.6"), reason="it has that name")
def test_places_are_counted(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import jax\n" + "jax.core.raise_to_shaped\n" * 5)
    errors = ended([*COMMAND, "--explain", program])[2]
    shown = ", ".join(f"{program}:{line}" for line in (2, 3, 4))
    assert f"    jax.core.raise_to_shaped  {shown}, and 2 more\n" in errors


def test_only_the_programs_own_lines(tmp_path):
    """Not what JAX, callbridge or a fork of the process asks for; what Python's library asks for is
    the program's line that called it."""
    program = tmp_path / "program.py"
    program.write_text(
        "import inspect, os, sys\nimport jax\n"
        "child = os.fork()\n"  # before XLA has threads
        "if child == 0: sys.exit()\n"
        "inspect.getattr_static(jax.core, 'get_aval'), inspect.getmembers(jax.core)\n"
        "jax.jit(lambda x: x + 1)(1), os.waitpid(child, 0)\n"
    )
    status, _, errors = ended([*COMMAND, "--explain", program])
    assert status == 0, errors
    places = set(re.findall(r"  (\S+:\d+)$", errors, re.MULTILINE))
    assert places <= {f"{program}:5"}
    assert errors.count("callbridge.resurrect on jax") == 1


@pytest.mark.parametrize("options", [[], ["--explain"]])
def test_ends_are_the_programs(tmp_path, options):
    program = tmp_path / "program.py"
    program.write_text(
        "import os, signal, sys\n"
        "how = sys.argv[1]\n"
        "print(sys.stdin.read())\n"
        "sys.stdout.flush()\n"
        "if how == 'raise': raise ValueError(how)\n"
        "if how == 'exit': sys.exit('text')\n"
        "if how == '_exit': os._exit(7)\n"
        "if how == 'kill': os.kill(os.getpid(), signal.SIGTERM)\n"
        "if how == 'interrupt': raise KeyboardInterrupt\n"
    )
    for how in ("raise", "exit", "_exit", "kill", "interrupt", "end"):
        natively = ended([program, how], given="a\nb")
        status, printed, errors = ended([*COMMAND, *options, program, how], given="a\nb")
        assert (status, printed) == natively[:2]
        assert status in (1, 7, -signal.SIGTERM, -signal.SIGINT, 0)
        assert errors.startswith(natively[2])
        explains = bool(options) and how not in ("_exit", "kill")
        assert (len(errors) > len(natively[2])) == explains, how
