"""Migrates the sources of one command together: what Python registers depends on what C++ has."""

from __future__ import annotations

import pathlib

from callbridge.migrate import _cxx_source, _python_code
from callbridge.migrate._abi_rows import GPU, HOST
from callbridge.migrate._plan import Plan


def plan(sources: list[str], compiler: str, database: str | None, flags: list[str]) -> Plan:
    paths = list(dict.fromkeys(pathlib.Path(source) for source in sources))
    programs = [path for path in paths if path.suffix == ".py"]
    options = _cxx_source.Options(compiler, database, flags)
    read = [_cxx_source.read(path, options) for path in paths if path.suffix != ".py"]
    # Capsules become typed together or not at all: Python may register them in a loop.
    has = {one.use.signature.platform for source in read for one in source.handlers}
    needs = {
        HOST if platform.lower() in ("cpu", "host") else GPU
        for path in programs
        for platform in _python_code.platforms(path)
    }
    typed = bool(programs) and needs <= has and not any(one.decisions for one in read)
    result = Plan()
    for one in read:
        part = _cxx_source.plan(one, typed)
        result.changes += part.changes
        result.decisions += part.decisions
    for path in programs:
        part = _python_code.plan(path, typed and bool(has))
        result.changes += part.changes
        result.decisions += part.decisions
    return result
