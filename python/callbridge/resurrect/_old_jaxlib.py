"""What jaxlib's modules for GPUs said of them."""

# Whether programs may register the module's lowerings of sparse matrices, which jaxlib removed: a
# handler that JAX registers itself is in their place.
cuda_is_supported = False
rocm_is_supported = False
