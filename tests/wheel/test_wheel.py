"""The wheel: its content, a newcomer's path, its neighbours, and errors where it cannot work."""

import os
import pathlib
import re
import shutil
import subprocess
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "~/.cache/callbridge")).expanduser()
JAX = ("jax", "jaxlib", "ml_dtypes", "opt_einsum", "scipy")
MAX_BYTES = 8_000_000


def test_the_name_and_the_size(each_wheel):
    assert re.fullmatch(r"callbridge-[0-9.]+-py3-none-manylinux_2_(\d+)_\w+.whl", each_wheel.name)
    assert int(re.search(r"manylinux_2_(\d+)_", each_wheel.name)[1]) <= 31
    print(f"{each_wheel.name}: {each_wheel.stat().st_size} bytes")
    assert each_wheel.stat().st_size <= MAX_BYTES


def test_what_is_in_it(each_wheel):
    names = zipfile.ZipFile(each_wheel).namelist()
    for name in (
        "callbridge/lib/libcallbridge.so.0",
        "callbridge/lib/libcallbridge_client.so.0",
        "callbridge/lib/callbridge_python.abi3.so",
        "callbridge/bin/callbridge",
        "callbridge/libexec/callbridge/callbridge-probe",
        "callbridge/libexec/callbridge/callbridge-load",
        "callbridge/libexec/callbridge/callbridge-module",
        "callbridge/include/callbridge/callbridge.h",
        "callbridge/include/xla/ffi/api/ffi.h",
        "callbridge/lib/cmake/callbridge/callbridgeConfig.cmake",
        "callbridge/lib/pkgconfig/callbridge.pc",
        "callbridge/py.typed",
        "callbridge/xla_internal_calls.inc",
    ):
        assert name in names, name
    licenses = {name.split("/")[-1] for name in names if ".dist-info/licenses/" in name}
    assert licenses >= {
        "LICENSE",
        "abseil",
        "protobuf",
        "libelf",
        "libffi",
        "CLI11",
        "nlohmann-json",
    }
    # XLA's builder is for `make install` alone, and abseil and protobuf are linked in.
    assert not [name for name in names if "xla_builder" in name or ".pb.h" in name]
    assert not [name for name in names if re.search("libabsl|libprotobuf", name)]


def test_all_of_it_is_for_the_machine_in_its_name(each_wheel):
    machine = re.sub(r".*manylinux_2_\d+_", "", each_wheel.stem)
    number = {"x86_64": 62, "aarch64": 183}[machine]
    wheel = zipfile.ZipFile(each_wheel)
    headers = {name: wheel.open(name).read(20) for name in wheel.namelist()}
    machines = {
        name: int.from_bytes(header[18:], "little")
        for name, header in headers.items()
        if header.startswith(b"\177ELF")
    }
    assert len(machines) >= 8 and set(machines.values()) == {number}, machines


def test_each_machine_s_has_the_same_files(wheel, aarch64_wheel):
    # auditwheel has a hash in the names of libraries that it puts beside.
    files, of_aarch64 = (
        {re.sub(r"-[0-9a-f]{8}([-.])", r"\1", name) for name in zipfile.ZipFile(it).namelist()}
        for it in (wheel, aarch64_wheel)
    )
    assert files == of_aarch64


def test_abseil_is_hidden(each_wheel, tmp_path):
    zipfile.ZipFile(each_wheel).extractall(tmp_path)
    libraries = tmp_path / "callbridge/lib"
    for library in libraries.glob("*.so*"):
        command = ["nm", "-D", "--defined-only", library]
        symbols = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert not re.search(r" _Z[A-Z]*[NK]*4absl", symbols), library
        if "client" not in library.name:
            assert "protobuf" not in symbols, library
    lines = (ROOT / "c_api/exported_symbols.txt").read_text().splitlines()
    listed = [line for line in lines if line and not line.startswith("#")]
    command = ["nm", "-D", "--defined-only", "-j", libraries / "libcallbridge.so.0"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    exported = {line.split("@")[0] for line in shown.split()} - {"callbridge"}
    assert exported == set(listed)


PROGRAM = """\
import callbridge.jax, jax, jax.numpy as jnp
callbridge.jax.load("first_light.so")
shape = jax.ShapeDtypeStruct((2048,), jnp.float32)
add = callbridge.jax.custom_call("add_repeated", shape)
print(jax.jit(add)(jnp.ones(128), jnp.ones(2048)))
"""


def test_a_newcomer(environment, old_library):
    shell = environment(*JAX)
    assert shutil.which("g++", path=str(shell.python.parent)) is None
    shutil.copy(old_library, shell.folder / "first_light.so")
    inspected = shell("callbridge inspect first_light.so")
    assert "callbridge can load it" in inspected
    (shell.folder / "five_lines.py").write_text(PROGRAM)
    print(PROGRAM)
    assert shell("python five_lines.py").strip() == "[2. 2. 2. ... 2. 2. 2.]"
    module = "HloModule m\n\nENTRY e {\n  ROOT c = f32[2]{0} constant({1, 2.5})\n}\n"
    (shell.folder / "module.hlo").write_text(module)
    assert "result{} f32[2] 1 2.5" in shell("callbridge run module.hlo")
    shell("python -X importtime -c 'import callbridge.library' 2>&1 | /usr/bin/tail -1")
    shell("python -X importtime -c 'import callbridge.jax' 2>&1 | /usr/bin/tail -1")
    maps = shell(
        "python -c \"import callbridge.numpy; print(open('/proc/self/maps').read())\" | "
        "/usr/bin/grep -o '[^ ]*callbridge[^ ]*[.]so[^ ]*' | /usr/bin/sort -u"
    )
    assert "callbridge_python.abi3.so" in maps


def test_without_jax(environment, old_library):
    shell = environment()
    program = (
        "import callbridge.library, numpy\n"
        f"library = callbridge.library.load({str(old_library)!r})\n"
        "x = numpy.ones(128, numpy.float32), numpy.ones(2048, numpy.float32)\n"
        "print(library.run('add_repeated', x, 'f32[2048]').sum())\n"
    )
    (shell.folder / "numpy_alone.py").write_text(program)
    assert shell("python numpy_alone.py") == "4096.0\n"


def test_a_binary_that_reads_a_shape_proto(environment):
    library = ROOT / "build/dev/tests/targets/shape_proto_unlinked.so"
    shown = environment()(f"callbridge run {library} 2>&1", status=2)
    assert "registers read_shape on Host, write_shape on Host" in shown


def test_config(environment):
    shell = environment()
    package = shell("python -c 'import callbridge; print(callbridge.__path__[0])'").strip()
    assert shell("python -m callbridge.config --includedir") == f"{package}/include\n"
    assert shell("python -m callbridge.config --cmakedir") == f"{package}/lib/cmake/callbridge\n"
    assert shell("python -m callbridge.config --libs") == (
        f"-L{package}/lib -l:libcallbridge.so.0 -Wl,-rpath,{package}/lib\n"
    )


CONSUMER = ROOT / "tests/install/ways"
CPP_API = ROOT / "tests/install/consumer/cpp_api.cc"


def test_cxx_newcomer(environment, tmp_path):
    """The C++ path: a program that links to the wheel's library, by CMake and without."""
    shell = environment()
    folder = shell("python -m callbridge.config --cmakedir").strip()
    with_compiler = {"PATH": f"{shell.python.parent}:/usr/bin:/bin"}
    shell(
        f"cmake -S {CONSUMER} -B {tmp_path} -Dcallbridge_DIR={folder} && cmake --build {tmp_path}",
        **with_compiler,
    )
    assert shell(f"{tmp_path}/cpp_api").startswith("42\n")
    shell(
        f"g++ -std=c++17 {CPP_API} -I $(python -m callbridge.config --includedir) "
        f"$(python -m callbridge.config --libs) -o {tmp_path}/by_hand",
        **with_compiler,
    )
    assert shell(f"{tmp_path}/by_hand").startswith("42\n")


@pytest.mark.parametrize("order", ["callbridge.numpy, tensorflow", "tensorflow, callbridge.numpy"])
def test_next_to_tensorflow(wheel, tensorflow, old_library, tmp_path, order):
    """In both import orders; what reads a ShapeProto is loaded beside TensorFlow's protobuf."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    protos = ROOT / "build/dev/tests/targets/shape_proto_unlinked.so"
    program = (
        f"import {order}, callbridge.library, numpy\n"
        f"library = callbridge.library.load({str(old_library)!r})\n"
        f"print(len(callbridge.library.load({str(protos)!r}).targets) > 0)\n"
        "x = numpy.ones(128, numpy.float32), numpy.ones(2048, numpy.float32)\n"
        "print(library.run('add_repeated', x, 'f32[2048]').sum())\n"
        "print(tensorflow.constant(2) + 1 == 3)\n"
    )
    done = subprocess.run(
        [tensorflow, "-c", program],
        env={"PYTHONPATH": str(tmp_path), "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[:2] == ["True", "4096.0"]


def test_the_system_s_library_and_the_wheel_s(environment, old_library):
    """Two of them in one process, both used."""
    shell = environment()
    system = ROOT / "build/dev/libcallbridge.so"
    program = (
        "import ctypes\n"
        f"other = ctypes.CDLL({str(system)!r}, ctypes.RTLD_GLOBAL)\n"
        "other.callbridge_version.restype = ctypes.c_char_p\n"
        "import callbridge.library, numpy\n"
        f"library = callbridge.library.load({str(old_library)!r})\n"
        "x = numpy.ones(128, numpy.float32), numpy.ones(2048, numpy.float32)\n"
        "print(library.run('add_repeated', x, 'f32[2048]').sum(), other.callbridge_version())\n"
    )
    (shell.folder / "two.py").write_text(program)
    assert shell("python two.py").startswith("4096.0 b'")


def copied(wheel, tmp_path):
    package = tmp_path / "half"
    zipfile.ZipFile(wheel).extractall(package)
    return package


def test_half_installed(environment, wheel, tmp_path):
    package = copied(wheel, tmp_path)
    shell = environment()
    (package / "callbridge/lib/libcallbridge.so.0").unlink()
    shown = shell("python -c 'import callbridge.library'", status=1, PYTHONPATH=str(package))
    assert "libcallbridge.so is not at" in shown and "install it again" in shown
    shutil.rmtree(package / "callbridge/include")
    shown = shell("python -m callbridge.config --includedir", status=1, PYTHONPATH=str(package))
    assert "is not in" in shown and "half installed" in shown
    shutil.rmtree(package / "callbridge/bin")
    command = "python -c 'import callbridge._command as c; c.main()'"
    shown = shell(command, status=1, PYTHONPATH=str(package))
    assert "cannot be run: No such file or directory; install callbridge again" in shown


@pytest.mark.parametrize("old, new", [("x86_64", "riscv64"), ("manylinux_2_31", "manylinux_2_99")])
def test_another_machine_and_an_older_glibc_are_refused(environment, wheel, tmp_path, old, new):
    foreign = tmp_path / wheel.name.replace(old, new)
    shutil.copy(wheel, foreign)
    shown = environment()(f"pip install --no-index --no-deps {foreign}", status=1)
    assert "not a supported wheel on this platform" in shown


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
    """The programs and the library, on Debian 11; its Python is older than what the wheel takes."""
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


def test_a_read_only_home(environment, old_library):
    shell = environment()
    nowhere = {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": "/proc/nowhere"}
    assert "registers add_key on Host" in shell(f"callbridge run {old_library}", 2, **nowhere)
