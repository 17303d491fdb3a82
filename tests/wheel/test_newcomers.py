"""The transcripts of those who have the wheel for the first time, in folders where nothing is.

An old library in JAX, a program in C++, a wheel audited, an old package migrated; each command with
its time, and sizes.
"""

import pathlib
import re
import shutil
import zipfile

import page
import pytest
from wheel_shell import MODULE, PROGRAM

ROOT = pathlib.Path(__file__).resolve().parents[2]
JAX = ("jax", "jaxlib", "ml_dtypes", "opt_einsum", "scipy")


def last_time(shell, module):
    """What -X importtime says of it."""
    shown = shell(f"python -X importtime -c 'import {module}' 2>&1 | /usr/bin/tail -1")
    assert shown.rstrip().endswith(module)


def test_an_old_library_in_jax(environment, wheel, old_library):
    shell = environment(*JAX)
    assert shutil.which("g++", path=str(shell.python.parent)) is None
    print(f"{wheel.name}: {wheel.stat().st_size} bytes")
    package = shell("python -c 'import callbridge; print(callbridge.__path__[0])'").strip()
    shell(f"/usr/bin/du -sb {package}")
    shutil.copy(old_library, shell.folder / "first_light.so")
    assert "callbridge can load it" in shell("callbridge inspect first_light.so")
    (shell.folder / "five_lines.py").write_text(PROGRAM)
    print(PROGRAM)
    assert shell("python five_lines.py").strip() == "[2. 2. 2. ... 2. 2. 2.]"
    (shell.folder / "module.hlo").write_text(MODULE)
    assert "result{} f32[2] 1 2.5" in shell("callbridge run module.hlo")
    last_time(shell, "callbridge.library")
    last_time(shell, "callbridge.jax")
    maps = shell(
        "python -c \"import callbridge.numpy; print(open('/proc/self/maps').read())\" | "
        "/usr/bin/grep -o '[^ ]*callbridge[^ ]*[.]so[^ ]*' | /usr/bin/sort -u"
    )
    assert "callbridge_python.abi3.so" in maps


def test_a_program_in_cxx(environment, with_compiler, tmp_path):
    """It links to the wheel's library, by CMake and without."""
    shell = environment()
    folder = shell("python -m callbridge.config --cmakedir").strip()
    ways = ROOT / "tests/install/ways"
    shell(
        f"cmake -S {ways} -B {tmp_path} -Dcallbridge_DIR={folder} && cmake --build {tmp_path}",
        **with_compiler(shell),
    )
    assert shell(f"{tmp_path}/cpp_api").startswith("42\n")
    shell(
        f"g++ -std=c++17 {ROOT}/tests/install/consumer/cpp_api.cc "
        f"$(python -m callbridge.config --cflags --libs) -o {tmp_path}/by_hand",
        **with_compiler(shell),
    )
    assert shell(f"{tmp_path}/by_hand").startswith("42\n")


def test_a_wheel_audited(environment, old_library):
    """It has an untyped function, which jaxlib 0.10 would take for nothing that it knows."""
    shell = environment("packaging")
    with zipfile.ZipFile(shell.folder / "old-1.0-py3-none-any.whl", "w") as file:
        file.write(old_library, "old/first_light.so")
        file.writestr("old-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        metadata = "Metadata-Version: 2.1\nName: old\nVersion: 1.0\nRequires-Dist: jaxlib>=0.4.13\n"
        file.writestr("old-1.0.dist-info/METADATA", metadata)
    shown = shell("callbridge audit old-1.0-py3-none-any.whl")
    assert "add_repeated(void*, void const**)" in shown and "jaxlib>=0.4.13" in shown
    shell("callbridge audit --strict old-1.0-py3-none-any.whl --jax '>=0.4.13'", status=None)
    table = shell("callbridge audit --table old-1.0-py3-none-any.whl")
    assert table.startswith("|") or "\n|" in table


@pytest.fixture
def migrated():
    """The blocks of docs/migrate.md's package: its two sources, the commands, the program."""
    blocks = page.blocks((ROOT / "docs/migrate.md").read_text())
    named = [(page.NAMED.match(block.text), block.text) for block in blocks]
    sources = {match[1]: text for match, text in named if match}
    (program,) = [
        block.text
        for block in blocks
        if block.language == "python" and "import ops" in block.text.splitlines()
    ]
    return {"ops.cc": sources["ops.cc"], "ops.py": sources["ops.py"]}, program


def test_an_old_package_migrated(environment, with_compiler, migrated):
    sources, program = migrated
    shell = environment(*JAX, "libclang", "libcst", "PyYAML")
    for name, text in sources.items():
        (shell.folder / name).write_text(text)
    (shell.folder / "program.py").write_text(program + 'print("equal")\n')
    old = shell("python program.py", status=None)
    assert "equal" not in old
    compiler = with_compiler(shell)
    diff = shell("callbridge migrate ops.cc ops.py", **compiler)
    assert re.search(r"^\+CALLBRIDGE_EXPORT\(Twice, twice\);", diff, re.M)
    assert (shell.folder / "ops.cc").read_text() == sources["ops.cc"]
    assert "wrote ops.cc" in shell("callbridge migrate --write ops.cc ops.py", **compiler)
    assert shell("callbridge migrate ops.cc ops.py", **compiler) == ""
    include = "-I $(python -m callbridge.config --includedir)"
    shell(f"g++ -std=c++17 -shared -fPIC {include} ops.cc -o libops.so", **compiler)
    assert shell("python program.py") == "equal\n"
