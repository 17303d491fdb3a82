"""tests/jax and tests/resurrect on XLA:GPU: the same functions, and targets of the same source.

A process runs each suite, with CALLBRIDGE_TESTS_PLATFORM=CUDA. not_on_gpu.py lists what is left
out. `make test` has a sample, `make matrix` all of it on all plugins.
"""

import os
import re

import not_on_gpu
import pytest
import xla_gpu

# Of `make test`: one of each kind, by one path most of them.
SAMPLE = {
    "jax": {
        "uses_transforms": "call vmap_of_tuples grad scan_over_tuples cond while",
        "uses_values": "no_elements donated_buffer_is_the_result aliasing_in_a_tree layouts",
        "uses_devices": "shard_map_of_trees shard_map_with_effects pmap",
        "uses_effects": "effects_in_the_order_of_the_data failure exception "
        "nothing_that_hangs_on_a_failed_call_runs effects_between_ordered_callbacks",
        "uses_export": "export_of_trees",
        "custom_call": "nested_tuples opaque_of_any_bytes register_ctypes_function "
        "targets_that_throw calls_from_many_threads",
        "typed": "scalars dictionaries_and_arrays_at_any_depth loaded_handlers_with_stages failure",
        "call_cache": "trees_that_look_alike",
        "bad_input": "bad_input[names_that_are_no_names]",
    },
    "resurrect": {"packages": "old_package[2021]", "names": "typed_handler"},
}
ONE_PATH = "(not version_3 or failure) and not unrolled and not unchecked"
HAS_ALL = bool(os.environ.get("CALLBRIDGE_GPU_RELEASES")) or xla_gpu.ON_DEVICE


def selected(suite):
    """Arguments of pytest."""
    if HAS_ALL:
        # Names of JAX are the same there.
        return ["-m", "not names_alone", f"{xla_gpu.ROOT}/tests/{suite}"]
    ids = [
        f"{xla_gpu.ROOT}/tests/{suite}/test_{file}.py::test_{name}"
        for file, names in SAMPLE[suite].items()
        for name in names.split()
    ]
    return [*ids, "-k", ONE_PATH]


def run_on_gpu(release, tests):
    python_path = [str(xla_gpu.FOLDER / "on_standin"), os.environ["PYTHONPATH"]]
    variables = {"CALLBRIDGE_STANDIN_DEVICES": "4"}
    if release:
        python_path.insert(1, xla_gpu.environment(release)["PYTHONPATH"])
    elif not xla_gpu.is_standin(release):
        # Managed memory, which targets/twins.h needs.
        variables = {"TF_FORCE_UNIFIED_MEMORY": "1"}
    return xla_gpu.python(
        release,
        *("-m", "pytest", "-p", "no:cacheprovider", "-q", *tests),
        timeout=3000,
        CALLBRIDGE_TESTS_PLATFORM="CUDA",
        PYTHONPATH=os.pathsep.join(python_path),
        **variables,
    )


def test_what_is_left_out_exists():
    for name in not_on_gpu.NOT_ON_GPU:
        file, *words = re.split(r"::|\[", name)
        beside = list(xla_gpu.ROOT.glob(f"{file.removesuffix('.py')}*.py"))
        assert beside, f"not_on_gpu.py: there is no {file}"
        texts = "".join(path.read_text() for path in (xla_gpu.ROOT / file).parent.glob("*.py"))
        assert all(word in texts for word in words), f"not_on_gpu.py: nothing is called {name}"


@pytest.mark.parametrize("suite", SAMPLE)
@pytest.mark.parametrize("release", xla_gpu.newest())
def test_a_suite(release, suite, capsys):
    if why := xla_gpu.missing(release):
        pytest.skip(why)
    done = run_on_gpu(release, selected(suite))
    assert done.status == 0, done.output + done.errors
    *_, summary = done.output.splitlines()
    with capsys.disabled():
        # So that scripts/pytest shows what is skipped, and why.
        print(f"\n== tests/{suite} on XLA:GPU {release or 'of this machine'}: {summary}")
        print("\n".join(re.findall(r"^SKIPPED .*", done.output, re.MULTILINE)))
