"""The tests of tests/jax and tests/resurrect that are not run on a GPU, each with the reason.

A name is how the ids of tests begin: those of a file, of a function, or of some of its cases.
"""

NCCL = "XLA:GPU gathers and sums by NCCL, for which the driver's stand-in has none"
SAME_ABI = "GPU functions of all versions are called alike, so that none has to be declared"
AS_GPU = "it is about CPU's functions and tables; a GPU function gets a list of arrays"
OPERATOR_INFO = "it is about operator information for CPU, and callbridge.numpy on CPU"
OF_CPU = "what it calls was compiled for CPU"
ON_HOST = "it registers for CPU what reads host memory; tests/gpu registers on CUDA"
OF_LIBRARIES = (
    "some of them are calls of cuFFT, cuSOLVER and cuDNN or for tensor cores, for which the "
    "driver's stand-in has none"
)
OF_LIBDEVICE = "XLA:GPU of 0.12 compiles sin by CUDA's libdevice"
KEPT_BY_JAX = "a plugin that has started does not tell what is registered with it"

NOT_ON_GPU = {
    "tests/jax/test_uses_devices.py::test_shard_map_with_what_is_the_same_everywhere": NCCL,
    "tests/jax/test_uses_devices.py::test_sharded_jit": NCCL,
    "tests/jax/test_uses_devices.py::test_sharded_operands": NCCL,
    "tests/jax/test_uses_distributed.py": NCCL,
    "tests/jax/test_uses_batches.py::test_what_is_not_a_batch_is_whole": NCCL,
    "tests/jax/test_uses_batches.py::test_parts_of_unequal_size": NCCL,
    "tests/jax/test_uses_batches.py::test_vmap_one_by_one_of_a_split_batch": NCCL,
    "tests/jax/test_uses_batches.py::test_eight_devices": "the stand-in is told to have four",
    "tests/jax/test_scratch.py": ON_HOST,
    "tests/jax/test_custom_call.py::test_abi_must_be_known_or_declared": SAME_ABI,
    "tests/jax/test_custom_call.py::test_declared_abi_must_agree": SAME_ABI,
    "tests/jax/test_custom_call.py::test_malformed_descriptors[version_3": AS_GPU,
    "tests/jax/test_custom_call.py::test_vmap_as_before_it_had_methods": (
        "a GPU function that copies its first array finds the result behind one operand alone"
    ),
    "tests/jax/test_each_release.py::test_an_opaque_that_no_target_reads_makes_no_descriptor": (
        "GPU functions of each version read the opaque"
    ),
    "tests/jax/test_each_release.py::test_names_on_each_platform": KEPT_BY_JAX,
    "tests/jax/test_bad_input.py::test_bad_input[functions_that_cannot_be_told": SAME_ABI,
    "tests/jax/test_bad_input.py::test_bad_input[typed_handlers_as_untyped": SAME_ABI,
    "tests/jax/test_bad_input.py::test_bad_input[typed_handlers_of_another_macro_for_a_gpu": (
        "it is about targets for a GPU where there is none"
    ),
    "tests/jax/test_bad_input.py::test_names_that_jax_has[names_that": KEPT_BY_JAX,
    "tests/jax/test_operator_info": OPERATOR_INFO,
    "tests/resurrect/test_bad_input.py::test_two_packages_that_bring_one_name": ON_HOST,
    "tests/resurrect/test_bad_input.py::test_while_others_use_it": ON_HOST,
    "tests/resurrect/test_lapack.py": OF_CPU,
    "tests/resurrect/test_jax_ffi.py": ON_HOST,
    "tests/resurrect/test_registration.py": ON_HOST,
    "tests/resurrect/test_symptoms.py": ON_HOST,
    "tests/resurrect/test_tokens.py": ON_HOST,
    "tests/resurrect/test_names.py::test_operations": OF_LIBRARIES,
    "tests/resurrect/test_names.py::test_functions_that_took_lists": OF_LIBRARIES,
    "tests/resurrect/test_operations.py::test_operations_with_computations": OF_LIBRARIES,
    "tests/resurrect/test_operations.py::test_each_old_operation": OF_LIBRARIES,
    "tests/resurrect/test_names.py::test_lost_parameters_and_attributes": OF_LIBDEVICE,
    "tests/resurrect/test_names.py::test_star_imports_have_them_too": OF_LIBDEVICE,
    "tests/resurrect/test_names.py::test_what_is_elsewhere_does_what_it_did": (
        "plugins of 0.10 take programs as StableHLO, without an operation of MHLO"
    ),
    "tests/resurrect/test_real_packages.py": OF_CPU,
    "tests/resurrect/test_names.py::test_wrapped_names_do_the_same": OF_CPU,
    "tests/resurrect/test_names.py::test_refusals": SAME_ABI,
    "tests/jax/test_runtimes.py::test_nothing_is_logged": (
        "some plugins log what the stand-in for NVML lacks"
    ),
    "tests/jax/test_command_buffers.py": (
        "it asks what JAX has for a plugin that is not there; tests/gpu/test_command_buffers.py "
        "asks the plugin"
    ),
}


def reason_of(test):
    """Why the test of that id is left out; None if it is not."""
    return next((why for name, why in NOT_ON_GPU.items() if test.startswith(name)), None)
