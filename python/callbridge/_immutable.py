"""Objects that copy.copy() and copy.deepcopy() return as they are."""

from __future__ import annotations

from typing import Any


class Immutable:
    """A base of classes whose objects never change and represent something of this process."""

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict) -> Any:
        return self
