"""What stands for functions of JAX takes what those took, with the same defaults.

Each is compared with the function of the last release that had it, of those that `make test` has;
what older releases are lent, with today's own.
"""

import json
import os
import pathlib
import subprocess
import sys

import jax
import pytest
from jax_releases import TODAY, used_by

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", "/nonexistent"))
PROGRAM = HERE / "signatures_program.py"
pytestmark = pytest.mark.skipif(
    jax.__version__ != TODAY, reason=f"asks the releases before {TODAY}; this is {jax.__version__}"
)
# What differs, by function, or by parameter: ours are given by position, or take what all releases
# took; the functions of jaxlib have no defaults where ours are called in several ways.
OF_CONSTRUCTORS = "of JAX's own code, which passes it"
RENAMED = "JAX passes it by position"
DIFFERENCES = {
    "jax.core.ConcreteArray(weak_type)": "None is false",
    "jax.interpreters.xla.ConcreteArray(weak_type)": "None is false",
    "jax.experimental.array_api.std(correction)": "that of jax.numpy, where None is 0",
    "jax.experimental.array_api.var(correction)": "that of jax.numpy, where None is 0",
    "jax.experimental.export.export(_device_assignment_for_internal_jax2tf_use_only)": "of jax2tf",
    "jax.experimental.host_callback.id_print(threshold)": "NumPy's own",
    "jax.extend.ffi.ffi_call(vectorized)": "which JAX said was deprecated, by a default of its own",
    "jax.interpreters.ad.backward_pass": "its reduce_axes were xmap's",
    "jax.interpreters.batching.reducer_batcher": "has the axis since",
    "jax.interpreters.mlir.custom_call(operands)": "out_types is before it too",
    "jax.interpreters.mlir.custom_call(result_types)": "out_types is before it too",
    "jax.interpreters.xla.AxisEnv(names)": OF_CONSTRUCTORS,
    "jax.interpreters.xla.AxisEnv(sizes)": OF_CONSTRUCTORS,
    "jax.interpreters.xla.TranslationContext(axis_env)": OF_CONSTRUCTORS,
    "jax.interpreters.xla.TranslationContext(name_stack)": OF_CONSTRUCTORS,
    "jax.interpreters.xla.Backend.buffer_from_pyval": "*_ takes what it does not read",
    "jax.interpreters.xla.Backend.buffer_from_pyval(force_copy)": "*_ takes it",
    "jax.interpreters.xla.Backend.buffer_from_pyval(host_buffer_semantics)": "*_ takes it",
    "jax.lib.xla_client.register_custom_call_target(traits)": "a number",
    "jax.lib.xla_client.shape_from_pyval(layout)": "of newer jaxlibs, which JAX passes alone",
    "jaxlib.xla_client.shape_from_pyval(layout)": "of newer jaxlibs, which JAX passes alone",
    **{
        f"{module}.xla_extension.register_custom_call_target({name})": "that of xla_client"
        for module in ("jax.lib", "jaxlib")
        for name in ("platform", "traits")
    },
    "jaxlib.ducc_fft.custom_call(out_types)": "result_types is beside it",
    **{
        f"jaxlib.{module}.custom_call(operands)": "out_types is before it too"
        for module in ("ducc_fft", "gpu_linalg", "gpu_prng", "gpu_solver", "gpu_sparse")
    },
    "jaxlib.hlo_helpers.custom_call(operands)": "out_types is before it too",
    "jaxlib.lapack.custom_call(operands)": "out_types is before it too",
    "jaxlib.xla_client.ops.CustomCallWithAliasing(output_operand_aliasing)": "CustomCall has none",
    # ---- What is lent --------------------------------------------------------------------------
    "jax.shard_map(in_specs)": "to be inferred, which this JAX refuses",
    "jax.tree.reduce_associative(identity)": "none",
    "jax.tree_util.tree_reduce_associative(identity)": "none",
    "jax.lax.pcast(axis_name)": "which today's must be given",
    "jax.random.lognormal(sigma)": "the same number",
    "jax.random.lognormal(dtype)": "float is what today's None means",
    "jax.random.triangular(dtype)": "float is what today's None means",
    "jax.nn.initializers.truncated_normal(dtype)": "float is what today's None means",
    **{
        f"jax.{name}(out_sharding)": "no types with shardings"
        for name in (
            *("numpy.linalg.tensordot", "lax.reduce_sum", "lax.empty", "random.lognormal"),
            "random.triangular",
        )
    },
}
BY_POSITION = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")


def printed(python, *arguments, pythonpath=(), given=None):
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": ""}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, pythonpath))
    done = subprocess.run(
        [python, PROGRAM, *arguments],
        env=environment, input=given, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


OURS = [HERE.parents[1] / "python", HERE]


def differences(path, ours, theirs):
    """Of a function, and of its parameters "function(parameter)"."""
    had = {name: default for name, _, default in theirs}
    takes_any = any(kind == "VAR_KEYWORD" for _, kind, _ in ours)
    known = {name for name, kind, _ in ours if not kind.startswith("VAR_")}
    for name, kind, default in ours:
        if not kind.startswith("VAR_") and had.get(name, default) != default:
            yield f"{path}({name})"
    for name, kind, default in theirs:
        if default and name not in known and not takes_any and not kind.startswith("VAR_"):
            yield f"{path}({name})"
    first, had_first = (
        [name for name, kind, _ in found if kind in BY_POSITION] for found in (ours, theirs)
    )
    both = [name for name in first if name in had_first]
    if any(first.index(name) != had_first.index(name) for name in both):
        yield path


def check(ours, theirs, least):
    compared, wrong = 0, set()
    for path, parameters in ours.items():
        if path in theirs:
            compared += len(parameters)
            wrong |= set(differences(path, parameters, theirs[path]))
    assert compared > least
    return wrong


def test_what_is_restored_takes_what_it_took():
    """The rest differ from JAX's own in nothing."""
    ours = printed(sys.executable, pythonpath=OURS)
    theirs = {}
    for release in [*used_by("test"), *used_by("outlive")]:
        python = CACHE / f"venv-jax-{release}/bin/python"
        if not python.exists():
            pytest.skip(f"no Python to compare with: {python}")
        theirs.update(printed(python, "given", given=json.dumps([*ours])))
    wrong = check(ours, theirs, 900)
    assert not wrong - DIFFERENCES.keys(), sorted(wrong - DIFFERENCES.keys())


def test_what_is_lent_takes_what_todays_does():
    ours = printed(sys.executable, "lent", pythonpath=OURS)
    wrong = check(ours, printed(sys.executable, "given", given=json.dumps([*ours])), 250)
    assert not wrong - DIFFERENCES.keys(), sorted(wrong - DIFFERENCES.keys())
