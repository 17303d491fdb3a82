"""action.yml with the wheel, Debian's packages and Debian's Python: a wheel that passes, and one
that fails. In place of `make install` stands pip; tests/install has the former."""

import os
import subprocess
import zipfile

import pytest
from action_steps import ROOT, run_steps
from wheel_shell import CACHE, PINNED

# Finds the wheel's library and command by their places alone.
MAKE = """#!/bin/sh
[ "$3 $4" = "install PREFIX=/opt/callbridge" ] || exit 9
/usr/bin/python3 -m venv /opt/callbridge && exec /opt/callbridge/bin/pip install --quiet \
  --disable-pip-version-check --no-index --find-links "$WHEELS" "$NUMPY" "$WHEEL"
"""
# As XLA's headers of version 0.2 have it.
HANDLER = """
#include "callbridge/typed_ffi/c_api.h"

XLA_FFI_Error* add(XLA_FFI_CallFrame* frame) {
  if (frame->struct_size < XLA_FFI_CallFrame_STRUCT_SIZE) {
    XLA_FFI_Error_Create_Args wrong = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr,
                                       "XLA_FFI_CallFrame", XLA_FFI_Error_Code_INVALID_ARGUMENT};
    return frame->api->XLA_FFI_Error_Create(&wrong);
  }
  auto* query = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  if (query != nullptr) query->metadata->api_version = {sizeof(XLA_FFI_Api_Version), nullptr, 0, 2};
  return nullptr;
}
"""


@pytest.fixture
def audited(tmp_path):
    """audited(REQUIREMENT): a wheel with a handler and that requirement."""

    def make(requirement):
        (tmp_path / "handler.cc").write_text(HANDLER)
        command = ["g++", "-std=c++17", "-shared", "-fPIC", "-I", ROOT / "include", "handler.cc"]
        subprocess.run([*command, "-o", "handler.so"], cwd=tmp_path, check=True)
        path = tmp_path / "mine-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as file:
            file.write(tmp_path / "handler.so", "mine/handler.so")
            file.writestr("mine-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
            metadata = f"Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n{requirement}\n"
            file.writestr("mine-1.0.dist-info/METADATA", metadata)
        return path

    return make


@pytest.mark.skipif(os.geteuid() != 0, reason="apt-get and mount need root")
def test_the_action(wheel, audited, tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "make").write_text(MAKE)
    (programs / "make").chmod(0o755)
    environment = {
        "PATH": f"{programs}:/usr/sbin:/usr/bin:/sbin:/bin",
        "DEBIAN_FRONTEND": "noninteractive",
        "WHEEL": str(wheel),
        "WHEELS": f"{CACHE}/wheels",
        "NUMPY": PINNED["numpy"],
    }

    def run(requirement, **words):
        """Returns the status, and the cells of the handler's row in the summary."""
        (tmp_path / "summary").unlink(missing_ok=True)
        path = str(audited(requirement))
        done, summary = run_steps(tmp_path, environment, {"path": path, "probe": "true", **words})
        assert summary and done.stdout.endswith(summary), done.stderr
        return done.returncode, [cell.strip() for cell in summary.splitlines()[-1].split("|")[1:-1]]

    status, (library, handlers, native, _, admitted) = run("Requires-Dist: jax")
    assert (status, library, handlers) == (1, "mine/handler.so", "1 typed_ffi 0.2")
    assert admitted != "-"
    assert run("Requires-Dist: jax", strict="false")[0] == 0
    first = native.split()[0]
    status, cells = run(f"Requires-Dist: jax>={first}")
    assert (status, cells[2:]) == (0, [native, cells[3], "-"])
