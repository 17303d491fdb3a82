"""What copy.copy() and copy.deepcopy() give back as it is."""

from __future__ import annotations

from typing import Any


class ItsOwnCopy:
    """Of classes whose objects never change and stand for something in this process."""

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict) -> Any:
        return self
