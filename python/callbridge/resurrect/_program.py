"""The command `python -m callbridge.resurrect`: runs a program as Python runs it, by the same
arguments, with the same __main__ and the same end.

The program's module is this process's __main__, as if Python had started it: what multiprocessing,
pickle and inspect find by that name. Only the frames below the program's are more, and
sys.orig_argv is what was typed.

Imports nothing but Python's own before JAX is known to be there.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.machinery
import linecache
import os
import pkgutil
import runpy
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

_COMMAND = "python -m callbridge.resurrect"
_USAGE = """\
usage: python [OPTION...] -m callbridge.resurrect [--explain]
              PROGRAM|-m MODULE|-c COMMAND|- [ARGUMENT...]
"""
_HELP = f"""\
{_USAGE}
Runs a Python program whose packages were made for an older or a newer JAX than this one: restores
the names that they use, and adapts the handlers that they register.

  --explain   after the program ends, writes to standard error what was restored, which file and
              line asked for it, and which handlers were adapted and how
  --version   prints the version of callbridge
  -h, --help  prints this

OPTION and all that follows --explain are as for `python` itself.

For example, a program that fails with "No module named 'jax.linear_util'":

  python -m callbridge.resurrect train.py --steps 10
  python -m callbridge.resurrect --explain -m pytest tests
"""
# What Python's own __main__ has before a program is in it.
_FIRST_NAMES = (
    "__name__", "__doc__", "__package__", "__loader__", "__spec__", "__annotations__",
    "__builtins__",
)  # fmt: skip


class _Command(NamedTuple):
    """Attributes:
    explains: --explain.
    kind: "-m", "-c", "file" or "-".
    arguments: the module, the command or the file, and what follows.
    """

    explains: bool
    kind: str
    arguments: list[str]


# ---- Before JAX is imported ----------------------------------------------------------------------


@contextlib.contextmanager
def starting(frame: types.FrameType) -> Iterator[bool]:
    """Around the imports of callbridge.resurrect, whose frame is `frame`; returns whether what it
    does is to be explained.

    If `python -m` imports it, ends the process at once, with a line, for --help and --version,
    a wrong command line, and what the imports need and lack.
    """
    if not _is_imported_to_run(frame):
        yield False
        return
    command = _parse(sys.argv[1:])
    if command.kind == "file":
        _check_file(command.arguments[0])
    _check_jax()
    try:
        yield command.explains
    except ImportError as error:
        if error.name is not None:  # of a module, and none of callbridge's own errors
            raise
        _fail(error)
    except NotImplementedError as error:  # a JAX that is too old
        _fail(getattr(error, "message", error))


def _is_imported_to_run(frame: types.FrameType) -> bool:
    """Returns whether runpy imports the module of that frame, and no program."""
    importer = frame.f_back
    while importer is not None and _module_of(importer).startswith("importlib."):
        importer = importer.f_back
    return importer is not None and _module_of(importer) == "runpy"


def _module_of(frame: types.FrameType) -> str:
    return str(frame.f_globals.get("__name__"))


def _check_jax() -> None:
    try:
        import jax  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "jax":
            _fail(f"JAX cannot be imported: {error}")
        _fail(f"no JAX is installed for {sys.executable}; install it: pip install jax")
    except (ImportError, RuntimeError) as error:
        _fail(f"JAX cannot be imported: {error}")


def _fail(why: object) -> NoReturn:
    sys.exit(f"{_COMMAND}: {why}")


# ---- The program ---------------------------------------------------------------------------------


def run(own_globals: dict[str, Any]) -> None:
    """Runs what the command line says. `own_globals` are the calling module's, and are cleared."""
    _, kind, arguments = _parse(sys.argv[1:])
    main = _empty_main(own_globals)
    if kind == "-m":
        # Python looks for the module with this in sys.argv[0], and then puts the file's path there.
        sys.argv = ["-m", *arguments[1:]]
        _run(runpy._run_module_as_main, arguments[0], True)  # type: ignore[attr-defined]
    elif kind == "-c":
        sys.argv = ["-c", *arguments[1:]]
        _look_first_in("")
        _run_command(main, arguments[0] + "\n")
    elif kind == "file":
        sys.argv = arguments
        _run_file(main, arguments[0])
    else:
        sys.argv = arguments or [""]
        _look_first_in("")
        if sys.stdin.isatty():
            _interact(main)
        else:
            _run_source_file(main, ctypes.c_void_p.in_dll(_C, "stdin").value, "<stdin>")


def _parse(arguments: Sequence[str]) -> _Command:
    """Ends the process for --help, --version, and for what is no command."""
    explains = arguments[:1] == ["--explain"]
    arguments = arguments[explains:]
    first = arguments[0] if arguments else ""
    if first in ("-h", "-?", "--help"):
        print(_HELP, end="")
        sys.exit()
    if first == "--version":
        import callbridge

        print(f"callbridge {callbridge.__version__}")
        sys.exit()
    if first[:2] in ("-m", "-c"):
        joined = [first[2:]] if first[2:] else []
        rest = [*joined, *arguments[1:]]
        if rest:
            return _Command(explains, first[:2], rest)
        _refuse(f"Argument expected for the {first} option\n{_USAGE}")
    if first.startswith("-") and first != "-":
        _refuse(f"Unknown option: {first}\n{_USAGE}")
    if not arguments and sys.stdin is not None and sys.stdin.isatty():
        _refuse(f"{_COMMAND}: expected a program, found none; `-` starts Python's prompt\n{_USAGE}")
    is_input = not arguments or first == "-"
    return _Command(explains, "-" if is_input else "file", list(arguments))


def _refuse(text: str) -> NoReturn:
    sys.stderr.write(text)
    sys.exit(2)


def _empty_main(own_globals: dict[str, Any]) -> types.ModuleType:
    main = sys.modules["__main__"]
    names = vars(main)
    if names is not own_globals:
        # A profiler's, which runs this module and goes on afterwards.
        main = types.ModuleType("__main__")
        main.__builtins__ = names["__builtins__"]  # type: ignore[attr-defined]
        sys.modules["__main__"] = main
        return main
    for name in [name for name in names if name not in _FIRST_NAMES]:
        del names[name]
    names.update(
        __doc__=None,
        __package__=None,
        __loader__=importlib.machinery.BuiltinImporter,
        __spec__=None,
    )
    return main


def _look_first_in(folder: str) -> None:
    """Puts the program's folder in the place of that which Python made for this module."""
    if not getattr(sys.flags, "safe_path", sys.flags.isolated):
        sys.path[0] = folder


def _run_file(main: types.ModuleType, program: str) -> None:
    path = os.path.join(os.getcwd(), program)
    if pkgutil.get_importer(path) is not None:
        # A folder or a zip file, which is looked in even where sys.path is safe.
        if getattr(sys.flags, "safe_path", sys.flags.isolated):
            sys.path.insert(0, path)
        else:
            sys.path[0] = path
        _run(runpy._run_module_as_main, "__main__", False)  # type: ignore[attr-defined]
        return
    _look_first_in(os.path.dirname(os.path.realpath(program)))
    _check_file(program)
    if path.endswith(".pyc"):
        loader = importlib.machinery.SourcelessFileLoader("__main__", path)
        compiled = loader.get_code("__main__")
        main.__loader__ = loader
        _run_with_file_name(main, path, exec, compiled, vars(main))
    else:
        main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
        _run_source_file(main, _C.fopen(os.fsencode(path), b"rb"), path)


def _check_file(program: str) -> None:
    """Says what Python says of a file that it cannot open."""
    path = os.path.join(os.getcwd(), program)
    if pkgutil.get_importer(path) is not None:
        return
    try:
        open(path, "rb").close()
    except OSError as error:
        python = getattr(sys, "orig_argv", [sys.executable])[0]
        _refuse(f"{python}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}\n")


_C = ctypes.CDLL(None)
_C.fopen.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
_C.fopen.restype = ctypes.c_void_p
# Python's own, since it finds other errors in a file than compile() in the file's text.
_run_c_file = ctypes.pythonapi.PyRun_FileExFlags
_run_c_file.argtypes = [
    ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.py_object, ctypes.py_object,
    ctypes.c_int, ctypes.c_void_p,
]  # fmt: skip
_run_c_file.restype = ctypes.py_object
_FILE_INPUT = 257  # Py_file_input


def _run_source_file(main: types.ModuleType, file: int | None, path: str) -> None:
    """Runs a FILE*, and closes it."""
    names = vars(main)
    arguments = file, os.fsencode(path), _FILE_INPUT, names, names, True, None
    _run_with_file_name(main, path, _run_c_file, *arguments)


def _run_with_file_name(
    main: types.ModuleType, path: str, function: Callable[..., object], *arguments: Any
) -> None:
    """Runs the program with the names that only one in a file has, and not after its end."""
    main.__file__ = path
    main.__cached__ = None  # type: ignore[attr-defined]

    def end() -> None:
        for name in ("__file__", "__cached__"):
            vars(main).pop(name, None)

    _run(function, *arguments, end=end)


def _run_command(main: types.ModuleType, command: str) -> None:
    try:
        compiled = compile(command, "<string>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        _let_python_show(error, None, lambda: None)
        raise
    if sys.version_info >= (3, 13):
        # Whose tracebacks have the lines of a command.
        lines = command.splitlines(keepends=True)
        linecache.cache["<string>"] = len(command), None, lines, "<string>"
    _run(exec, compiled, vars(main))


def _run(
    function: Callable[..., object], *arguments: Any, end: Callable[[], object] = lambda: None
) -> None:
    try:
        function(*arguments)
    except SystemExit:
        raise  # which ends Python before it comes to the end of the program
    except BaseException as error:
        below = error.__traceback__
        assert below is not None
        _let_python_show(error, below.tb_next, end)
        raise
    end()


def _let_python_show(
    error: BaseException, traceback: types.TracebackType | None, end: Callable[[], object]
) -> None:
    """Has Python show the error, that is about to be raised, with this traceback alone."""
    has_hook = hasattr(sys, "excepthook")
    hook = sys.excepthook if has_hook else sys.__excepthook__

    def show(kind: type[BaseException], value: BaseException, _: object) -> None:
        sys.last_traceback = value.__traceback__ = traceback
        sys.excepthook = hook
        if not has_hook:
            del sys.excepthook
            print("sys.excepthook is missing", file=sys.stderr)
        try:
            hook(kind, value, traceback)
        except SystemExit:
            raise
        except BaseException as in_hook:
            in_hook.__context__ = None
            print("Error in sys.excepthook:", file=sys.stderr)
            below = in_hook.__traceback__
            sys.__excepthook__(type(in_hook), in_hook.with_traceback(below and below.tb_next), None)
            print("\nOriginal exception was:", file=sys.stderr)
            sys.__excepthook__(kind, value, traceback)
        end()

    sys.excepthook = show


def _interact(main: types.ModuleType) -> None:
    import code
    import tokenize

    console = code.InteractiveConsole(vars(main))
    startup = os.environ.get("PYTHONSTARTUP")
    if startup and not sys.flags.ignore_environment:
        try:
            with tokenize.open(startup) as file:
                console.runsource(file.read(), startup, "exec")
        except OSError as error:
            print(f"Could not open PYTHONSTARTUP\n{type(error).__name__}: {error}", file=sys.stderr)
    # site's: history and completion.
    getattr(sys, "__interactivehook__", lambda: None)()
    console.interact(exitmsg="")
