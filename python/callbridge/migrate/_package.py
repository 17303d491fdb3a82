"""Migrates the sources of one command together: what Python registers depends on what C++ has."""

from __future__ import annotations

import pathlib

import clang.cindex as cindex

from callbridge.migrate import _cxx_source, _exports
from callbridge.migrate._abi_rows import kind_of
from callbridge.migrate._plan import Plan


def plan(sources: list[str], options: _cxx_source.Options) -> Plan:
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
    result = Plan()
    for one in read:
        part = _cxx_source.plan(one, typed)
        result.changes += part.changes
        result.decisions += part.decisions
    for path in programs:
        part = _python_code().plan(path, untyped)
        result.changes += part.changes
        result.decisions += part.decisions
    return result


def _python_code():
    """Imported for Python sources alone: libcst takes longer than a C++ source."""
    from callbridge.migrate import _python_code

    return _python_code


def _leave_to_others(source: _cxx_source.CxxSource, others: list[_cxx_source.CxxSource]) -> None:
    """Leaves out functions that another source registers: a handler is a symbol, once in a library.

    Mostly those are kernels' functions, defined in a .cu and handed out by a module's .cc.
    """
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
    if not read:
        return "migrate its C++ in the same command"
    for one in read:
        if one.decisions:
            first = one.decisions[0]
            return f"settle {first.path}:{first.line} first"
    has = {one.use.signature.platform for source in read for one in source.handlers}
    for path in programs:
        for platform in sorted(_python_code().platforms(path)):
            if kind_of(platform) not in has:
                return f'migrate the C++ of its "{platform}" targets in the same command'
    return None
