"""The libraries export what their lists promise, no more and no less: libcallbridge.so what is in
c_api/exported_symbols.txt, libcallbridge_client.so what is in client/exported_symbols.txt."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))


def exported_symbols(library):
    """Without their versions, nor the versions themselves, which nm shows as absolute."""
    assert library.is_file(), f"{library}: build it first (scripts/build dev)"
    lines = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    symbols = (line.split()[-2:] for line in lines)
    return {name.partition("@")[0] for kind, name in symbols if kind != "A"}


def promised_symbols(path):
    """Those that must be there, and those that may. One mangled name a line; # starts a comment,
    and ? marks what may."""
    lines = (ROOT / path).read_text().splitlines()
    names = {name for line in lines if (name := line.partition("#")[0].strip())}
    may = {name for name in names if name.startswith("?")}
    return names - may, {name.removeprefix("? ") for name in may}


@pytest.mark.parametrize(
    "library, promise",
    [
        (LIBRARY, "c_api/exported_symbols.txt"),
        (LIBRARY.with_name("libcallbridge_client.so"), "client/exported_symbols.txt"),
    ],
)
def test_exports_are_the_promised_ones(library, promise):
    exported = exported_symbols(library)
    promised, inline = promised_symbols(promise)
    assert exported - promised - inline == set(), "exported, but not promised"
    assert promised - exported == set(), "promised, but not exported"


def test_nm_is_read_rightly(tmp_path):
    (tmp_path / "x.c").write_text(
        "int seen; __attribute__((weak)) void weak(void) {}\n"
        '__attribute__((visibility("hidden"))) void hidden(void) {} static int s;\n'
        "int *keep(void) { hidden(); return &s; }"
    )
    (tmp_path / "map").write_text("VERSION_1 { seen; weak; keep; };")
    command = "gcc -shared -fPIC x.c -o x.so -Wl,--version-script=map"
    subprocess.run(command.split(), cwd=tmp_path, check=True)
    assert exported_symbols(tmp_path / "x.so") == {"seen", "weak", "keep"}
