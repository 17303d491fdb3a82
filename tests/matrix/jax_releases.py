"""The releases of JAX that callbridge is tested with: the rows of requirements/jax_releases.

Standard library alone.
"""

import pathlib
from typing import NamedTuple, Optional

TABLE = pathlib.Path(__file__).resolve().parents[2] / "requirements/jax_releases"


class Row(NamedTuple):
    release: str
    environment: Optional[str]  # None where only its headers are used
    headers: Optional[str]  # the Python of the wheel; None where they equal those of the row before
    plugin: Optional[str]  # the CUDA of its GPU plugin; None where tests/gpu do without
    uses: tuple


def _rows():
    for line in TABLE.read_text().splitlines():
        if not line.startswith("#"):
            release, *columns, uses = (line.split(None, 4) + [""])[:5]
            environment, headers, plugin = (None if column == "-" else column for column in columns)
            yield Row(release, environment, headers, plugin, tuple(uses.split()))


ROWS = tuple(_rows())
WITH_HEADERS = [row.release for row in ROWS if row.headers]
WITH_PLUGIN = [row.release for row in ROWS if row.plugin]
NEWEST = ROWS[-1].release


def numbers(release):
    """For comparisons: "0.12.0.1" is (0, 12, 0, 1)."""
    return tuple(map(int, release.split(".")))


def used_by(use):
    """The releases that are used so, oldest first."""
    return [row.release for row in ROWS if use in row.uses]


def in_environment(environment):
    """The releases that are had so, oldest first."""
    return [row.release for row in ROWS if row.environment == environment]


(TODAY,) = in_environment(".venv")
(IN_DEBIAN_13,) = in_environment("debian-13")
(ORACLE,) = used_by("oracle")
