"""Old binaries are linked to stubs of TensorFlow's libraries, to save time: is that the same?"""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))


def tables(name, *options):
    """What readelf prints of a binary, without the numbers that depend on the order of symbols."""
    text = subprocess.run(
        ["readelf", "-W", *options, BUILD / f"tests/targets/{name}.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = (
        re.sub(r"0x[0-9a-f]+|^ *[0-9]+:|\([0-9]+\)|\b[0-9a-f]{8,}\b", "", line)
        for line in text.splitlines()
    )
    return sorted(line.strip() for line in lines)


def test_binaries_come_out_the_same():
    for options in [["--dynamic"], ["--dyn-syms"], ["--relocs"]]:
        stub = tables("original_linked", *options)
        assert stub == tables("original_linked_to_tensorflow", *options)
        assert len(stub) > 5
    assert any("libtensorflow_cc.so.2" in line for line in tables("original_linked", "--dynamic"))
    assert any("@tensorflow" in line for line in tables("original_linked", "--dyn-syms"))
