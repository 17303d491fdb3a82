"""`callbridge migrate`. The command runs it in a Python with libclang and libcst.

tools/migrate_command.cc calls main(ARGUMENT...) with the words behind `migrate`.
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import sys

from callbridge._core import _output

_CXX = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".cu")
_DESCRIPTION = """Migrates custom calls of the untyped ABIs to typed FFI.

C++ sources gain CALLBRIDGE_EXPORT lines, a Python file that registers their handlers, and a test
to fill in. With --rewrite, functions become typed ones: buffers in place of tables of pointers, an
ffi::Error in place of a status. A function whose body does not allow that gets its line, and the
reason goes to standard error.
Python programs are led from xla_client, hlo_helpers, mlir.custom_call,
backend_specific_translations and jax.extend.ffi to jax.ffi. Give the C++ and the Python of a
package in one command: capsules then hold the handlers.

Prints a diff; with --write, writes. What a human must decide goes to standard error, a line each:
FILE:LINE: TEXT. A second run changes nothing. Kernels of .cu sources stay."""
_EPILOG = """Examples
  callbridge migrate old_targets.cc
  callbridge migrate --write src/ops.cc src/ops.py -- -I include -I $(python -m pybind11 --includes)
  callbridge migrate -p build src/ops.cc
  callbridge migrate --rewrite old_targets.cc

Exit status: 0 on success, with decisions or without; 1 if a source cannot be read, and then nothing
is written; 2 if the command line is wrong."""


def main(*words: str) -> int:
    options = _parse(words)
    missing = [name for name in ("clang", "libcst") if importlib.util.find_spec(name) is None]
    if missing:
        packages = {"clang": "libclang", "libcst": "libcst"}
        return _fail(
            f"FAILED_PRECONDITION: migrate needs {' and '.join(packages[one] for one in missing)}, "
            f"which {sys.executable} has not; python -m pip install 'callbridge[migrate]', or "
            "libclang and libcst, or set CALLBRIDGE_PYTHON to a Python that has them"
        )
    from callbridge.migrate import _cxx_source, _package
    from callbridge.migrate._plan import MigrateError

    how = _cxx_source.Options(options.compiler, options.p, options.flags, options.rewrite)
    try:
        plan = _package.plan(options.sources, how)
        for change in plan.changes:
            if options.write:
                _write(change)
                _output.show(f"wrote {change.path}\n")
            else:
                _output.show(change.diff())
    except MigrateError as error:
        return _fail(f"INVALID_ARGUMENT: {error}")
    except RecursionError:
        return _fail("INVALID_ARGUMENT: a source is nested too deeply for Python")
    except UnicodeEncodeError as error:
        return _fail(
            f"INVALID_ARGUMENT: {error.object!r}: libclang takes names and flags in UTF-8 alone"
        )
    except OSError as error:
        return _fail(f"FAILED_PRECONDITION: {error}")
    for decision in sorted(set(plan.decisions)):
        _output.tell(str(decision))
    return 0


def _parse(words: tuple[str, ...]) -> argparse.Namespace:
    parser = _output.parser(
        "callbridge migrate",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.error = _usage_error  # type: ignore[method-assign]
    parser.add_argument("sources", metavar="FILE", nargs="+", help="a C++ or Python source")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--diff", action="store_true", help="print a diff (the default)")
    how.add_argument("--write", action="store_true", help="write the files")
    parser.add_argument(
        "--rewrite",
        action="store_true",
        help="rewrite functions as typed handlers, where their bodies allow it",
    )
    parser.add_argument("--compiler", default="g++", help="whose own header folders to use (g++)")
    parser.add_argument("-p", metavar="DIR", help="the folder of the build's compile_commands.json")
    given = list(words)
    flags = []
    if "--" in given:
        at = given.index("--")
        given, flags = given[:at], given[at + 1 :]
    options = parser.parse_args(given)
    options.flags = flags
    for source in options.sources:
        path = pathlib.Path(source)
        if path.suffix not in (*_CXX, ".py"):
            _usage_error(f"{source}: expected a source, {', '.join(_CXX)} or .py")
    return options


def _usage_error(message: str):
    _output.tell(f"callbridge: {message} (see --help)")
    raise SystemExit(2)


def _write(change) -> None:
    from callbridge._core import _output

    _output.write(str(change.path), change.after)


def _fail(message: str) -> int:
    _output.tell(f"callbridge: {message}".replace("\n", "\\n"))
    return 1
