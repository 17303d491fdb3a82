"""Where the wheel cannot work: what is missing, too old, for another machine, or read-only."""

import os
import pathlib
import shutil
import subprocess
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def package(wheel, tmp_path):
    """An unpacked wheel, for PYTHONPATH; programs may be run as pip lets them."""
    folder = tmp_path / "half"
    zipfile.ZipFile(wheel).extractall(folder)
    for programs in ("bin", "libexec/callbridge"):
        for path in (folder / "callbridge" / programs).iterdir():
            path.chmod(0o755)
    return folder


def command(package, words, status=1):
    """What the unpacked wheel's command prints, with what `words` of the shell are."""
    done = subprocess.run(
        ["/bin/sh", "-c", f"{package}/callbridge/bin/callbridge {words}"],
        env={"PATH": "/usr/bin:/bin", "HOME": str(package)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == status, done.stdout
    return done.stdout


def test_no_library(environment, package):
    shell = environment()
    (package / "callbridge/lib/libcallbridge.so.0").unlink()
    shown = shell("python -c 'import callbridge.library'", status=1, PYTHONPATH=str(package))
    assert "libcallbridge.so is not at" in shown and "install it again" in shown


def test_no_headers(environment, package):
    shutil.rmtree(package / "callbridge/include")
    shell = environment()
    shown = shell("python -m callbridge.config --includedir", status=1, PYTHONPATH=str(package))
    assert "is not in" in shown and "half installed" in shown


def test_no_programs(environment, package, old_library):
    probed = ROOT / "build/dev/tests/targets/probed.so"
    helpers = package / "callbridge/libexec/callbridge"
    (helpers / "callbridge-probe").unlink()
    shown = command(package, f"inspect --probe {probed}", status=0)
    assert f"callbridge-probe is not at {package}" in shown
    (helpers / "callbridge-load").unlink()
    shown = command(package, f"run --isolate {old_library}")
    assert f"callbridge-load is not at {package}" in shown
    (helpers / "callbridge-module").unlink()
    (package / "module.hlo").write_text("HloModule m")
    shown = command(package, f"run {package}/module.hlo")
    assert f"callbridge-module is not at {package}" in shown
    shutil.rmtree(package / "callbridge/bin")
    program = "python -c 'import callbridge._command as c; c.main()'"
    shown = environment()(program, status=1, PYTHONPATH=str(package))
    assert "cannot be run: No such file or directory; install callbridge again" in shown


@pytest.mark.parametrize("old, new", [("x86_64", "riscv64"), ("manylinux_2_31", "manylinux_2_99")])
def test_another_machine_and_an_older_glibc_are_refused(environment, wheel, tmp_path, old, new):
    foreign = tmp_path / wheel.name.replace(old, new)
    shutil.copy(wheel, foreign)
    shown = environment()(f"pip install --no-index --no-deps {foreign}", status=1)
    assert "not a supported wheel on this platform" in shown


def for_aarch64(path):
    """Changes the machine in an ELF file's header."""
    data = bytearray(path.read_bytes())
    assert data[18:20] != b"\xb7\0"
    data[18:20] = b"\xb7\0"
    path.write_bytes(data)


@pytest.mark.skipif(os.uname().machine == "aarch64", reason="it is this machine")
def test_an_unpacked_wheel_of_another_machine(environment, package):
    for_aarch64(package / "callbridge/lib/libcallbridge.so.0")
    for_aarch64(package / "callbridge/bin/callbridge")
    shell = environment()
    where = {"PYTHONPATH": str(package)}
    shown = shell("python -c 'import callbridge.jax'", status=1, **where)
    assert f"is for aarch64, and this machine is {os.uname().machine}" in shown
    shown = shell("python -c 'import callbridge._command as c; c.main()'", status=1, **where)
    assert f"cannot be run: it is for aarch64, and this machine is {os.uname().machine};" in shown


def test_an_older_glibc(environment, package):
    """As pip does not let it come to: the library needs a version that no glibc has."""
    path = package / "callbridge/lib/libcallbridge.so.0"
    content = path.read_bytes()
    needed = max(
        (word for word in content.split(b"\0") if word.startswith(b"GLIBC_2.")),
        key=lambda word: int(word.split(b".")[1]),
    )
    path.write_bytes(content.replace(b"\0" + needed, b"\0GLIBC_9." + needed[8:]))
    program = "python -c 'import callbridge.library'"
    shown = environment()(program, status=1, PYTHONPATH=str(package))
    assert f"libcallbridge.so needs GLIBC_9.{needed[8:].decode()}, and this system's C" in shown


@pytest.mark.parametrize("order", [("system", "wheel"), ("wheel", "system")], ids=" ".join)
def test_another_version_in_the_system(environment, package, old_library, order):
    """This build's library, as one of another version, beside the wheel's: both are used."""
    system = package / "libcallbridge.so.0"
    content = (ROOT / "build/dev/libcallbridge.so").read_bytes()
    assert content.count(b"\x000.1.0\0") == 1
    system.write_bytes(content.replace(b"\x000.1.0\0", b"\x000.2.0\0"))
    loaded = {
        "system": f"import ctypes\nother = ctypes.CDLL({str(system)!r}, ctypes.RTLD_GLOBAL)\n",
        "wheel": "import callbridge.numpy\n",
    }
    program = (
        "".join(loaded[each] for each in order) + "import numpy\n"
        f"callbridge.numpy.load({str(old_library)!r})\n"
        "x = numpy.ones(128, numpy.float32), numpy.ones(2048, numpy.float32)\n"
        "print(callbridge.numpy.custom_call('add_repeated', 'f32[2048]')(*x).sum())\n"
        "other.callbridge_version.restype = ctypes.c_char_p\n"
        "print(other.callbridge_version().decode())\n"
    )
    shell = environment()
    (shell.folder / "two.py").write_text(program)
    shown = shell("python two.py")
    assert shown.endswith("4096.0\n0.2.0\n")
    assert ("RuntimeWarning" in shown) == (order[0] == "system")


def test_a_read_only_home(environment, old_library):
    shell = environment()
    nowhere = {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": "/proc/nowhere"}
    assert "registers add_key on Host" in shell(f"callbridge run {old_library}", 2, **nowhere)


def test_without_proc(environment, old_library):
    """The library needs it to open what is old; the errors say so."""
    shell = environment()
    program = f"import callbridge.library as l; l.load({str(old_library)!r})"
    hidden = (
        "/usr/bin/unshare --mount /bin/sh -c '/usr/bin/mount -t tmpfs none /proc && exec \"$@\"' sh"
    )
    shown = shell(f'{hidden} python -c "{program}"', status=1)
    assert "FAILED_PRECONDITION" in shown and "expected /proc" in shown
    assert "callbridge can load it" in shell(f"{hidden} callbridge inspect {old_library}")
