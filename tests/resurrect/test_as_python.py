"""`python -m callbridge.resurrect` is what `python` is: each way to start a program, each option
and each end, by both. What the program sees, what it prints and how it ends is the same.

callbridge.resurrect is empty here, as is callbridge, but for the modules that run a program: JAX
takes a second to import. test_children.py has them whole.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "python/callbridge/resurrect"
SEEN = (HERE / "seen_by_program.py").read_text()


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A Python that has callbridge by whatever options it is started."""
    folder = tmp_path_factory.mktemp("python")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = folder / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    resurrect = packages / "callbridge/resurrect"
    resurrect.mkdir(parents=True)
    for folder_of_package in (resurrect.parent, resurrect):
        (folder_of_package / "__init__.py").write_text("")
    for name in ("__main__.py", "_program.py"):
        (resurrect / name).symlink_to(PACKAGE / name)
    return folder / "bin/python"


@pytest.fixture(scope="module")
def programs(tmp_path_factory, python):
    """A folder with the same program in each form."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "program.py").write_text(SEEN)
    (folder / "beside.py").write_text("x = 1\n")
    (folder / "in folder").mkdir()
    (folder / "in folder/__main__.py").write_text(SEEN)
    (folder / "empty").mkdir()
    package = folder / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text("value = 7\n")
    (package / "__main__.py").write_text(f"from .part import value\n{SEEN}")
    (package / "module.py").write_text(f"from . import part\n{SEEN}")
    (folder / "without_main").mkdir()
    (folder / "without_main/__init__.py").write_text("")
    with zipfile.ZipFile(folder / "archive.zip", "w") as archive:
        archive.writestr("__main__.py", SEEN)
    (folder / "links").mkdir()
    (folder / "links/link.py").symlink_to(folder / "program.py")
    compile_it = "import py_compile; py_compile.compile('program.py', 'compiled.pyc', doraise=True)"
    subprocess.run([python, "-c", compile_it], cwd=folder, check=True)
    (folder / "wrong.py").write_text("x = 1\nif x\n    pass\n")
    (folder / "indented.py").write_text("if 1:\n  x\n y\n")
    (folder / "null.py").write_bytes(b"x = 1\n\0\n")
    (folder / "cookie.py").write_bytes(b"# coding: latin-1\nprint(ascii('\xe9'))\n")
    (folder / "unknown_cookie.py").write_bytes(b"# coding: nonesuch\n")
    (folder / "mark.py").write_bytes(b"\xef\xbb\xbfprint('\xc3\xa9'.encode())\r\n1/0\r\n")
    (folder / "future.py").write_text("x: not_there = 1\n")
    (folder / "no suffix").write_text("1/0\n")
    (folder / "fails_to_import.py").write_text("import not_there\n")
    (folder / "fork.py").write_text(
        "import os, sys\npid = os.fork()\nif pid == 0: sys.exit(6)\n"
        "print(os.waitpid(pid, 0)[1] >> 8)\n"
    )
    (folder / "tests_of_it.py").write_text(
        "import unittest\nclass T(unittest.TestCase):\n  def test(self): self.assertEqual(1, 1)\n"
    )
    (folder / "hint.py").write_text("class A: pass\nprint(A, __annotations__)\nb: int = 2\n")
    (folder / "last.py").write_text(
        "import os, sys\nos.chdir('/')\nprint(open(__file__).read(6), sys.argv)\n"
    )
    return folder


def ended(command, folder, given="", **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment, **variables},
        input=given,
        capture_output=True,
        text=True,
        timeout=100,
    )
    # Times of unittest, addresses, and what newer Pythons add.
    differing = r"in [\d.]+s|0x[0-9a-f]{8,}|(?<=sys.excepthook is missing).*"
    errors = re.sub(differing, "...", done.stderr)
    return done.returncode, done.stdout, errors


def check(python, folder, arguments, options=(), **more):
    natively = ended([python, *options, *arguments], folder, **more)
    ours = ended([python, *options, "-m", "callbridge.resurrect", *arguments], folder, **more)
    assert ours == natively
    return natively


# How to start a program that prints what it sees.
STARTS = [
    ["program.py"],
    ["./program.py"],
    ["in folder/../program.py"],
    ["{folder}/program.py", "return", "-c", "--", "-m"],
    ["links/link.py"],
    ["in folder"],
    ["./in folder/"],
    ["{folder}/in folder"],
    ["archive.zip", "raise"],
    ["compiled.pyc", "raise"],
    ["-m", "program", "return", "-x"],
    ["-mprogram"],
    ["-m", "package"],
    ["-m", "package.module", "raise"],
]


@pytest.mark.parametrize("arguments", STARTS, ids=" ".join)
def test_starts(python, programs, arguments):
    arguments = [argument.format(folder=programs) for argument in arguments]
    status, output, _ = check(python, programs, arguments)
    assert status == (1 if "raise" in arguments else 0) and '"__main__"' in output


@pytest.mark.parametrize("arguments", [["-c", SEEN], ["-c", SEEN, "raise", "-m"], [f"-c{SEEN}"]])
def test_commands(python, programs, arguments):
    assert '"__main__"' in check(python, programs, arguments)[1]


@pytest.mark.parametrize("arguments", [["-"], ["-", "raise"], ["-", "exit"], []], ids=" ".join)
def test_standard_input(python, programs, arguments):
    assert '"__main__"' in check(python, programs, arguments, given=SEEN)[1]


# How programs are started that end otherwise.
OTHERS = [
    ["wrong.py"],
    ["indented.py"],
    ["null.py"],
    ["cookie.py"],
    ["unknown_cookie.py"],
    ["mark.py"],
    ["future.py"],
    ["no suffix"],
    ["fork.py"],
    ["last.py", "a"],
    ["hint.py"],
    ["not_there.py"],
    ["program.py/x"],
    ["empty"],
    ["-m", "not_there"],
    ["-m", "not_there.module"],
    ["-m", "without_main"],
    ["-m", "wrong"],
    ["-m", "fails_to_import"],
    ["-m", "sys"],
    ["-m", "unittest", "tests_of_it"],
    ["-m", "runpy", "hint"],
    ["-m", "pdb", "-c", "continue", "-c", "quit", "hint.py"],
    ["-m", "trace", "--count", "--missing", "-C", "counts", "hint.py"],
    ["-c", "x = = 1"],
    ["-c", "1/0"],
    ["-c", "import beside, sys; print(sys.path[0], beside.__file__)"],
    ["-c", "print(input())"],
]


@pytest.mark.parametrize("arguments", OTHERS, ids=" ".join)
def test_others(python, programs, arguments):
    check(python, programs, arguments, given="a line\n")


ENDS = (
    "return exit exit_text exit_none exit_big exit_tuple exit_subclass raise chained interrupt "
    "hook hook_raises hook_exits hook_is_none hook_is_gone thread thread_goes_on warn import_error "
    "syntax_error abort _exit no_stdout signal_interrupt signal_terminate broken_pipe"
).split() + ["group"] * (sys.version_info >= (3, 11))


@pytest.mark.parametrize("how", ENDS)
def test_ends(python, programs, how):
    check(python, programs, ["program.py", how])


@pytest.mark.parametrize("how", ["exit", "interrupt", "hook", "hook_raises", "thread"])
def test_ends_of_modules(python, programs, how):
    check(python, programs, ["-m", "package", how])


# Every option of Python that has to do with a program, by its letter.
OPTIONS = [
    ["-b"], ["-bb"], ["-B"], ["-d"], ["-E"], ["-I"], ["-O"], ["-OO"], ["-q"], ["-s"], ["-S"],
    ["-u"], ["-W", "error::UserWarning"], ["-Wignore"], ["-X", "dev"], ["-X", "utf8=0"],
    ["-X", "faulthandler"], ["-X", "pycache_prefix=cache"], ["-X", "mine=1"], ["-X", "tracemalloc"],
    ["-X", "int_max_str_digits=999"], ["-X", "no_debug_ranges"], ["-X", "frozen_modules=off"],
    ["-i"], ["-IBO"],
] + [["-P"], ["-P", "-O"]] * (sys.version_info >= (3, 11))  # fmt: skip
# Those that end before a program starts, or begin with what is imported; -c and -m are above.
# "-x" skips a line of what Python itself opens, and only then.
NOT_OF_PROGRAMS = set("hvVx?cmt")
SAMPLED = {"-O", "-P", "-IBO", "-i", "-W error::UserWarning", "PYTHONSAFEPATH", "PYTHONPATH"}


def sampled(name):
    if name not in SAMPLED and "CALLBRIDGE_THOROUGH" not in os.environ:
        pytest.skip("make matrix")


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_options(python, programs, options):
    sampled(" ".join(options))
    # Where the packages are, that are not found without site.
    packages = next(python.parents[1].glob("lib/*/site-packages"))
    variables = {"PYTHONPATH": str(packages)} if options == ["-S"] else {}
    check(python, programs, ["program.py", "raise"], options, **variables)


@pytest.mark.parametrize("options", [["-I"], ["-O"]] + [["-P"]] * (sys.version_info >= (3, 11)))
@pytest.mark.parametrize("arguments", [["in folder"], ["-m", "json.tool"], ["-c", SEEN]])
def test_options_of_others(python, programs, arguments, options):
    check(python, programs, arguments, options, given="{}")


def test_every_option_has_a_row(python):
    done = subprocess.run([python, "-h"], capture_output=True, text=True, check=True)
    letters = set(re.findall(r"^-(\w|\?)\b", done.stdout, re.M))
    assert len(letters) > 15
    assert letters - NOT_OF_PROGRAMS == {o[1] for row in OPTIONS for o in row if o[0] == "-"}


VARIABLES = {
    "PYTHONSAFEPATH": "1",
    "PYTHONPATH": "in folder",
    "PYTHONOPTIMIZE": "2",
    "PYTHONWARNINGS": "error::ImportWarning",
    "PYTHONUNBUFFERED": "1",
    "PYTHONUTF8": "0",
    "PYTHONIOENCODING": "latin-1",
    "PYTHONDEVMODE": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONFAULTHANDLER": "1",
    "PYTHONNOUSERSITE": "1",
    "PYTHONINSPECT": "1",
    "PYTHONHASHSEED": "3",
}


@pytest.mark.parametrize("name", VARIABLES)
def test_variables(python, programs, name):
    sampled(name)
    check(python, programs, ["program.py", "warn"], **{name: VARIABLES[name]})


def test_with_all_of_callbridge(programs):
    """What it imports leaves two finders of modules, and nothing else that a program sees."""
    variables = {"PYTHONPATH": str(PACKAGE.parents[1]), "JAX_PLATFORMS": "cpu"}
    for arguments in (["program.py", "raise"], ["-m", "package", "interrupt"]):
        natively = ended([sys.executable, *arguments], programs, **variables)
        ours = ended(
            [sys.executable, "-m", "callbridge.resurrect", *arguments], programs, **variables
        )
        finders = r"<callbridge\.resurrect(\.\w+)+ object>, "
        output, count = re.subn(finders, "", ours[1])
        assert (ours[0], output, ours[2]) == natively and count == 2


def test_usage(python, programs):
    for arguments, status in [(["-h"], 0), (["-Q"], 2), (["-c"], 2), (["-m"], 2)]:
        ours = ended([python, "-m", "callbridge.resurrect", *arguments], programs)
        assert ours[0] == status == ended([python, *arguments], programs)[0]
        assert "usage: python [OPTION...] -m callbridge.resurrect" in ours[1 if status == 0 else 2]


def test_a_profiler_below(python, programs):
    """What runs this module as its program gets its own globals back."""
    command = ["-m", "cProfile", "-m", "callbridge.resurrect", "hint.py"]
    status, output, errors = ended([python, *command], programs)
    assert status == 0 and not errors, errors
    assert "class '__main__.A'" in output and "function calls" in output


@pytest.mark.parametrize("startup, shown", [("hint.py", "A'>"), ("not_there.py", "Could not open")])
def test_interactively(python, programs, startup, shown):
    """As on a terminal: PYTHONSTARTUP, results, and the end that exit() asks for."""
    if shutil.which("script") is None:
        pytest.skip("script(1) is not here")
    command = f"'{python}' -m callbridge.resurrect -"
    typed = "x = 6\nx * 7\n__name__\nexit(3)\n"
    home = {"HOME": str(programs), "PYTHONSTARTUP": startup}
    status, output, _ = ended(["script", "-qec", command, "/dev/null"], programs, typed, **home)
    assert status == 3 and "42" in output and "'__main__'" in output and shown in output, output
