"""`callbridge audit` of wheels with mutated bytes, names, sizes, requirements and libraries.

Each ends in a report or in one line of error, soon, and writes nothing outside of its folder. Few
in `make test`, thousands with CALLBRIDGE_THOROUGH. A failure names its seed.
"""

import io
import json
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys
import time
import zipfile

import pytest
from audited_wheels import ORIGINAL, TYPED
from callbridge import _audit
from callbridge._core import _c_api
from callbridge._core._error import CallbridgeError

THOROUGH = os.environ.get("CALLBRIDGE_THOROUGH") == "ON"
SEEDS = 3000 if THOROUGH else 300
SECONDS = 5  # more than any takes on a busy machine
KILOBYTES = 100 << 10  # what the whole of them may add to this process


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The bytes of a library with custom calls."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "made.cc").write_text(TYPED + ORIGINAL)
    command = ["g++", "-s", "-shared", "-fPIC", "made.cc", "-o", "made.so"]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "made.so").read_bytes()


class Watch:
    """Paths that this process creates or opens for writing while it is on."""

    def __init__(self):
        self.on = False
        self.written = []
        sys.addaudithook(self)

    def __call__(self, event, arguments):
        if not self.on:
            return
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, (str, bytes)) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                self.written.append(os.fsdecode(path))
        elif event in ("os.mkdir", "os.rename", "os.link", "os.symlink"):
            self.written.append(os.fsdecode(arguments[0 if event == "os.mkdir" else 1]))


@pytest.fixture(scope="module")
def watch():
    return Watch()


# ---- Mutations

WORDS = (
    0,
    1,
    2,
    8,
    12,
    14,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFE,
    0xFFFFFFFF,
)
NAMES = (
    *(
        "../out.so",
        "/out.so",
        "a/../../out.so",
        "a\\out.so",
        "C:\\out.so",
        "",
        ".",
        "..",
        "a/",
        "/",
    ),
    *("a//b.so", "mine", "mine/library.so", "mine/library.so/x.so", "a" * 300 + ".so", "a\nb.so"),
    *("\x1b[2J.so", "\u202ea.so", "\ud7ff.so", "mine-1.0.dist-info/METADATA", "x.dist-info/WHEEL"),
    *("a\0.so", " .so", "CON", "-o.so", "--json", "a.so:f", "x" * 65000),
)
PARTS = (
    *(
        "jax",
        "jaxlib",
        "JAX",
        "ja_x",
        ">=",
        "==",
        "~=",
        "!=",
        "<",
        "===",
        "0.5",
        "0.4.*",
        "1!2",
        "*",
    ),
    *(
        ",",
        ";",
        "[",
        "]",
        "(",
        ")",
        "@",
        " ",
        "extra == 'x'",
        "python_version",
        "0.10.2.dev1",
        "\n",
    ),
    *(
        "\r",
        "\t",
        "\x00",
        "\x85",
        "\u2028",
        "9" * 400,
        "http://x",
        "-",
        ".",
        "0.5+local",
        "Requires-Dist: ",
    ),
)


def mutant(chance, library):
    """Returns the bytes of a wheel, and what was done to it."""
    how = chance.choice(MUTATIONS)
    return how(chance, library)


def zipped(members, method=zipfile.ZIP_DEFLATED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as file:
        for name, content in members:
            file.writestr(zipfile.ZipInfo(name), content, method)
    return made.getvalue()


def members_of(library, metadata="Requires-Dist: jax>=0.5\n", record="mine/library.so,,\n"):
    head = "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n"
    return [
        ("mine/library.so", library),
        ("mine/__init__.py", b"raise SystemExit('ran')\n"),
        ("mine-1.0.dist-info/WHEEL", b"Wheel-Version: 1.0\n"),
        ("mine-1.0.dist-info/METADATA", (head + metadata).encode(errors="surrogatepass")),
        ("mine-1.0.dist-info/RECORD", record.encode(errors="surrogatepass")),
    ]


def with_other_bytes(chance, library):
    data = bytearray(zipped(members_of(library)))
    for _ in range(chance.choice((1, 1, 2, 8, 64))):
        at = chance.randrange(len(data))
        data[at] = chance.choice((chance.randrange(256), data[at] ^ 1 << chance.randrange(8)))
    return data


def cut_or_doubled(chance, library):
    data = zipped(members_of(library))
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    part = data[start:end]
    return chance.choice((data[:start], data[end:], data[:start] + part * 2 + data[end:], part))


def with_other_fields(chance, library):
    """Changes words of the local headers, of the central directory and of its end."""
    method = chance.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))
    data = bytearray(zipped(members_of(library), method))
    headers = [at for magic in (b"PK\3\4", b"PK\1\2", b"PK\5\6") for at in found(data, magic)]
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        at = chance.choice(headers) + 4 + 2 * chance.randrange(21)
        size = chance.choice((2, 4))
        if at + size <= len(data):
            value = chance.choice((*WORDS, len(data), chance.getrandbits(32)))
            struct.pack_into("<H" if size == 2 else "<I", data, at, value & (1 << 8 * size) - 1)
    return data


def found(data, magic):
    at = data.find(magic)
    while at >= 0:
        yield at
        at = data.find(magic, at + 1)


def with_other_names(chance, library):
    members = members_of(library)
    for _ in range(chance.randrange(1, 4)):
        name = chance.choice(NAMES)
        content = chance.choice((library, b"", b"\177ELF", b"Requires-Dist: jax\n"))
        if chance.random() < 0.5:
            members[chance.randrange(len(members))] = (name, content)
        else:
            members.append((name, content))
    data = zipped(members)
    # zipfile ends names at a NUL, as other writers need not.
    return data.replace(b"mine/library.so", b"mine\0library.so") if chance.random() < 0.1 else data


def with_other_requirements(chance, library):
    lines = [
        "Requires-Dist: " + "".join(chance.choice(PARTS) for _ in range(chance.randrange(1, 9)))
        for _ in range(chance.randrange(1, 4))
    ]
    metadata = chance.choice(("\n", "\r\n", "\r", "\n ", "\n\n")).join(lines)
    record = "".join(chance.choice((*PARTS, *NAMES)) for _ in range(20))
    return zipped(members_of(library, metadata, record))


def with_another_library(chance, library):
    data = bytearray(library)
    program_headers = struct.unpack_from("<Q", data, 32)[0]
    section_headers = struct.unpack_from("<Q", data, 40)[0]
    for _ in range(chance.choice((1, 1, 2, 8))):
        near = chance.choice((0, program_headers, section_headers, chance.randrange(len(data))))
        at = min(near + chance.randrange(256), len(data) - 8)
        value = chance.choice((*WORDS, chance.getrandbits(64), 1 << 63, len(data)))
        size = chance.choice((1, 4, 8))
        data[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    return zipped(
        members_of(bytes(data[: chance.choice((len(data), chance.randrange(len(data))))]))
    )


MUTATIONS = (
    *(with_other_bytes, cut_or_doubled, with_other_fields, with_other_fields),
    *(with_other_names, with_other_requirements, with_another_library),
)


# ---- What each ends in


@pytest.fixture
def inspected(monkeypatch):
    """Inspects the bytes of each library once."""
    answers = {}
    inspect = _c_api.inspect

    def once(path, probes):
        content = pathlib.Path(path).read_bytes()
        if content not in answers:
            try:
                answers[content] = inspect(path, probes)
            except CallbridgeError as error:
                answers[content] = error
        if isinstance(answers[content], CallbridgeError):
            raise answers[content]
        return answers[content]

    monkeypatch.setattr(_c_api, "inspect", once)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_mutants(library, watch, inspected, capfd, monkeypatch, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    # What is imported meanwhile is not compiled into files.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    wheel = tmp_path / "mine-1.0-py3-none-any.whl"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    statuses = {0: 0, 1: 0}
    for seed in range(SEEDS):
        wheel.write_bytes(mutant(random.Random(seed), library))
        watch.written.clear()
        start = time.process_time()
        watch.on = True
        try:
            status = _audit.main("--json", str(wheel))
        except BaseException as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error
        finally:
            watch.on = False
        said, errors = capfd.readouterr()
        about = f"seed {seed}: {status} {said!r} {errors!r}"
        assert time.process_time() - start < SECONDS, about
        assert list(temporary.iterdir()) == [], about
        outside = [
            path for path in watch.written if not path.startswith(f"{temporary}/callbridge-")
        ]
        assert outside == [], f"{about} {outside}"
        statuses[status] += 1
        lines = errors.splitlines()
        assert all(line.startswith("callbridge: ") for line in lines), about
        if said:
            report = json.loads(said)
            assert (status, len(report["errors"])) == (int(bool(lines)), len(lines)), about
        else:
            assert (status, len(lines)) == (1, 1), about
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < KILOBYTES
    # Some of the mutants are wheels yet, and most are none.
    assert statuses[0] > SEEDS / 10 and statuses[1] > SEEDS / 4, statuses
