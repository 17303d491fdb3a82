"""JAX's own objects that stand for names are what they were: kind, parameters, attributes.

They are compared with what the last release that had the name had by it.
"""

import pathlib

import jax
import pytest
from jax_releases import numbers

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
            f"jax.lib.{module}.{name}"
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
            )
        ],
        EXECUTABLES,
    ),
}
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
