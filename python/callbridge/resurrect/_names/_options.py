"""Options of jax.config that went, or that this JAX lacks.

To set one to what this JAX does anyway does nothing, as does any value of one that says nothing of
what programs compute; any other value is an AttributeError, as JAX's own is, that says why. One
that went can be read.
"""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Callable
from typing import Any

import jax

from callbridge.jax._runtimes import is_since
from callbridge.resurrect._names._row import may_be_gone

# Options that say how fast or how loud, where a compiled program is kept, or how a device's memory
# is shared; all their values compute the same.
_HINTS = frozenset(
    """
    jax_array_garbage_collection_guard jax_captured_constants_report_frames
    jax_captured_constants_warn_bytes jax_check_proxy_envs jax_collectives_common_channel_id
    jax_compilation_cache_check_contents jax_compilation_cache_expect_pgle
    jax_compilation_cache_max_size jax_compiler_detailed_logging_min_ops jax_coordination_service
    jax_cpu_enable_async_dispatch jax_cpu_get_global_topology_timeout_minutes
    jax_cpu_get_local_topology_timeout_minutes jax_cross_host_transfer_socket_address
    jax_cross_host_transfer_timeout_seconds jax_cross_host_transfer_transfer_size
    jax_cross_host_transport_addresses jax_debug_leaked_clients_on_clear_backends
    jax_debug_log_modules jax_default_dtype_bits jax_dump_ir_modes jax_eager_pmap
    jax_embedded_constants_max_bytes jax_enable_compilation_cache jax_enable_pgle
    jax_enable_preemption_service jax_enable_recoverability jax_exec_time_optimization_effort
    jax_explain_cache_misses jax_export_ignore_forward_compatibility
    jax_force_dcn_cross_host_transfers jax_host_callback_inline
    jax_host_callback_max_queue_byte_size jax_include_debug_info_in_dumps jax_logging_level
    jax_memory_fitting_effort jax_memory_fitting_level jax_optimization_level
    jax_pallas_verbose_errors jax_persistent_cache_enable_xla_caches
    jax_persistent_cache_min_entry_size_bytes jax_pgle_aggregation_percentile
    jax_pgle_profiling_runs jax_remat_opt_barrier
    jax_remove_custom_partitioning_ptr_from_cache_key jax_send_traceback_to_runtime
    jax_share_autotune_config_between_hosts jax_share_binary_between_hosts
    jax_share_binary_between_hosts_timeout_ms jax_source_url_schema jax_spmd_mode
    jax_threefry_gpu_kernel_lowering jax_traceback_in_locations_limit jax_use_cpp_shard_args
    jax_use_magma jax_use_simplified_jaxpr_constants jax_vjp3
    """.split()
)

# The first release without them, each with its last default; but where JAX does what was not the
# default, that.
GONE = [
    (
        "0.4.30",
        "jax_array=True jax_coordination_service=True "
        "jax_host_callback_ad_transforms=False jax_host_callback_inline=False "
        "jax_host_callback_max_queue_byte_size=256000000 jax_host_callback_outfeed=False "
        "jax_jit_pjit_api_merge=True jax_parallel_functions_output_gda=False",
    ),
    ("0.4.31", "mock_num_gpus=1 use_mock_gpu_client=False"),
    ("0.4.34", "mock_num_processes=0"),
    ("0.4.38", "jax_share_autotune_config_between_hosts=False"),
    ("0.5.3", "jax_enable_memories=True jax_sharding_in_types=False"),
    (
        "0.6.2",
        "jax_data_dependent_tracing_fallback=False jax_eager_pmap=True "
        "jax_remat_opt_barrier=True jax_spmd_mode='allow_jit' "
        "jax_varying_axes_in_types=True",
    ),
    ("0.7.2", "jax_enable_empty_arrays=False"),
    (
        "0.8.3",
        "jax_cpu_enable_gloo_collectives=False jax_custom_vjp_disable_shape_check=False "
        "jax_dynamic_shapes=False jax_vjp3=False",
    ),
    (
        "0.9.2",
        "jax_collectives_common_channel_id=True jax_pmap_no_rank_reduction=True "
        "jax_safer_randint=True",
    ),
    (
        "0.10.2",
        "jax_default_dtype_bits='_default' "
        "jax_enable_custom_vjp_by_custom_transpose=False jax_pmap_shmap_merge=True",
    ),
    (
        "0.12.0.1",
        "jax_exec_time_optimization_effort=0.0 jax_memory_fitting_effort=0.0 "
        "jax_pallas_use_mosaic_gpu=True "
        "jax_ragged_dot_use_gpu_pallas_triton_lowering=False jax_refs_to_pins=False",
    ),
]

# The first release with them, each with its default there; but where older ones do what was not the
# default, that.
CAME = [
    (
        "0.4.30",
        "jax_compilation_cache_dir=None jax_compilation_cache_max_size=-1 "
        "jax_compiler_detailed_logging_min_ops=10 "
        "jax_cpu_collectives_implementation='none' jax_cpu_enable_async_dispatch=False "
        "jax_cpu_enable_gloo_collectives=False jax_custom_vjp_disable_shape_check=False "
        "jax_debug_key_reuse=False jax_debug_log_modules='' "
        "jax_enable_compilation_cache=True jax_enable_memories=False "
        "jax_enable_pgle=False jax_explain_cache_misses=False "
        "jax_export_calling_convention_version=9 jax_include_debug_info_in_dumps='True' "
        "jax_legacy_prng_key='allow' jax_persistent_cache_min_entry_size_bytes=0 "
        "jax_pgle_aggregation_percentile=90 jax_pgle_profiling_runs=3 "
        "jax_pjrt_client_create_options=None jax_pmap_no_rank_reduction=False "
        "jax_random_seed_offset=0 jax_serialization_version=0 "
        "jax_share_autotune_config_between_hosts=False "
        "jax_share_binary_between_hosts=False "
        "jax_share_binary_between_hosts_timeout_ms=1200000 "
        "jax_threefry_gpu_kernel_lowering=False jax_traceback_in_locations_limit=10 "
        "mock_num_gpus=1 use_mock_gpu_client=False",
    ),
    (
        "0.4.31",
        "jax_export_ignore_forward_compatibility=False jax_use_shardy_partitioner=False "
        "mock_num_processes=0",
    ),
    (
        "0.4.34",
        "jax_compiler_enable_remat_pass=True jax_disable_vmap_shmap_error=False "
        "jax_disallow_mesh_context_manager=False jax_no_tracing=False "
        "jax_remove_custom_partitioning_ptr_from_cache_key=False "
        "jax_sharding_in_types=False mock_num_gpu_processes=0",
    ),
    (
        "0.4.38",
        "eager_constant_folding=False jax_array_garbage_collection_guard=None "
        "jax_check_proxy_envs=True jax_data_dependent_tracing_fallback=False "
        "jax_exec_time_optimization_effort=0.0 jax_logging_level='NOTSET' "
        "jax_memory_fitting_effort=0.0 jax_mock_gpu_topology='' "
        "jax_persistent_cache_enable_xla_caches='xla_gpu_per_fusion_autotune_cache_dir' "
        "jax_use_direct_linearize=False jax_use_magma='auto'",
    ),
    (
        "0.5.3",
        "jax_compilation_cache_expect_pgle=False jax_enable_empty_arrays=False "
        "jax_high_dynamic_range_gumbel=False jax_memory_fitting_level='UNKNOWN' "
        "jax_mutable_array_checks=False jax_num_cpu_devices=-1 "
        "jax_optimization_level='UNKNOWN' jax_varying_axes_in_types=False",
    ),
    (
        "0.6.2",
        "check_vma=False jax_captured_constants_report_frames=0 "
        "jax_captured_constants_warn_bytes=2000000000 "
        "jax_error_checking_behavior_divide='ignore' "
        "jax_error_checking_behavior_nan='ignore' "
        "jax_error_checking_behavior_oob='ignore'",
    ),
    (
        "0.7.2",
        "jax_cpu_get_global_topology_timeout_minutes=5 "
        "jax_cpu_get_local_topology_timeout_minutes=2 "
        "jax_cross_host_transfer_socket_address='' "
        "jax_cross_host_transfer_timeout_seconds=None "
        "jax_cross_host_transfer_transfer_size=None jax_cross_host_transport_addresses='' "
        "jax_dump_ir_modes='stablehlo' jax_enable_recoverability=False "
        "jax_no_execution=False jax_ragged_dot_use_ragged_dot_instruction=False "
        "jax_remove_size_one_mesh_axis_from_type=False jax_safer_randint=False "
        "jax_use_simplified_jaxpr_constants=False jax_vjp3=False",
    ),
    (
        "0.8.3",
        "jax_check_static_indices=False jax_collectives_common_channel_id=True "
        "jax_enable_preemption_service=True jax_explicit_x64_dtypes=1 "
        "jax_pallas_verbose_errors=False jax_refs_to_pins=False "
        "jax_send_traceback_to_runtime='off'",
    ),
    (
        "0.9.2",
        "jax_allow_f16_reductions=True jax_compilation_cache_check_contents=False "
        "jax_custom_vjp3=False jax_disable_bwd_checks=False "
        "jax_force_dcn_cross_host_transfers=False jax_sort_devices_by_process_index=True "
        "jax_thread_guard=False",
    ),
    (
        "0.10.2",
        "jax_auto_pcast=True jax_debug_leaked_clients_on_clear_backends=False "
        "jax_embedded_constants_max_bytes=32 jax_mosaic_allow_hlo=False "
        "jax_oneapi_visible_devices='all' jax_pallas_enable_debug_checks=False "
        "jax_pallas_poison_buffers=False jax_pallas_use_mosaic_gpu=True "
        "jax_ragged_dot_use_gpu_pallas_triton_lowering=False jax_remat3=False "
        "jax_scan3=False jax_source_url_schema=None jax_use_emit_pipeline_primitive=False",
    ),
    (
        "0.12.0.1",
        "jax_accurate_erf_inv=False jax_custom_jvp3=False "
        "jax_distributed_verify_secure_credentials=False "
        "jax_export_deserialize_expired_versions=False "
        "jax_mosaic_unzip_debug_locations=True jax_mtls_ca_file=None "
        "jax_mtls_cert_file=None jax_mtls_key_file=None jax_mtls_peer_uri_prefix=None "
        "jax_pallas_auto_assign_collective_ids='no' "
        "jax_pallas_auto_assign_collective_ids_limit=25 "
        "jax_raise_on_ppermute_sort_diff=True jax_remat_barrier_no_cotangents=False "
        "jax_use_cpp_shard_args=False jax_use_hlo_logistic_lowering=None "
        "jax_use_rgv3=True",
    ),
]


def _new_of(name: str) -> Callable[[Any], None] | None:
    """What sets the same in this JAX; None where nothing does."""
    setters: dict[str, Callable[[Any], None]] = {
        "jax_compilation_cache_dir": _set_cache_folder,
        "jax_cpu_enable_gloo_collectives": _set_gloo,
        "jax_num_cpu_devices": _set_cpu_devices,
    }
    return setters.get(name)


def _set_cache_folder(value: str | None) -> None:
    from jax.experimental.compilation_cache import compilation_cache

    cache: Any = compilation_cache
    if value is not None:
        cache.initialize_cache(value)


def _set_gloo(value: bool) -> None:
    jax.config.update("jax_cpu_collectives_implementation", "gloo" if value else None)


def _set_cpu_devices(value: int) -> None:
    """By XLA's own flag, which it reads when its first client is made."""
    from jax._src import xla_bridge

    if xla_bridge._backends:
        raise RuntimeError("jax_num_cpu_devices must be set before JAX's backends are initialized")
    flags = os.environ.get("XLA_FLAGS", "").split()
    flags = [flag for flag in flags if "xla_force_host_platform_device_count" not in flag]
    if value > 0:
        flags.append(f"--xla_force_host_platform_device_count={value}")
    os.environ["XLA_FLAGS"] = " ".join(flags)


def _values(rows: list[str]) -> dict[str, Any]:
    found = dict(entry.split("=", 1) for row in rows for entry in row.split())
    return {name: ast.literal_eval(value) for name, value in found.items()}


@functools.cache
def _gone() -> dict[str, Any]:
    return _values([row for since, row in GONE if may_be_gone(since)])


@functools.cache
def _to_come() -> dict[str, Any]:
    return _values([row for since, row in CAME if not is_since(since)])


@functools.cache
def _known() -> dict[str, Any]:
    """What went and what is to come; of what both are, what it was when it went."""
    return {**_to_come(), **_gone()}


# What programs set one to that went and that can be set, or of which all values mean the same.
_set: dict[str, Any] = {}


def _is_read(name: str) -> bool:
    """Returns whether a program that finds it may set it as it likes, or it went."""
    return name in _gone() or (name in _to_come() and (name in _HINTS or _new_of(name) is not None))


def _value(name: str) -> Any:
    return _set.get(name, _known()[name])


def update(original: Callable) -> Callable:
    """Config.update"""

    @functools.wraps(original)
    def wrapper(self: Any, name: str, val: Any) -> Any:
        known = _known()
        if name not in known or name in self.values:
            return original(self, name, val)
        if (setter := _new_of(name)) is not None:
            setter(val)
        elif name not in _HINTS and val != known[name]:
            raise AttributeError(
                f"Unrecognized config option: {name}; jax {jax.__version__} does what its value "
                f"{known[name]!r} says, which callbridge.resurrect takes; got {val!r}"
            )
        _set[name] = val
        return None

    return wrapper


def read(original: Callable) -> Callable:
    """Config.read"""

    @functools.wraps(original)
    def wrapper(self: Any, name: str) -> Any:
        if name not in self.values and _is_read(name):
            return _value(name)
        return original(self, name)

    return wrapper


def attribute(self: Any, name: str) -> Any:
    """Config.__getattr__, which is asked for what it lacks."""
    if _is_read(name):
        return _value(name)
    raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name)
