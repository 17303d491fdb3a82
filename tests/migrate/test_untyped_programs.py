"""What today's jaxlib does with targets that stay untyped is what the codemod says of them."""

import re
import subprocess
import sys

import migrate_command
from migrated_program import migrated

TARGET = """\
extern "C" void twice(void* out, const void** in) {
  *static_cast<float*>(out) = 2 * *static_cast<const float*>(in[0]);
}
"""
PROGRAM = """\
import ctypes

import jax
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jax.lib import xla_client
from jaxlib.hlo_helpers import custom_call

twice = jax.ffi.pycapsule(ctypes.CDLL("./libtwice.so").twice)
xla_client.register_custom_call_target(b"twice", twice, platform="cpu")


def by_default(ctx, x):
    return custom_call("twice", result_types=[x.type], operands=[x]).results


def original(ctx, x):
    return custom_call("twice", result_types=[x.type], operands=[x], api_version=1).results


for rule in (by_default, original):
    twice_p = Primitive(rule.__name__)
    twice_p.def_abstract_eval(lambda x: ShapedArray(x.shape, x.dtype))
    mlir.register_lowering(twice_p, rule, platform="cpu")
    print(jax.jit(twice_p.bind)(np.float32(21)))
"""


def test_jaxlib_says_what_the_decision_quotes(tmp_path):
    _, (decision,) = migrated(tmp_path, PROGRAM)
    (quoted,) = re.findall('"(.*?)"', decision)
    (tmp_path / "twice.cc").write_text(TARGET)
    migrate_command.run(tmp_path, "g++", "-shared", "-fPIC", "twice.cc", "-o", "libtwice.so")
    done = subprocess.run(
        [sys.executable, "a.py"],
        cwd=tmp_path,
        env=migrate_command.ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "42.0\n42.0\n"), done.stderr
    said = ".*".join(re.escape(part) for part in quoted.split(" [...] "))
    for version in ("STATUS_RETURNING", "ORIGINAL"):
        assert re.search(f"Custom call API version `API_VERSION_{version}` {said}", done.stderr), (
            done.stderr
        )
