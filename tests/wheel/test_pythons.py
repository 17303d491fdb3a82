"""The wheel on the oldest and the newest system and Python that it is for."""

import os
import pathlib
import subprocess
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "~/.cache/callbridge")).expanduser()


def in_debian(name, command):
    """What the command prints in that Debian in a folder, in /tmp/wheel, where nothing is."""
    folder = CACHE / name
    if not folder.is_dir():
        pytest.skip(f"no {folder}: make wheel and make matrix make it")
    command = f"rm -rf /tmp/wheel; mkdir /tmp/wheel; cd /tmp/wheel; unset PYTHONPATH; {command}"
    done = subprocess.run(
        [ROOT / "scripts/enter", folder, "sh", "-ec", command], capture_output=True, text=True
    )
    print(f"{name}$ {command}\n{done.stdout[-600:]}")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_oldest_glibc(wheel, old_library):
    """The programs and the library, on Debian 11."""
    shown = in_debian(
        "debian-11-x86_64",
        f"/usr/bin/python3 -m zipfile -e {wheel} . && "
        "chmod -R +x callbridge/bin callbridge/libexec && "
        f"callbridge/bin/callbridge inspect {old_library} && "
        "/usr/bin/python3 -c 'import ctypes; f = ctypes.CDLL("
        '"callbridge/lib/libcallbridge.so.0").callbridge_version; f.restype = ctypes.c_char_p; '
        "print(f())'",
    )
    assert "callbridge can load it" in shown and "b'0." in shown


PROGRAM = """\
import callbridge.jax, callbridge.numpy, callbridge.resurrect, jax, jax.numpy as jnp, numpy, sys
callbridge.numpy.load("{library}")
x = numpy.ones(128, numpy.float32), numpy.ones(2048, numpy.float32)
print(callbridge.numpy.custom_call("add_repeated", "f32[2048]")(*x).sum())
callbridge.jax.load("{library}")
shape = jax.ShapeDtypeStruct((2048,), jnp.float32)
add = callbridge.jax.custom_call("add_repeated", shape)
print(jax.jit(add)(jnp.ones(128), jnp.ones(2048)).sum(), sys.version_info[:2])
"""


@pytest.mark.parametrize(
    "debian, packages, version",
    [("debian-11-x86_64", "venv-3.9", "3.9"), ("debian-13", "venv", "3.13")],
)
def test_installed_by_pip(wheel, old_library, debian, packages, version):
    """Next to the newest JAX that this Python has, with no compiler."""
    site = f"lib/python{version}/site-packages"
    program = PROGRAM.format(library=old_library)
    shown = in_debian(
        debian,
        "PATH=/usr/sbin:/sbin; export PATH; ! command -v g++ && /usr/bin/python3 -m venv venv && "
        f"echo /{packages}/{site} >venv/{site}/jax.pth && "
        f"venv/bin/pip install --no-index --no-deps {wheel} && "
        f"venv/bin/callbridge inspect {old_library} && venv/bin/python -c '{program}'",
    )
    assert "callbridge can load it" in shown
    assert shown.endswith(f"4096.0\n4096.0 ({version.replace('.', ', ')})\n")


def test_pip_refuses_an_older_python(environment, wheel, tmp_path):
    """This Python, of a wheel that wants one which is not there yet, by the field of this wheel.

    A forced import is tests/python/test_load_failure.py.
    """
    newer = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(newer, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.endswith(".dist-info/METADATA"):
                assert content.count(b"\nRequires-Python: >=3.9\n") == 1
                content = content.replace(b": >=3.9\n", b": >=3.99\n")
            new.writestr(name, content)
    shown = environment()(f"pip install --no-index --no-deps {newer}", status=1)
    assert "requires a different Python: 3.11" in shown and "not in '>=3.99'" in shown
