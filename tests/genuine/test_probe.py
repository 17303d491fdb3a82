"""The probe on handlers built with XLA's genuine headers, of every version from 0.4.30 on."""

import ctypes
import json
import os
import pathlib
import shutil
import subprocess

import pytest
from callbridge._core import _c_api

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", pathlib.Path.home() / ".cache/callbridge"))
HEADERS = CACHE / "jaxlib-headers"

QUERY = "answers the metadata query: XLA FFI "
VERSIONS = {
    "0.4.30": "makes its errors through the API table of jaxlib 0.4.30",
    "0.4.38": QUERY + "0.1",
    "0.6.2": QUERY + "0.1",
    "0.8.3": QUERY + "0.2",
    "0.10.2": QUERY + "0.3",
    "0.12.0.1": QUERY + "0.5",
}

# The probe must not run a handler: `Touch` would leave a trace.
SOURCE = """
#include <cstdio>
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;

static ffi::Error TouchImpl() {
  std::fclose(std::fopen("trace", "w"));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Touch, TouchImpl, ffi::Ffi::Bind());

static ffi::Error AddImpl(ffi::Buffer<ffi::DataType::F32> a, int64_t n,
                          ffi::Result<ffi::Buffer<ffi::DataType::F32>> out) {
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Add, AddImpl,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::DataType::F32>>()
                                  .Attr<int64_t>("n")
                                  .Ret<ffi::Buffer<ffi::DataType::F32>>());

#ifdef HAS_STATE
struct Count {
  static ffi::TypeId id;
};
ffi::TypeId Count::id = {};
static ffi::ErrorOr<std::unique_ptr<Count>> MakeImpl() { return std::make_unique<Count>(); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(Make, MakeImpl, ffi::Ffi::BindInstantiate());
#endif
"""


BUILT = (BUILD / "tests/ffi_releases.txt").read_text().split()


@pytest.fixture(scope="module", params=[version for version in VERSIONS if version in BUILT])
def handlers(request, tmp_path_factory):
    """The version, and a library of handlers built with its headers."""
    include = HEADERS / request.param / "jaxlib/include"
    assert include.is_dir(), f"{include} is not there: scripts/ffi_headers, or `make test`, gets it"
    folder = tmp_path_factory.mktemp("handlers")
    (folder / "handlers.cc").write_text(SOURCE)
    compiler = ["ccache", "g++"] if shutil.which("ccache") else ["g++"]
    command = ["-std=c++17", "-w", "-fPIC", "-isystem", include]
    # The first XLA FFI has no state.
    command += ["-DHAS_STATE"] if request.param != next(iter(VERSIONS)) else []
    objects, library = folder / "handlers.o", folder / "handlers.so"
    subprocess.run([*compiler, *command, "-c", folder / "handlers.cc", "-o", objects], check=True)
    subprocess.run(["g++", "-shared", objects, "-o", library], check=True)
    return request.param, library


def test_handlers_of_every_version(handlers, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    version, library = handlers
    loaded = ctypes.CDLL(str(library))
    for name in ("Touch", "Add"):
        address = ctypes.cast(loaded[name], ctypes.c_void_p).value
        assert _c_api.probe_typed(address) == (1, VERSIONS[version])
    assert not (tmp_path / "trace").exists()


def test_inspect_asks_them(handlers, tmp_path):
    version, library = handlers
    for path in (library, tmp_path / "stripped.so"):
        if path != library:
            subprocess.run(["strip", "-o", path, library], check=True)
        done = subprocess.run(
            [BUILD / "callbridge", "inspect", "--json", "--probe", path],
            check=True,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        (found,) = json.loads(done.stdout)
        probed = {p.pop("symbol"): p for p in found["probed"]}
        assert probed["Add"] == probed["Touch"]
        says = probed["Add"]
        assert (says["verdict"], says["evidence"]) == ("typed", VERSIONS[version])
        assert (says["has_symbol"], says["adapts"]) == (True, False)
        if QUERY in VERSIONS[version]:
            minor = int(VERSIONS[version].rpartition(".")[2])
            assert (says["evidence_kind"], says["headers"]) == ("metadata", None)
            assert says["api_version"] == f"0.{minor}"
            states = (probed["Touch"]["makes_state"], probed["Make"]["makes_state"])
            assert states == ((False, True) if minor >= 2 else (None, None))
        else:
            assert (says["evidence_kind"], says["api_version"]) == ("oldest_api_table", "0.0")
            assert says["headers"] == f"jaxlib {version}" and says["makes_state"] is None
        assert not (tmp_path / "trace").exists()
