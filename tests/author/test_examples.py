"""examples/packages: each is built in isolation, installed into clean environments, called on three
releases of JAX, and audited. `make test` does that with what `callbridge new` writes by default."""

import json
import os
import re
import subprocess
import zipfile

import packages
import pytest
from packages import RELEASES, ROOT, build_wheel, call, command, new, run

THOROUGH = "CALLBRIDGE_THOROUGH" in os.environ
# What each build system's wheel is for, on Python 3.11.
TAGS = {
    "scikit-build-core": "py3-none",
    "setuptools": "py3-none",
    "meson-python": "cp311-abi3",
    "nanobind": "cp311-cp311",
    "pybind11": "cp311-cp311",
}


def audit(wheel, headers):
    """Fails if Requires-Dist admits a jaxlib that the handlers do not run on."""
    return json.loads(command("audit", "--probe", "--strict", "--json", wheel))


@pytest.mark.parametrize("build", TAGS)
def test_a_wheel(build, headers, tmp_path):
    if build != "scikit-build-core" and not THOROUGH:
        pytest.skip("another build system: make matrix")
    package = new(tmp_path, "my_ops", build)
    wheel = build_wheel(package, headers)
    assert re.fullmatch(rf"my_ops-0\.0\.1-{TAGS[build]}-linux_\w+\.whl", wheel.name)
    looks_at_it(wheel, headers, tmp_path)
    for release in RELEASES:
        call(package, wheel, release, tmp_path, headers)


def looks_at_it(wheel, headers, folder):
    """It has the handler, which every jaxlib that Requires-Dist admits takes; it needs no rpath."""
    print(audit(wheel, headers))
    zipfile.ZipFile(wheel).extractall(folder / "unpacked")
    (library,) = (folder / "unpacked/my_ops").glob("*.so")
    dynamic = run("readelf", "-d", library)
    assert "callbridge" not in dynamic and "RUNPATH" not in dynamic and "RPATH" not in dynamic
