"""Asks for names and calls of each kind that --explain tells of, and ends with status 3.

explained_program.py LIBRARY     of the handler suite, with headers of another release
"""

import contextlib
import os
import sys

import jax
import jax.numpy as jnp
from jax import core
from jax.interpreters.mlir import custom_call
from jax.lib import xla_client

import registering  # isort: skip

library = registering.Library(sys.argv[1])
registering.xla_client.register_custom_call_target("add", library.handler("add"), "cpu", 1)
old = registering.Library(os.environ["OLD_PACKAGE_LIBRARY"])
nested_sum = registering.capsule(old.address("nested_sum"), b"xla._CUSTOM_CALL_TARGET")
xla_client.register_custom_call_target(b"nested_sum", nested_sum, platform="cpu")
assert core.ShapedArray((2,), jnp.float32, named_shape={}).named_shape == {}
jnp.sort(jnp.ones(3), kind="quicksort")
with contextlib.suppress(AttributeError):
    core.subst_axis_names  # noqa: B018
print(jax.__version__, custom_call.__name__, sys.argv[2:])
assert core.Primitive is not None
sys.exit(3)
