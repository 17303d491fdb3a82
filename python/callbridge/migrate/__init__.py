"""`callbridge migrate`: a codemod from custom calls of the untyped ABIs to typed FFI.

The wheel's command runs main(ARGUMENT...) with the words behind `migrate`, and so does
tools/main.cc in a Python with libclang and libcst. The package needs neither until it is called;
and libcst, which takes longer to import than a C++ source to read, for Python sources alone.

C++ by libclang: _cxx_source, of which _translation_unit, _targets, _exports and _typed_functions
are parts. Python by libcst: _python_code, of which _custom_calls, _translation_rules, _imports and
_removed_names are.
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import sys
from typing import TYPE_CHECKING

from callbridge._core import _output

if TYPE_CHECKING:
    from callbridge.migrate import _cxx_source
    from callbridge.migrate._exports import Handler
    from callbridge.migrate._sources import Plan

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
    try:
        from callbridge.migrate import _cxx_source
        from callbridge.migrate._sources import MigrateError
    except ImportError as error:
        return _fail(f"FAILED_PRECONDITION: {error}")

    how = _cxx_source.Options(options.compiler, options.p, options.flags, options.rewrite)
    try:
        planned = plan(options.sources, how)
        for change in planned.changes:
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
    for decision in sorted(set(planned.decisions)):
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
    _output.write(str(change.path), change.after)


def _fail(message: str) -> int:
    _output.tell(f"callbridge: {message}".replace("\n", "\\n"))
    return 1


# ---- The sources of one command


def plan(sources: list[str], options: _cxx_source.Options) -> Plan:
    """Plans the sources of one command together: what Python registers depends on what C++ has."""
    from callbridge.migrate import _cxx_source
    from callbridge.migrate._sources import Plan

    paths = list(dict.fromkeys(pathlib.Path(source) for source in sources))
    programs = [path for path in paths if path.suffix == ".py"]
    cxx = [path for path in paths if path.suffix != ".py"]
    read = [
        _cxx_source.read(path, options, [other for other in cxx if other != path]) for path in cxx
    ]
    for one in read:
        _leave_to_others(one, [other for other in read if other is not one])
    # Capsules become typed together or not at all: Python may register them in a loop.
    untyped = _why_untyped(programs, read)
    typed = bool(programs) and untyped is None
    symbols = _symbols(programs, read) if typed else {}
    result = Plan()
    for one in read:
        part = _cxx_source.plan(one, typed, symbols, calls_are_seen=bool(programs))
        result.changes += part.changes
        result.decisions += part.decisions
    for path in programs:
        from callbridge.migrate import _python_code

        part = _python_code.plan(path, untyped, symbols)
        result.changes += part.changes
        result.decisions += part.decisions
    return result


def _leave_to_others(source: _cxx_source.CxxSource, others: list[_cxx_source.CxxSource]) -> None:
    """Leaves out functions that another source registers: a handler is a symbol, once in a library.

    Mostly those are kernels' functions, defined in a .cu and handed out by a module's .cc.
    """
    import clang.cindex as cindex

    from callbridge.migrate import _exports

    theirs = {
        handler.use.declaration.get_usr()
        for other in others
        for handler in other.handlers
        if handler.use.kind != "definition"
    }
    names = set().union(*(_exports.exported_functions(other.unit) for other in others))
    elsewhere = [
        handler
        for handler in source.new
        if handler.use.kind == "definition"
        and handler.use.declaration.linkage == cindex.LinkageKind.EXTERNAL
        and (handler.use.declaration.get_usr() in theirs or handler.use.function in names)
    ]
    source.new = [one for one in source.new if one not in elsewhere]
    source.handlers = [one for one in source.handlers if one not in elsewhere]
    source.uses = [one for one in source.uses if all(one is not x.use for x in elsewhere)]


def _why_untyped(programs: list[pathlib.Path], read: list[_cxx_source.CxxSource]) -> str | None:
    """Why what Python registers stays untyped, and what to do; None if it becomes typed.

    All of it or nothing: a program may register its targets in a loop, whatever they are.
    """
    from callbridge.migrate._translation_unit import kind_of

    if not read:
        return "migrate its C++ in the same command"
    for one in read:
        if one.decisions:
            first = one.decisions[0]
            return f"settle {first.path}:{first.line} first"
    has = {one.use.signature.platform for source in read for one in source.handlers}
    from callbridge.migrate import _python_code

    for path in programs:
        for platform in sorted(_python_code.platforms(path)):
            if kind_of(platform) not in has:
                return f'migrate the C++ of its "{platform}" targets in the same command'
        for line in _python_code.untyped_calls(path):
            return f"make the custom call at {path}:{line} by build_ffi_lowering_function"
    asked = _symbols(programs, read)
    for one in read:
        for function in _c_symbols(one):
            if function not in asked and any(map(_python_code.uses_ctypes, programs)):
                line = _c_symbols(one)[function].use.line
                return f"name {function} ({one.path}:{line}) where Python gets it, as LIBRARY.NAME"
    return None


def _c_symbols(source: _cxx_source.CxxSource) -> dict[str, Handler]:
    """The functions that nothing registers in C++, and that ctypes finds by their names."""
    return {
        one.use.function: one
        for one in source.handlers
        if one.use.kind == "definition"
        and one.use.declaration.mangled_name == one.use.declaration.spelling
    }


def _symbols(programs: list[pathlib.Path], read: list[_cxx_source.CxxSource]) -> dict[str, str]:
    """The handlers of those functions that Python gets, LIBRARY.FUNCTION, by function."""
    known = {name: one.name for source in read for name, one in _c_symbols(source).items()}
    if not known:
        return {}
    from callbridge.migrate import _python_code

    asked = set().union(*map(_python_code.attributes, programs))
    # After a first run, Python gets the handlers.
    return {name: handler for name, handler in known.items() if {name, handler} & asked}
