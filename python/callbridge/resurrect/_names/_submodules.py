"""Submodules that a program reaches as attributes though it imports none of them.

JAX's releases differ in what `import jax`, or the import of another module, leaves in place: each
of these was there on one of them, and is imported here when a program asks for it.
"""

# By package.
ROWS = {
    "jax": (
        "abstract_arrays api_util core custom_batching custom_derivatives custom_transpose "
        "debug distributed dlpack dtypes errors experimental export ffi flatten_util image "
        "interpreters lax lib linear_util memory monitoring nn numpy ops profiler random ref "
        "scipy sharding stages tree tree_util typing util"
    ),
    "jax.experimental": "compilation_cache mesh_utils multihost_utils pjit shard_map x64_context",
    "jax.experimental.array_api": "fft linalg",
    "jax.experimental.compilation_cache": "compilation_cache",
    "jax.experimental.sparse": "ad api bcoo bcsr coo csr linalg random transform util",
    "jax.extend": "backend core ffi linear_util lowering mlir random sharding source_info_util xla",
    "jax.extend.core": "primitives",
    "jax.interpreters": "ad batching mlir partial_eval pxla xla",
    "jax.lax": "linalg",
    "jax.lib": "xla_bridge xla_client xla_extension",
    "jax.nn": "initializers",
    "jax.numpy": "fft linalg",
    "jax.scipy": "cluster fft integrate interpolate linalg ndimage signal sparse special stats",
    "jax.scipy.cluster": "vq",
    "jax.scipy.sparse": "linalg",
    "jax.scipy.stats": (
        "bernoulli beta betabinom binom cauchy chi2 dirichlet expon gamma gennorm geom "
        "gumbel_l gumbel_r laplace logistic multinomial multivariate_normal nbinom norm "
        "pareto poisson t truncnorm uniform vonmises wrapcauchy"
    ),
}
