"""Each row of the tables of what newer and older JAXs have is for the releases that it should be.

They are compared with jax_names.txt and members.txt, which have all releases: a row may matter on
releases alone that `make test` does not run.
"""

import importlib
import inspect
import pathlib
import sys

import jax
import pytest
from jax_releases import TODAY, numbers

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "releases"))

import not_restored  # noqa: E402
from history import GONE, History, parts  # noqa: E402

HISTORY = History.read()
MEMBERS = History.read("members.txt")
RELEASES = HISTORY.releases


def entries(names):
    return [entry.partition("=")[0] for entry in names.split()]


def is_first(release, first):
    """Whether a row for `release` is for all releases before `first`, and for no other recorded
    one; some came in a release between two that are recorded."""
    before = RELEASES[RELEASES.index(first) - 1]
    return numbers(before) < numbers(release) <= numbers(first)


# ---- What newer releases have --------------------------------------------------------------------


def came(module, name):
    changes = HISTORY.changes.get(module, {}).get(name, [])
    return next((release for release, what in changes if what != GONE), None)


# What a walk does not list of older releases: attributes of classes, private names, annotations.
UNSEEN = {
    ("jax.interpreters.ad.Zero", "from_primal_value"): "0.4.38",
    ("jax._src.ad_util", "p2tz"): "0.9.2",
    ("jax.interpreters.mlir.ModuleContext", "platforms"): "0.4.30",
    ("jax._src.core", "GenericEffect"): "0.7.2",
    ("jax.typing", "DTypeLike"): "0.4.30",
    ("jax.lax", "PrecisionLike"): "0.4.30",
}


def test_names_are_lent_to_each_release_before_them():
    from rows import LENT

    wrong = []
    for row in LENT:
        firsts = {n: UNSEEN.get((row.module, n)) or came(row.module, n) for n in row.names}
        if not is_first(row.came, max(firsts.values(), key=numbers)):
            wrong.append(f"{row.module}: {row.came}, but {firsts}")
    assert not wrong, "\n".join(wrong)


# The first release whose own takes what the wrapper does; of most it is a parameter that came.
OF_WRAPPERS = {
    ("jax.custom_vjp", "__init__"): "0.7.2",
    ("jax.custom_jvp", "__init__"): "0.7.2",
    ("jax.extend.ffi", "ffi_call"): "0.4.38",
    ("jax.sharding.Mesh", "__init__"): "0.5.3",
    ("jax.sharding.Mesh", "__new__"): "0.5.3",
    ("jax", "make_mesh"): "0.5.3",
    ("jax.experimental.layout", "Layout"): "0.6.2",
    ("jax._src.layout.Layout", "__init__"): "0.6.2",
    ("jax.core.UnshapedArray", "_bool"): "0.4.30",
    ("jax", "jit"): "0.10.2",
    ("jax.lax", "map"): "0.4.31",
    ("jax.tree_util", "register_dataclass"): "0.8.3",
}
TAKE_A_DEVICE = ("jax.numpy", "jax.numpy.fft")
# The one is lent whole; the other's device is that of what it reads.
TAKE_NONE = {("jax.numpy", "astype"), ("jax.numpy", "from_dlpack")}


def test_wrappers_are_for_each_release_before_them():
    from rows import WRAPPED_OLDER

    seen = set()
    for row in WRAPPED_OLDER:
        module, release = row.module, row.wrapped_until
        for name in row.names:
            seen.add((module, name))
            if module in TAKE_A_DEVICE:
                first = parameter_came(module, name, "device")
                assert numbers(release) >= numbers(first), (module, name)
            else:
                assert release == OF_WRAPPERS.pop((module, name)), (module, name)
    assert not OF_WRAPPERS
    of_numpy = {
        (module, name)
        for module in TAKE_A_DEVICE
        for name in HISTORY.changes[module]
        if numbers(parameter_came(module, name, "device") or "0") > numbers(RELEASES[0])
    }
    assert of_numpy - seen == TAKE_NONE


def parameter_came(module, function, parameter):
    """The first release since which the function takes it by its name."""
    first = None
    for release, what in HISTORY.changes.get(module, {}).get(function, []):
        known, _ = parts(what) if what != GONE else (None, None)
        if known is not None:
            first = (first or release) if parameter in known else None
    return first


def test_parameters_are_lent_to_each_release_before_them():
    from rows import LENT_PARAMETERS, defaults

    wrong, checked = [], 0
    for row in LENT_PARAMETERS:
        given = [adapt.shown if (d := defaults(adapt)) is None else d[:1] for adapt in row.adapters]
        for function in row.names:
            for parameter in (name for names in given for name in names):
                checked += 1
                if parameter_came(row.module, function, parameter) != row.came:
                    wrong.append(f"{row.module}.{function}({parameter}), {row.came}")
    assert checked > 200
    assert not wrong, "\n".join(wrong)


# Of releases after today's.
DEFAULTS_TO_COME = {
    **dict.fromkeys(("out_sharding", "accuracy", "in_nzs", "with_accums")),
    "is_stable": True,
    "method": "exact",
    "remat": False,
    "with_logs": False,
}


@pytest.mark.skipif(
    numbers(jax.__version__) < numbers(TODAY), reason=f"jax {jax.__version__} lacks most of them"
)
def test_defaults_of_lent_parameters_are_jaxs():
    from rows import LENT_PARAMETERS, defaults

    for row in LENT_PARAMETERS:
        given, module = [*filter(None, map(defaults, row.adapters))], row.module
        for function in row.names if given else ():
            own = inspect.signature(getattr(importlib.import_module(module), function)).parameters
            for parameter, ours in given:
                is_to_come = numbers(row.came) > numbers(jax.__version__)
                default = DEFAULTS_TO_COME[parameter] if is_to_come else own[parameter].default
                assert (type(ours), ours) == (type(default), default), (module, function, parameter)


def attribute_came(cls, attribute):
    """The first releases since which classes of that name have it, or values of some sample."""
    found = set()
    for names in HISTORY.changes.values():
        first = None
        for release, what in names.get(cls, []):
            _, known = parts(what) if what != GONE else (None, None)
            if known is not None:
                first = (first or release) if attribute in known else None
        found.add(first)
    for names in MEMBERS.changes.values():
        found |= {r for r, what in names.get(attribute, [])[:1] if what != GONE}
    return found - {None}


# Special methods, which walks leave out, of releases whose array.device is a method; and properties
# that were methods, or of which there were fewer.
OF_ATTRIBUTES = {
    ("jaxlib.xla_client.Device", "__call__"): "0.4.30",
    ("jax.sharding.Sharding", "__call__"): "0.4.30",
    ("jax._src.array.ArrayImpl", "device"): "0.4.31",
    ("jax._src.prng.PRNGKeyArray", "device"): "0.4.31",
    ("jax._src.layout.Layout", "layout"): "0.6.2",
}


def test_attributes_are_lent_to_each_release_before_them():
    from rows import LENT_ATTRIBUTES

    wrong = []
    for row in LENT_ATTRIBUTES:
        path, release = row.module, row.came
        for attribute in row.names:
            expected = OF_ATTRIBUTES.get((path, attribute))
            came_in = attribute_came(path.rpartition(".")[2], attribute)
            if release not in ({expected} if expected else came_in):
                wrong.append(f"{path}.{attribute}: {release}, but {expected or came_in}")
    assert not wrong, "\n".join(wrong)


def test_what_is_refused_is_so_since_its_row():
    from rows import _table

    since = {(row.module, n): row.refused for row in _table.ROWS if row.refused for n in row.names}
    of_host = ("call", "id_print", "id_tap")
    assert since == {
        ("jax.core", "call"): "0.9.2",
        **{("jax.experimental.host_callback", name): "0.4.35" for name in of_host},
    }


# ---- Options -------------------------------------------------------------------------------------

# Those that went or came and change what programs compute, or where: with any other value they are
# refused.
OF_PROGRAMS = set(
    """
    check_vma eager_constant_folding jax_accurate_erf_inv jax_allow_f16_reductions jax_array
    jax_auto_pcast jax_check_static_indices jax_compilation_cache_dir jax_compiler_enable_remat_pass
    jax_cpu_collectives_implementation jax_cpu_enable_gloo_collectives jax_custom_jvp3
    jax_custom_vjp3 jax_custom_vjp_disable_shape_check jax_data_dependent_tracing_fallback
    jax_debug_key_reuse jax_disable_bwd_checks jax_disable_vmap_shmap_error
    jax_disallow_mesh_context_manager jax_distributed_verify_secure_credentials jax_dynamic_shapes
    jax_enable_custom_vjp_by_custom_transpose jax_enable_empty_arrays jax_enable_memories
    jax_error_checking_behavior_divide jax_error_checking_behavior_nan
    jax_error_checking_behavior_oob jax_explicit_x64_dtypes jax_export_calling_convention_version
    jax_export_deserialize_expired_versions jax_high_dynamic_range_gumbel
    jax_host_callback_ad_transforms jax_host_callback_outfeed jax_jit_pjit_api_merge
    jax_legacy_prng_key jax_mock_gpu_topology jax_mosaic_allow_hlo jax_mosaic_unzip_debug_locations
    jax_mtls_ca_file jax_mtls_cert_file jax_mtls_key_file jax_mtls_peer_uri_prefix
    jax_mutable_array_checks jax_no_execution jax_no_tracing jax_num_cpu_devices
    jax_oneapi_visible_devices jax_pallas_auto_assign_collective_ids
    jax_pallas_auto_assign_collective_ids_limit jax_pallas_enable_debug_checks
    jax_pallas_poison_buffers jax_pallas_use_mosaic_gpu jax_parallel_functions_output_gda
    jax_pjrt_client_create_options jax_pmap_no_rank_reduction jax_pmap_shmap_merge
    jax_ragged_dot_use_gpu_pallas_triton_lowering jax_ragged_dot_use_ragged_dot_instruction
    jax_raise_on_ppermute_sort_diff jax_random_seed_offset jax_refs_to_pins jax_remat3
    jax_remat_barrier_no_cotangents jax_remove_size_one_mesh_axis_from_type jax_safer_randint
    jax_scan3 jax_serialization_version jax_sharding_in_types jax_sort_devices_by_process_index
    jax_thread_guard jax_use_direct_linearize jax_use_emit_pipeline_primitive
    jax_use_hlo_logistic_lowering jax_use_rgv3 jax_use_shardy_partitioner jax_varying_axes_in_types
    mock_num_gpu_processes mock_num_gpus mock_num_processes use_mock_gpu_client
    """.split()
)


def test_options_change_what_programs_compute_or_are_hints():
    from callbridge.resurrect._names import _options

    names = {name for _, options in (*_options.GONE, *_options.CAME) for name in entries(options)}
    assert names - _options._HINTS == OF_PROGRAMS
    assert names >= _options._HINTS


# ---- Parameters that went ------------------------------------------------------------------------

# Those that are refused but for these values, which say what JAX does now; all have one default.
ONLY = {
    "_use_xeinsum": False,
    "abstracted_axes": None,
    "concrete": False,
    "create_tokens": False,
    "final_qdd": None,
    "global_arg_shapes": None,
    "initial_qdd": None,
    "name_stack": None,
    "named_shape": None,
    "num_output_tokens": 0,
    "operand_layouts": None,
    "out": None,
    "replace_tokens_with_dummy": False,
    "result_layouts": None,
    "transpose_algorithm": None,
    "use_eq_store": False,
}
# Those that changed nothing that programs compute.
DROPPED = {
    *("are_out_shardings_from_xla", "api_name", "auto_spmd_partitioning_mesh_ids"),
    *("auto_spmd_partitioning_mesh_shape", "debug_info", "initial", "linear", "module", "public"),
    *("suffix", "use_auto_spmd_partitioning", "use_spmd_partitioning", "use_tfrt"),
}
# Of which values are not any.
VALUES = {
    **{"sym_pos": True, "vectorized": True, "algorithm": "f32"},
    **dict.fromkeys(("vma", "varying_manual_axes"), frozenset("i")),
}
MADE = {"sym_pos": {"assume_a": "pos"}, "vectorized": {"vmap_method": "legacy_vectorized"}}
# Those whose functions take others by their place: what comes first, and the parameter's.
PLACES = {"shape_tuple": ((None, (("i", 2),)), (None, (2,), ("i",)))}
# Of functions that have lost it, and take it yet, in order to refuse it.
BY_PLACE_ALONE = {("jax", "jit", "fun"), ("jax.numpy", "from_dlpack", "x")}


def adapters_of_lost_parameters():
    """(module, function, parameter), its adapters."""
    from rows import LOST_PARAMETERS, REFUSED_PARAMETERS

    rows = {}
    for row in LOST_PARAMETERS:
        for name in row.names:
            path = row.module if name[0] == "_" else f"{row.module}.{name}"
            rows.setdefault(path, []).extend(row.adapters)
    not_had = {f: words for f, (_, words) in REFUSED_PARAMETERS.items()}
    elsewhere = not_restored.PARAMETERS_ELSEWHERE
    not_had.update({f: words.split() for f, words in elsewhere.items()})
    for key in HISTORY.lost_parameters():
        module, function, parameter = key
        others = [m for m, names in HISTORY.changes.items() if function in names]
        paths = [f"{m}.{function}" for m in (module, *others)]
        if not any(parameter in not_had.get(path, ()) for path in paths):
            found = next((rows[path] for path in paths if path in rows), None)
            if found is not None and key not in BY_PLACE_ALONE:
                yield key, found


def positions(adapt):
    return getattr(adapt, "positions", ((), None))


def adapted(adapters, *args, **keywords):
    for adapt in adapters:
        args = adapt("the_function", args, keywords)
    return args, keywords


@pytest.mark.skipif(
    numbers(jax.__version__) < numbers(TODAY), reason=f"jax {jax.__version__} lost few of them"
)
def test_lost_parameters_become_what_the_function_takes():
    checked = set()
    for (module, function, parameter), adapters in adapters_of_lost_parameters():
        what = f"{module}.{function}({parameter})"
        checked.add(parameter)
        if parameter in ONLY:
            default = ONLY[parameter]
            assert adapted(adapters, **{parameter: default}) == ((), {}), what
            for other in (object(), not default):
                with pytest.raises(NotImplementedError, match=f"the_function: .*{parameter}="):
                    adapted(adapters, **{parameter: other})
            continue
        if parameter in PLACES:
            given, made = PLACES[parameter]
            assert adapted(adapters, *given) == (made, {}), what
            continue
        value = VALUES.get(parameter, object())
        # What is before one that is passed by its place now.
        places = [names for names, first in (positions(a) for a in adapters) if first == 0]
        before = next(
            (names[: names.index(parameter)] for names in places if parameter in names), ()
        )
        args, keywords = adapted(adapters, *before, **{parameter: value})
        if args or not keywords:
            assert args == (*before, value) if args else parameter in DROPPED, what
            continue
        assert parameter not in DROPPED, what
        last = [then for _, then in HISTORY.changes[module][function] if then != GONE][-1]
        assert keywords.keys() <= set(parts(last)[0] or keywords), what
        is_made = parameter in MADE or "manual_axis_type" in keywords
        assert is_made or [*keywords.values()] == [value], what
        assert keywords == MADE.get(parameter, keywords), what
    assert {*ONLY, *DROPPED} <= checked, {*ONLY, *DROPPED} - checked
