"""MLIR's bytecode, as far as to tell which dialects a module uses.

https://mlir.llvm.org/docs/BytecodeFormat/: after the magic number, a version and the producer's
name come sections. One has the strings, another the dialects, by the numbers of their names.
"""

from __future__ import annotations

MAGIC = b"ML\xefR"

_STRINGS, _DIALECTS = 0, 1
_HAS_ALIGNMENT = 0x80
_WITH_DIALECT_VERSIONS = 1  # the first version of the format in which a dialect may have a version


def dialects(data: bytes) -> frozenset[bytes]:
    """Returns the dialects that the module uses. Raises ValueError if `data` is damaged."""
    if not data.startswith(MAGIC):
        raise ValueError("expected MLIR's bytecode, which begins with 'ML\\xefR'")
    reader = _Reader(data, len(MAGIC))
    version = reader.number()
    reader.text()  # the producer
    sections: dict[int, bytes] = {}
    while not reader.at_end() and not sections.keys() >= {_STRINGS, _DIALECTS}:
        identifier = reader.take(1)[0]
        size = reader.number()
        if identifier & _HAS_ALIGNMENT:
            reader.align(reader.number())
        sections[identifier & ~_HAS_ALIGNMENT] = reader.take(size)
    for section in (_STRINGS, _DIALECTS):
        if section not in sections:
            raise ValueError(f"expected section {section}, found none")
    strings = _strings(_Reader(sections[_STRINGS]))
    names = _dialect_names(_Reader(sections[_DIALECTS]), version)
    if not all(name < len(strings) for name in names):
        raise ValueError(f"expected a dialect named by one of {len(strings)} strings")
    return frozenset(strings[name] for name in names)


def _strings(reader: _Reader) -> list[bytes]:
    # Their sizes, the last string's first, then the strings, each with a NUL at its end.
    sizes = [reader.number() for _ in range(reader.count())]
    return [reader.take(size)[:-1] for size in reversed(sizes)]


def _dialect_names(reader: _Reader, version: int) -> list[int]:
    names = []
    for _ in range(reader.count()):
        name = reader.number()
        if version >= _WITH_DIALECT_VERSIONS:
            name, has_version = name >> 1, name & 1
            if has_version:  # in a section of its own
                reader.take(1)
                reader.take(reader.number())
        names.append(name)
    return names


class _Reader:
    """Raises ValueError if the bytes end too early."""

    def __init__(self, data: bytes, position: int = 0):
        self._data = data
        self._position = position

    def at_end(self) -> bool:
        return self._position == len(self._data)

    def take(self, size: int) -> bytes:
        taken = self._data[self._position : self._position + size]
        if len(taken) < size:
            raise ValueError(f"expected {size} more bytes, found {len(taken)}")
        self._position += size
        return taken

    def number(self) -> int:
        """Of 1 to 9 bytes, little-endian. The zeros below the first one bit say how many follow."""
        first = self.take(1)
        if first[0] == 0:
            return int.from_bytes(self.take(8), "little")
        following = (first[0] & -first[0]).bit_length() - 1
        return int.from_bytes(first + self.take(following), "little") >> (following + 1)

    def count(self) -> int:
        """A number of things, each of a byte or more."""
        count = self.number()
        if count > len(self._data):
            raise ValueError(f"expected {count} entries in {len(self._data)} bytes")
        return count

    def text(self) -> bytes:
        end = self._data.find(b"\0", self._position)
        if end < 0:
            raise ValueError("expected a text that ends with a NUL")
        return self.take(end + 1 - self._position)[:-1]

    def align(self, alignment: int) -> None:
        if not 0 < alignment <= len(self._data):
            raise ValueError(f"expected an alignment within the data, found {alignment}")
        self.take(-self._position % alignment)
