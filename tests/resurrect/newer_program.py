"""Runs a program as on a JAX that is newer than any known: by typed calls."""

import os
import runpy
import sys

import callbridge.resurrect  # noqa: F401
from callbridge.jax import _registry, _runtimes

asked = []


def fastest_path(release, platform):
    asked.append(platform)
    return "typed"


_runtimes.fastest_path = fastest_path
sys.path[0] = sys.argv[1].rpartition("/")[0]
runpy.run_path(sys.argv[1], run_name="__main__")
asked_for = {"cpu": "Host", "gpu": "CUDA"}[os.environ["OLD_PACKAGE_PLATFORM"]]
assert asked_for in asked or _registry.prefers_typed()
