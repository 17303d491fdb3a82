"""`callbridge audit`, and wheels that are zipped for it, from libraries of the build and of g++."""

import json
import os
import pathlib
import subprocess
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", pathlib.Path.home() / ".cache/callbridge"))
HEADERS = (BUILD / "tests/ffi_releases.txt").read_text().split()
WHEEL = "mine-1.0.dist-info/WHEEL"
METADATA = "mine-1.0.dist-info/METADATA"
ORIGINAL = "void add(void* out, const void** in) { (void)out; (void)in; }"
# As XLA's headers have it, so that the symbol is a typed handler's.
TYPED = """
struct XLA_FFI_Error;
struct XLA_FFI_CallFrame;
XLA_FFI_Error* handle(XLA_FFI_CallFrame*) { return nullptr; }
"""


def audit(*words, **more):
    return subprocess.run(
        [COMMAND, "audit", *words], capture_output=True, text=True, timeout=120, **more
    )


def audited(*words):
    done = audit("--json", *words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return json.loads(done.stdout)


def refusal(*words, **more):
    done = audit(*words, **more)
    assert (done.returncode, done.stdout) == (1, ""), done
    (line,) = done.stderr.splitlines()
    assert line.startswith("callbridge: ")
    return line.removeprefix("callbridge: ")


def shared(source, *words, name="made.so"):
    pathlib.Path("made.cc").write_text(source)
    subprocess.run(["g++", "-shared", "-fPIC", *words, "-o", name, "made.cc"], check=True)
    return pathlib.Path(name)


def handlers(release):
    """The suite of handlers, built with XLA's headers of a release."""
    return BUILD / f"tests/typed_ffi/suite/suite_{release}.so"


def wheel(*requires, name="mine-1.0-py3-none-any.whl", **libraries):
    metadata = "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n"
    metadata += "".join(f"Requires-Dist: {each}\n" for each in requires)
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as file:
        for member, path in libraries.items():
            file.write(path, f"mine/{member}.so")
        file.writestr("mine/__init__.py", "raise SystemExit('ran')\n")
        file.writestr(WHEEL, "Wheel-Version: 1.0\n")
        file.writestr(METADATA, metadata)
    return name


def only_call(report):
    ((call,),) = (library["custom_calls"] for library in report["libraries"])
    return call
