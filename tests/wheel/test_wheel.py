"""The wheel: its content, and its neighbours."""

import pathlib
import re
import subprocess
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
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
        "callbridge/share/callbridge/packages/common/.github/workflows/ci.yml",
        "callbridge/share/callbridge/packages/scikit-build-core/CMakeLists.txt",
        "callbridge/xla_internal_calls.inc",
        # pip puts it where man looks, beside the command.
        f"{each_wheel.name.split('-py3-')[0]}.data/data/share/man/man1/callbridge.1",
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
    assert shell("python -m callbridge.config --pkgconfigdir") == f"{package}/lib/pkgconfig\n"
    assert shell("python -m callbridge.config --cflags --libs") == (
        f"-I{package}/include\n-L{package}/lib -l:libcallbridge.so.0 -Wl,-rpath,{package}/lib\n"
    )


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
