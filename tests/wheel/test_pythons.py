"""The wheel on the oldest and the newest system and Python that it is for."""

import os
import pathlib
import subprocess

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


def test_python_3_13(wheel, old_library):
    """Installed by pip in Debian 13, next to the newest JAX, with no compiler."""
    program = (
        "import callbridge.jax, jax, jax.numpy as jnp\n"
        f"callbridge.jax.load({str(old_library)!r})\n"
        "shape = jax.ShapeDtypeStruct((2048,), jnp.float32)\n"
        "add = callbridge.jax.custom_call('add_repeated', shape)\n"
        "print(jax.jit(add)(jnp.ones(128), jnp.ones(2048)).sum())\n"
    )
    shown = in_debian(
        "debian-13",
        "! command -v g++ && /usr/bin/python3 -m venv venv && "
        "echo /venv/lib/python3.13/site-packages >venv/lib/python3.13/site-packages/jax.pth && "
        f"venv/bin/pip install --quiet --no-index --no-deps {wheel} && "
        f'venv/bin/callbridge inspect {old_library} && venv/bin/python -c "{program}"',
    )
    assert "callbridge can load it" in shown and shown.endswith("4096.0\n")
