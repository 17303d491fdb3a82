"""The site's reference of Python is made without the library (docs/conf.py), and says the same."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = re.findall(r"automodule:: (\S+)", (ROOT / "docs/reference/python.md").read_text())
# What the site's own maker has no packages for is not imported there either.
SHOWN = [name for name in MODULES if "torch" not in name]
# Each public name's signature and text, and those of its own members.
DESCRIBE = """
import importlib, inspect
def describe(name, value):
    try:
        signature = inspect.signature(value) if callable(value) else ""
    except (TypeError, ValueError):
        signature = ""
    print(name, signature, repr(getattr(value, "__doc__", "")))
for module in {modules}:
    module = importlib.import_module(module)
    print(module.__doc__)
    for name in sorted(getattr(module, "__all__", vars(module))):
        if name.startswith("_"):
            continue
        value = getattr(module, name)
        describe(name, value)
        for member, attribute in sorted(vars(value).items()) if isinstance(value, type) else ():
            if not member.startswith("_"):
                describe(f"{{name}}.{{member}}", attribute)
"""


def described(before, library):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    environment.pop("CALLBRIDGE_LIBRARY", None)
    environment |= {"CALLBRIDGE_LIBRARY": library} if library else {}
    program = before + DESCRIBE.format(modules=SHOWN)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    return re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", done.stdout)


def test_the_reference_is_the_same_without_the_library():
    assert len(SHOWN) > 5
    # As Sphinx reads it.
    configuration = f"import runpy; runpy.run_path({str(ROOT / 'docs/conf.py')!r})\n"
    library = os.environ.get("CALLBRIDGE_LIBRARY", str(ROOT / "build/dev/libcallbridge.so"))
    without = described(configuration, None)
    assert without == described("", library)
    assert "custom_call (target" in without


def test_making_the_site_builds_nothing():
    script = (ROOT / "scripts/docs").read_text()
    assert "scripts/build" not in script and "scripts/setup.sh" not in script
