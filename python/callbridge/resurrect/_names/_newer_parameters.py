"""Parameters that functions of JAX have got since: a call that passes one does the same here.

Most say by their default what an older JAX does: it is taken, and any other value is the TypeError
that JAX's own is. They are not shown in signatures, which programs ask whether they may pass more.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

from callbridge.resurrect._names._adapters import Adapter, becomes, dropped, renamed

# Module, the first release with them, functions, and what to do.
BY_HAND: list[tuple[str, str, str, tuple[Adapter, ...]]] = [
    ("jax.numpy", "0.4.30", "clip", (renamed("min", "a_min"), renamed("max", "a_max"))),
    ("jax.numpy", "0.4.30", "reshape", (renamed("shape", "newshape"),)),
    ("jax.numpy", "0.4.30", "std var", (becomes("correction", "ddof", lambda n: n),)),
    # The sort was stable.
    ("jax.numpy", "0.4.30", "argsort sort", (dropped("stable"),)),
    ("jax.numpy.linalg", "0.4.30", "pinv", (renamed("rtol", "rcond"),)),
    ("jax.scipy.stats.gennorm", "0.4.30", "cdf logpdf pdf", (renamed("beta", "p"),)),
    ("jax.lax", "0.4.30", "fori_loop", (dropped("unroll"),)),
    ("jax.lax", "0.4.30", "scan", (dropped("_split_transpose"),)),
]

# Module, the first release with them, functions, and each parameter with its default.
AT_DEFAULT = [
    (
        "jax.numpy",
        "0.4.30",
        "convolve correlate dot inner matmul tensordot vdot",
        "preferred_element_type=None",
    ),
    ("jax.numpy", "0.12.0.1", "histogram", "out_sharding=None"),
    ("jax.nn", "0.12.0.1", "one_hot", "out_sharding=None"),
    ("jax.lax", "0.12.0.1", "erfc", "accuracy=None"),
    ("jax.lax", "0.12.0.1", "top_k", "is_stable=True"),
    ("jax.random", "0.12.0.1", "beta chisquare gamma loggamma poisson", "method='exact'"),
    ("jax", "0.12.0.1", "linearize vjp", "in_nzs=None"),
    ("jax", "0.12.0.1", "custom_gradient", "remat=False with_accums=None with_logs=False"),
    ("jax.lax", "0.12.0.1", "reduce_max reduce_min", "out_sharding=None"),
    ("jax", "0.4.34", "device_put", "donate=False may_alias=None"),
    ("jax", "0.5.3", "make_array_from_callback make_array_from_single_device_arrays", "dtype=None"),
    ("jax", "0.9.2", "vmap", "sum_match=False"),
    ("jax.lax", "0.4.30", "full full_like", "sharding=None"),
    (
        "jax.lax",
        "0.5.3",
        "broadcast broadcast_in_dim broadcasted_iota dot_general reshape",
        "out_sharding=None",
    ),
    (
        "jax.lax",
        "0.5.3",
        "dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim dynamic_update_index_in_dim "
        "dynamic_update_slice dynamic_update_slice_in_dim",
        "allow_negative_indices=True",
    ),
    ("jax.lax", "0.5.3", "ragged_all_to_all", "axis_index_groups=None"),
    (
        "jax.lax",
        "0.6.2",
        "cbrt cos exp exp2 expm1 log log1p logistic rsqrt sin sqrt tan tanh",
        "accuracy=None",
    ),
    ("jax.lax", "0.6.2", "rng_bit_generator", "out_sharding=None"),
    ("jax.lax", "0.7.2", "conv_general_dilated dot", "out_sharding=None"),
    ("jax.lax", "0.7.2", "dot", "dimension_numbers=None"),
    ("jax.lax", "0.8.3", "reduce reduce_sum", "out_sharding=None"),
    ("jax.lax", "0.8.3", "top_k", "axis=-1"),
    ("jax.lax", "0.9.2", "conv_transpose", "use_consistent_padding=False"),
    ("jax.lax", "0.10.2", "dce_sink", "prevent_mlir_dce=False"),
    ("jax.lax", "0.10.2", "mul", "out_dtype=None"),
    ("jax.lax", "0.10.2", "ragged_dot ragged_dot_general", "out_sharding=None"),
    ("jax.lax.linalg", "0.4.30", "eigh svd", "subset_by_index=None"),
    ("jax.lax.linalg", "0.4.38", "eig", "use_magma=None"),
    ("jax.lax.linalg", "0.4.38", "svd", "algorithm=None"),
    ("jax.lax.linalg", "0.5.3", "qr", "pivoting=False use_magma=None"),
    ("jax.lax.linalg", "0.8.3", "eig eigh", "implementation=None"),
    ("jax.lax.linalg", "0.10.2", "eig", "enable_eigvec_derivs=False"),
    ("jax.lax.linalg", "0.10.2", "tridiagonal_solve", "perturb_singular=False"),
    ("jax.nn", "0.4.30", "logsumexp", "where=None"),
    (
        "jax.nn",
        "0.4.34",
        "dot_product_attention",
        "query_seq_lengths=None key_value_seq_lengths=None local_window_size=None",
    ),
    ("jax.nn", "0.8.3", "dot_product_attention", "return_residual=False"),
    ("jax.nn.initializers", "0.7.2", "ones zeros", "out_sharding=None"),
    ("jax.numpy", "0.4.30", "argsort sort", "descending=False"),
    ("jax.numpy", "0.4.30", "compress extract", "size=None fill_value=0"),
    ("jax.numpy", "0.4.30", "take_along_axis", "fill_value=None"),
    ("jax.numpy", "0.4.30", "unique", "equal_nan=True"),
    (
        "jax.numpy",
        "0.4.34",
        "add bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor multiply "
        "negative",
        "out=None where=None",
    ),
    ("jax.numpy", "0.4.34", "digitize", "method=None"),
    ("jax.numpy", "0.4.34", "intersect1d setxor1d", "size=None fill_value=None"),
    ("jax.numpy", "0.4.34", "isin", "method='auto'"),
    ("jax.numpy", "0.4.38", "logaddexp logaddexp2 subtract", "out=None where=None"),
    ("jax.numpy", "0.5.3", "einsum", "out_sharding=None"),
    ("jax.numpy", "0.5.3", "unique", "sorted=True"),
    ("jax.numpy", "0.6.2", "broadcast_to dot ravel repeat reshape", "out_sharding=None"),
    ("jax.numpy", "0.6.2", "maximum minimum", "out=None where=None"),
    ("jax.numpy", "0.7.2", "arange empty matmul ones tensordot zeros", "out_sharding=None"),
    ("jax.numpy", "0.8.3", "array asarray ones_like zeros_like", "out_sharding=None"),
    ("jax.numpy", "0.8.3", "corrcoef cov", "dtype=None"),
    ("jax.numpy", "0.8.3", "nanstd nanvar std var", "mean=None"),
    ("jax.numpy", "0.8.3", "trim_zeros", "axis=None"),
    ("jax.numpy", "0.9.2", "argsort ravel_multi_index", "dtype=None"),
    ("jax.numpy", "0.10.2", "bincount full full_like percentile", "out_sharding=None"),
    ("jax.numpy", "0.10.2", "nanpercentile nanquantile percentile quantile", "weights=None"),
    ("jax.numpy", "0.10.2", "take_along_axis", "wrap_negative_indices=None"),
    ("jax.numpy.linalg", "0.4.30", "cholesky", "upper=False"),
    ("jax.numpy.linalg", "0.4.30", "svd", "subset_by_index=None"),
    ("jax.numpy.linalg", "0.6.2", "cholesky eigvalsh", "symmetrize_input=True"),
    ("jax.numpy.linalg", "0.7.2", "tensordot", "out_sharding=None"),
    ("jax.numpy.linalg", "0.10.2", "matrix_rank", "hermitian=False"),
    ("jax.ops", "0.10.2", "segment_max segment_min segment_prod segment_sum", "out_sharding=None"),
    ("jax.random", "0.4.30", "PRNGKey key", "impl=None"),
    ("jax.random", "0.5.3", "categorical", "replace=True"),
    ("jax.random", "0.5.3", "gumbel", "mode=None"),
    ("jax.random", "0.5.3", "orthogonal", "m=None"),
    ("jax.random", "0.6.2", "bernoulli", "mode='low'"),
    (
        "jax.random",
        "0.6.2",
        "bits normal permutation randint truncated_normal uniform",
        "out_sharding=None",
    ),
    ("jax.random", "0.6.2", "categorical choice", "mode=None"),
    ("jax.random", "0.7.2", "gumbel", "out_sharding=None"),
    ("jax.random", "0.8.3", "bernoulli", "out_sharding=None"),
    (
        "jax.random",
        "0.10.2",
        "ball beta categorical cauchy chisquare dirichlet exponential f gamma "
        "generalized_normal geometric laplace loggamma logistic lognormal maxwell "
        "multivariate_normal orthogonal pareto poisson rademacher rayleigh t triangular wald",
        "out_sharding=None",
    ),
    ("jax.random", "0.10.2", "key wrap_key_data", "dtype=None"),
    ("jax.scipy.linalg", "0.10.2", "eigh_tridiagonal", "key=None"),
    ("jax.scipy.special", "0.4.30", "logsumexp", "where=None"),
    (
        "jax.tree",
        "0.6.2",
        "flatten_with_path leaves_with_path map_with_path",
        "is_leaf_takes_path=False",
    ),
    ("jax.tree_util", "0.4.30", "tree_all", "is_leaf=None"),
    ("jax.tree_util", "0.4.38", "register_pytree_node", "flatten_with_keys_func=None"),
    ("jax.tree_util", "0.5.3", "keystr", "simple=False separator=''"),
    (
        "jax.tree_util",
        "0.6.2",
        "tree_flatten_with_path tree_leaves_with_path tree_map_with_path",
        "is_leaf_takes_path=False",
    ),
]


def rows() -> Iterator[tuple[str, str, str, tuple[Adapter, ...]]]:
    yield from BY_HAND
    for module, release, functions, parameters in AT_DEFAULT:
        entries = [entry.partition("=") for entry in parameters.split()]
        adapters = tuple(at_default(name, value) for name, _, value in entries)
        yield module, release, functions, adapters


# A default of the table, read when it is asked for: reading them all took longer than all the
# rest of the package's import.
_value = functools.cache(ast.literal_eval)


def at_default(parameter: str, text: str) -> Adapter:
    """Drops the parameter where it is what it is without being passed."""

    def adapt(function: str, args: tuple, keywords: dict) -> tuple:
        if parameter in keywords:
            value, default = keywords.pop(parameter), _value(text)
            if not (value is default or (type(value) is type(default) and value == default)):
                raise TypeError(
                    f"{function.rpartition('.')[2]}() got an unexpected keyword argument "
                    f"{parameter!r}; jax {jax.__version__} does what {parameter}={default!r} says, "
                    "which callbridge.resurrect takes"
                )
        return args

    return adapt


def on_device(original: Callable) -> Callable | None:
    """Takes the device, or the sharding, that the array is made on."""
    if "device" in inspect.signature(original).parameters:
        return None

    @functools.wraps(original)
    def wrapper(*args: Any, device: Any = None, **keywords: Any) -> Any:
        made = original(*args, **keywords)
        return made if device is None else jax.device_put(made, device)

    return wrapper


def in_batches(original: Callable) -> Callable | None:
    """lax.map, of as many elements at a time as batch_size says."""
    if "batch_size" in inspect.signature(original).parameters:
        return None

    @functools.wraps(original)
    def wrapper(f: Callable, xs: Any, *, batch_size: int | None = None) -> Any:
        if batch_size is None:
            return original(f, xs)
        count = len(jax.tree_util.tree_leaves(xs)[0])
        whole = count // batch_size * batch_size
        parts = []
        if whole:
            batches = _each(xs, lambda x: x[:whole].reshape(-1, batch_size, *x.shape[1:]))
            mapped = original(jax.vmap(f), batches)
            parts.append(_each(mapped, lambda y: y.reshape(whole, *y.shape[2:])))
        if whole < count:
            parts.append(jax.vmap(f)(_each(xs, lambda x: x[whole:])))
        return jax.tree_util.tree_map(lambda *ys: jnp.concatenate(ys), *parts)

    return wrapper


def _each(tree: Any, function: Callable) -> Any:
    return jax.tree_util.tree_map(lambda leaf: function(jnp.asarray(leaf)), tree)
