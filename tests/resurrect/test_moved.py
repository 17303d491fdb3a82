"""JAX's own objects that stand for names are what they were: kind, parameters, attributes.

They are compared with what the last release that had the name had by it.
"""

import os
import pathlib
import subprocess

import jax
import pytest
from jax_releases import TODAY, numbers, used_by

HERE = pathlib.Path(__file__).resolve().parent
VERSION = numbers(jax.__version__)

# What differs, by name: why that is left.
EXECUTABLES = "jaxlib's own class, whose functions that JAX does not call are gone"
BY_JAX_ALONE = "made by JAX alone"
OF_KEYS = "asked of instances, which are JAX's own keys; the class is for isinstance()"
DIFFERENCES = {
    "jax.experimental.array_api.array": "device is passed by name now",
    "jax.experimental.array_api.finfo": "the class that the function made an object of",
    "jax.experimental.array_api.fix": "its out took None alone",
    "jax.numpy.fix": "its out took None alone",
    "jax.experimental.attrs.dtype": "of JAX's own code, which passed no canonicalize",
    "jax.experimental.export.Exported": "made by export() and deserialize()",
    "jax.experimental.layout.DeviceLocalLayout": "its private fields have other names",
    "jax.experimental.maps.ResourceEnv": "loops were xmap's",
    "jax.experimental.multihost_utils.pjit": "of its abstracted_axes JAX's own callers passed none",
    "jax.experimental.pjit.ParsedPartitionSpec": BY_JAX_ALONE,
    "jax.experimental.pjit.parse_flatten_op_sharding": "op_sharding is passed by position",
    "jax.experimental.shard.auto_axes": "its function is passed to what it returns now",
    "jax.experimental.shard.explicit_axes": "its function is passed to what it returns now",
    "jax.experimental.shard_map.AxisNames": "a name for annotations",
    "jax.experimental.shard_map.AxisTypes": "two of its members have other names",
    "jax.experimental.shard_map.ShardMapTrace": BY_JAX_ALONE,
    "jax.experimental.shard_map.ShardMapTracer": BY_JAX_ALONE,
    "jax.numpy.DeviceArray": "asked of instances, which have them",
    "jax.prng.PRNGImpl": "its tag is passed by name",
    "jax.random.KeyArray": OF_KEYS,
    "jax.random.PRNGKeyArray": OF_KEYS,
    "jax.interpreters.ad.backward_pass_internal": "cotangents_in is cts_in now; it is passed by "
    "position",
    "jax.interpreters.partial_eval.DebugInfo": "made by JAX alone; what it knows is another",
    "jax.interpreters.pxla.MapTrace": "made by JAX alone, for a pmap that it traces",
    "jax.interpreters.pxla.InputsHandler": "made by JAX alone, of what it compiles",
    "jax.interpreters.pxla.UnloadedMeshExecutable": "made by JAX alone, of what it compiles",
    "jax.interpreters.pxla.MeshExecutable": "made by JAX alone, of what it compiles",
    "jax.linear_util.WrappedFun": "made by wrap_init()",
    "jax.interpreters.partial_eval.JaxprStackFrame": "made by JAX alone",
    **dict.fromkeys(
        [
            f"{package}.{module}.{name}"
            for package in ("jax.lib", "jaxlib")
            for module in ("xla_client", "xla_extension")
            for name in (
                "ArrayImpl",
                "CompileOptions",
                "CompiledMemoryStats",
                "DebugOptions",
                "DeviceTopology",
                "Executable",
                "LoadedExecutable",
                "Traceback",
                "TransferConnection",
                "TransferServer",
            )
        ],
        EXECUTABLES,
    ),
}
# What stands for a name and was beside it, another object: why that is left.
OTHERS = {
    "jax._src.custom_derivatives._close_jaxpr": "the same, with a cache by other keys",
    "jax._src.custom_transpose.transformation_with_aux": "the same, with another cache",
    "jax._src.prng.config": "the module that the object is in; it has the object's attributes",
    "jax._src.random.config": "the module that the object is in; it has the object's attributes",
    "jax._src.scipy.cluster.vq._no_chkfinite_doc": "a part of a docstring",
    "jax.core.symbolic_equal_dim": "of the same kinds of dimensions",
    "jax.experimental.layout.DeviceLocalLayout": "Layout was the layout with its sharding yet",
    "jax.interpreters.batching.Array": "a name for annotations",
    "jax.interpreters.xla.pytype_aval_mappings": "of abstract values for XLA alone",
    "jax.interpreters.xla.xb": "JAX's private module of that name",
    "jax.nn.normalize": "its deprecated name, which warned",
    "jax.sharding.XLACompatibleSharding": "its base, when all shardings were XLA's",
    "jax.stages.OutInfo": "a class of the same attributes",
}
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "/nonexistent"))

is_known = pytest.mark.skipif(
    VERSION < (0, 4, 30), reason=f"jax {jax.__version__}: no walk of an older one is recorded"
)


@is_known
def test_moved_objects_are_what_they_were(run):
    *lines, last = run(HERE / "moved_program.py").splitlines()
    compared = int(last.split()[0])
    assert compared > (500 if VERSION >= (0, 9) else 10)
    wrong = [line for line in lines if line.partition(":")[0] not in DIFFERENCES]
    assert not wrong, "\n".join(wrong)
    assert len({line.partition(":")[0] for line in lines}) < 40


@pytest.mark.skipif(VERSION < numbers(TODAY), reason="says nothing of this JAX")
@pytest.mark.parametrize("release", used_by("test"))
def test_what_stands_for_a_name_was_that_where_both_were(release):
    """In an old release: in it `config_explicit_device_get_scope`, which went, and
    `explicit_device_get_scope` are one function."""
    python = CACHE / f"venv-jax-{release}/bin/python"
    if not python.exists():
        pytest.skip(f"no Python to ask: {python}")
    done = subprocess.run(
        [python, HERE / "releases/same_objects.py"],
        env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": "", "XLA_FLAGS": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    assert int(last.split()[0]) > 500
    # Of MHLO's operations the binding has a class of its own.
    wrong = [
        line
        for line in lines
        if line.split()[0] not in OTHERS and not line.startswith("jax.extend.mlir.dialects.mhlo.")
    ]
    assert not wrong, "\n".join(wrong)
