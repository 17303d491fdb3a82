"""Restores what current JAX removed, so that unmaintained packages run unmodified.

    import callbridge.resurrect  # before the package
    import unmaintained_package

    with callbridge.resurrect.revived():  # or for a while; afterwards JAX is as it was
        import unmaintained_package

    python -m callbridge.resurrect [--explain] PROGRAM|-m MODULE|-c COMMAND|- [ARGUMENT...]

Importing this module restores the removed names. Targets that programs register by them are
registered with callbridge, as by callbridge.jax.register(). Their translation rules and lowering
rules emit calls of callbridge, so that targets get what XLA gave them: tuple operands in nested
tables, the opaque as bytes. A name that this JAX has stays as it is, or is wrapped so that the
calls that it takes do the same as before; names() lists both kinds. Typed handlers that programs
register by any of them run whatever headers they were built with, and calls of version 1 and 2 of
what they register become calls of which XLA does not complain. A name whose meaning cannot be
restored stays removed, with JAX's own error.

Under NumPy 2, an extension module that was built for NumPy 1 gives a RuntimeWarning when a program
imports it: it may read NumPy's structures wrong, without an error.

Processes that multiprocessing starts meanwhile, by spawn and forkserver too, have the names
restored from their start. Those of `subprocess` are other programs, which begin without.

What programs have registered, with XLA or as rules of a primitive, outlasts revived(): a handler
that is registered again by the same name gets the same address there.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Literal

from callbridge.resurrect import _program

with _program.starting(sys._getframe()) as _explains:
    from callbridge.jax import _registry
    from callbridge.resurrect import _revival
    from callbridge.resurrect._names import _explanation
    from callbridge.resurrect._names._changes import Name

__all__ = ["Name", "names", "prefer", "revived"]


def names() -> tuple[Name, ...]:
    """Returns what is restored or wrapped now, by module and name. Thread-safe."""
    return _revival.names()


@contextlib.contextmanager
def revived() -> Iterator[None]:
    """Restores the removed names inside, and removes all of them at its end.

    May be nested; the outermost one removes them. Thread-safe, but the names are the process's:
    other threads see them too.
    """
    _revival.begin()
    try:
        yield
    finally:
        _revival.end()


def prefer(path: Literal["typed"] | None) -> None:
    """Makes "typed" the path of all calls that callbridge makes, where the target has that path.

    None: the fastest that XLA serves in silence, as at first. The environment variable
    CALLBRIDGE_PATH=typed does the same from the start. It also concerns calls of callbridge.jax
    without `prefer=`, and calls of version 3 that programs lower.

    Raises:
      CallbridgeError: INVALID_ARGUMENT for other values.
    """
    _registry.prefer(path)


if _explains:
    _explanation.begin()
_revival.restore()
