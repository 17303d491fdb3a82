"""The wheel for aarch64: used in an emulated Debian 12 of that machine, and refused on this one."""

import os
import pathlib
import shutil
import subprocess
import time
import zipfile

import pytest
from wheel_shell import MODULE, PROGRAM

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/aarch64"
OLD_LIBRARY = BUILD / "examples/first_light.so"


def emulated(command):
    """What the command prints under qemu, in a folder of its own that is left from call to call."""
    start = time.monotonic()
    own = "cd /tmp/wheel; export PATH=/tmp/wheel/venv/bin:/usr/bin HOME=/tmp/wheel PYTHONPATH="
    done = subprocess.run(
        [ROOT / "scripts/debian_12_aarch64", "sh", "-ec", f"mkdir -p /tmp/wheel; {own}; {command}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print(f"aarch64$ {command}\n{done.stdout}  [{time.monotonic() - start:.2f} s]")
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def clean(aarch64_wheel):
    """A Python of that machine, with the genuine jaxlib and the wheel."""
    emulated("rm -rf /tmp/wheel/*")
    # Without ensurepip, which takes longest of all under qemu: pip is this machine's wheel of it.
    emulated("python3 -m venv --without-pip venv")
    emulated("echo /venv >venv/lib/python3.11/site-packages/jax.pth")
    pip = shutil.copy(*pathlib.Path("/usr/share/python-wheels").glob("pip-*.whl"), BUILD)
    emulated(f"python {pip}/pip install --quiet --no-index {aarch64_wheel}")


def test_a_newcomer(clean):
    assert emulated("uname -m") == "aarch64\n"
    emulated(f"cp {OLD_LIBRARY} . && cat >five_lines.py <<'END'\n{PROGRAM}END")
    assert "callbridge can load it" in emulated("callbridge inspect first_light.so")
    assert emulated("python five_lines.py").strip() == "[2. 2. 2. ... 2. 2. 2.]"
    emulated(f"cat >module.hlo <<'END'\n{MODULE}END")
    assert "result{} f32[2] 1 2.5" in emulated("callbridge run module.hlo")
    maps = emulated(
        "python -c \"import callbridge.numpy; print(open('/proc/self/maps').read())\" | "
        "grep -o '[^ ]*callbridge[^ ]*[.]so[^ ]*' | sort -u"
    )
    assert "/tmp/wheel/venv/" in maps and "callbridge_python.abi3.so" in maps


@pytest.mark.skipif(os.uname().machine == "aarch64", reason="it is this machine's")
def test_on_this_machine(environment, aarch64_wheel, tmp_path):
    """pip refuses it; unpacked in spite of that, it says for which machine it is."""
    shell = environment()
    shown = shell(f"pip install --no-index --no-deps {aarch64_wheel}", status=1)
    assert "not a supported wheel on this platform" in shown
    zipfile.ZipFile(aarch64_wheel).extractall(tmp_path)
    package = tmp_path / "callbridge"
    said = f"is for aarch64, and this machine is {os.uname().machine}"
    unpacked = {"PYTHONPATH": str(tmp_path)}
    shown = shell("python -c 'import callbridge.library'", status=1, **unpacked)
    assert f"ImportError: {package}/lib/libcallbridge.so.0 {said}" in shown
    (package / "bin/callbridge").chmod(0o755)
    shown = shell("python -c 'import callbridge._command as c; c.main()'", status=1, **unpacked)
    assert f"callbridge: {package}/bin/callbridge cannot be run: it {said}" in shown
