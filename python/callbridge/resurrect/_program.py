"""Runs a program as Python runs it: by the same arguments, with the same __main__ and the same end.

The program's module is this process's __main__, as if Python had started it: what multiprocessing,
pickle and inspect find by that name. Only the frames below the program's are more, and
sys.orig_argv is what was typed.
"""

from __future__ import annotations

import ctypes
import importlib.machinery
import linecache
import os
import pkgutil
import runpy
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

_USAGE = """\
usage: python [OPTION...] -m callbridge.resurrect PROGRAM|-m MODULE|-c COMMAND|- [ARGUMENT...]
OPTION and all that follows callbridge.resurrect are as for `python` itself.
"""
# What Python's own __main__ has before a program is in it.
_FIRST_NAMES = (
    "__name__", "__doc__", "__package__", "__loader__", "__spec__", "__annotations__",
    "__builtins__",
)  # fmt: skip


def run(own_globals: dict[str, Any]) -> None:
    """Runs what the command line says. `own_globals` are the calling module's, and are cleared."""
    kind, arguments = _parse(sys.argv[1:])
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


def _parse(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Returns "-m", "-c", "file" or "-", and the arguments, the module or the command first."""
    first = arguments[0] if arguments else "-"
    if first in ("-h", "-?", "--help"):
        print(_USAGE, end="")
        sys.exit()
    if first[:2] in ("-m", "-c"):
        joined = [first[2:]] if first[2:] else []
        rest = [*joined, *arguments[1:]]
        if rest:
            return first[:2], rest
        _refuse(f"Argument expected for the {first} option\n{_USAGE}")
    if first.startswith("-") and first != "-":
        _refuse(f"Unknown option: {first}\n{_USAGE}")
    return "-" if first == "-" else "file", list(arguments)


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
    # To say what Python says of a file that it cannot open.
    try:
        open(path, "rb").close()
    except OSError as error:
        python = getattr(sys, "orig_argv", [sys.executable])[0]
        _refuse(f"{python}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}\n")
    if path.endswith(".pyc"):
        loader = importlib.machinery.SourcelessFileLoader("__main__", path)
        compiled = loader.get_code("__main__")
        main.__loader__ = loader
        _run_with_file_name(main, path, exec, compiled, vars(main))
    else:
        main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
        _run_source_file(main, _C.fopen(os.fsencode(path), b"rb"), path)


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
