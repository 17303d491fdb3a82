"""Releases of JAX between those that the tables name.

The tables say of a name, or of a parameter, in which recorded release it is gone. It may have gone
in any release after the recorded one before that.
"""

from __future__ import annotations

import functools

from callbridge.jax._runtimes import may_be_since


@functools.cache
def may_be_gone(since: str) -> bool:
    """Returns true if this JAX is newer than the last recorded release that had what is gone in
    `since`; is_since(since) tells where it is gone for sure."""
    return may_be_since(since, _recorded())


@functools.cache
def _recorded() -> frozenset[str]:
    """The releases that names are gone in by the table of names."""
    from callbridge.resurrect._names import _removed

    words = {word for _, _, names in _removed.ROWS for word in names.split()}
    return frozenset(word for word in words if word[0].isdigit())
