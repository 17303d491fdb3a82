"""A Python program as the codemod writes it, without starting the command."""

import pathlib

import pytest

pytest.importorskip("libcst")

from callbridge.migrate import _python_code  # noqa: E402


def migrated(folder: pathlib.Path, text: str, untyped: str | None = "migrate its C++"):
    """Returns the program and its decisions, "LINE: TEXT". Migrating that changes nothing more."""
    path = folder / "a.py"
    path.write_text(text)
    plan = _python_code.plan(path, untyped)
    after = plan.changes[0].after if plan.changes else path.read_bytes()
    path.write_bytes(after)
    again = _python_code.plan(path, untyped)
    assert again.changes == []
    return after.decode(), [f"{one.line}: {one.text}" for one in plan.decisions]
