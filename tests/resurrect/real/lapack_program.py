"""Calls all targets of jaxlib 0.4.13's _lapack.so, given as an argument, through callbridge.jax.

The operands are those that jaxlib 0.4.13's lowering rules emit: scalars first, matrices
column-major, workspaces among the results. The results are compared with SciPy's and NumPy's, or
put together again.
"""

import importlib.util
import sys

import jax

jax.config.update("jax_enable_x64", True)

import callbridge.jax  # noqa: E402
import numpy as np  # noqa: E402
import scipy.linalg  # noqa: E402

spec = importlib.util.spec_from_file_location("_lapack", sys.argv[1])
_lapack = importlib.util.module_from_spec(spec)
spec.loader.exec_module(_lapack)
_lapack.initialize()
targets = _lapack.registrations()
for target, capsule in targets.items():
    # Older JAX has functions of its own by these names.
    callbridge.jax.register(f"0.4.13 {target}", capsule, platform="cpu")

B, M, N = 2, 5, 4
TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
COLUMN_MAJOR = (0, 2, 1)
random = np.random.default_rng(4)
called = set()


class Routine:
    """One type's variants of the routines."""

    def __init__(self, letter):
        self.letter = letter
        self.dtype = np.dtype(TYPES[letter])
        self.real = np.finfo(self.dtype).dtype
        self.is_complex = self.dtype.kind == "c"
        self.tolerance = 100 * np.finfo(self.dtype).eps

    def random(self, *shape):
        array = random.standard_normal((B, *shape))
        if self.is_complex:
            array = array + 1j * random.standard_normal(array.shape)
        return array.astype(self.dtype)

    def hermitian(self):
        a = self.random(N, N)
        return (a + dagger(a)).astype(self.dtype)

    def work(self, size, dtype=None):
        return jax.ShapeDtypeStruct((size,), dtype or self.dtype)

    def batch(self, *shape, dtype=None):
        return jax.ShapeDtypeStruct((B, *shape), dtype or self.dtype)

    def info(self):
        return jax.ShapeDtypeStruct((B,), np.int32)

    def close(self, value, expected):
        np.testing.assert_allclose(value, expected, rtol=self.tolerance, atol=self.tolerance * 10)

    def call(self, target, scalars, arrays, results, aliases=None, abi="status_returning"):
        """`scalars` come before `arrays`, and matrices are column-major."""
        operands = [*scalars, *arrays]
        run = callbridge.jax.custom_call(
            f"0.4.13 {target}",
            results if len(results) > 1 else results[0],
            abi=abi,
            input_layouts=[_layout(operand) for operand in operands],
            output_layouts=[_layout(result) for result in results]
            if len(results) > 1
            else _layout(results[0]),
            input_output_aliases=aliases,
        )
        called.add(target)
        values = jax.jit(run)(*operands)
        return [np.asarray(v) for v in (values if len(results) > 1 else [values])]


def _layout(array):
    rank = len(array.shape)
    return COLUMN_MAJOR if rank == 3 else tuple(range(rank))


def dagger(a):
    return np.conj(np.swapaxes(a, -1, -2))


def s32(*values):
    return [np.int32(value) for value in values]


def trsm(r):
    a, b = np.tril(r.random(M, M)) + 4 * np.eye(M, dtype=r.dtype), r.random(M, N)
    scalars = [*s32(1, 1, 0, 0, M, N, B), r.dtype.type(1)]
    (x,) = r.call(f"blas_{r.letter}trsm", scalars, [a, b], (r.batch(M, N),), {9: 0})
    r.close(a @ x, b)


def getrf(r):
    a = r.random(M, N)
    results = (r.batch(M, N), r.batch(N, dtype=np.int32), r.info())
    lu, pivots, info = r.call(f"lapack_{r.letter}getrf", s32(B, M, N), [a], results, {3: 0})
    (own,) = scipy.linalg.get_lapack_funcs(("getrf",), (a[0],))
    for i in range(B):
        expected, own_pivots, _ = own(a[i])
        r.close(lu[i], expected)
        np.testing.assert_array_equal(pivots[i], own_pivots + 1)  # LAPACK counts from 1
    assert not info.any()


def geqrf_orgqr(r):
    a = r.random(M, N)
    size = getattr(_lapack, f"lapack_{r.letter}geqrf_workspace")(M, N)
    results = (r.batch(M, N), r.batch(N), r.info(), r.work(size))
    qr, tau, info, _ = r.call(f"lapack_{r.letter}geqrf", s32(B, M, N, size), [a], results, {4: 0})
    name = f"{r.letter}{'ungqr' if r.is_complex else 'orgqr'}"
    size = getattr(_lapack, f"lapack_{name}_workspace")(M, N, N)
    results = (r.batch(M, N), r.info(), r.work(size))
    q, q_info, _ = r.call(f"lapack_{name}", s32(B, M, N, N, size), [qr, tau], results, {5: 0})
    assert not info.any() and not q_info.any()
    r.close(q @ np.triu(qr[:, :N]), a)
    r.close(dagger(q) @ q, np.broadcast_to(np.eye(N), (B, N, N)))


def potrf(r):
    a = r.random(N, N)
    a = (a @ dagger(a) + 4 * np.eye(N)).astype(r.dtype)
    results = (r.batch(N, N), r.info())
    factor, info = r.call(f"lapack_{r.letter}potrf", s32(1, B, N), [a], results, {3: 0})
    lower = np.tril(factor)
    assert not info.any()
    r.close(lower, np.linalg.cholesky(a))
    indefinite = a - 100 * np.eye(N, dtype=r.dtype)
    _, info = r.call(f"lapack_{r.letter}potrf", s32(1, B, N), [indefinite], results, {3: 0})
    assert (info == 1).all()


def gesdd(r):
    a = r.random(M, N)
    size = getattr(_lapack, f"{r.letter}gesdd_work_size")(M, N, True, True)
    work = [r.work(_lapack.gesdd_iwork_size(M, N), np.int32)]
    if r.is_complex:
        work.append(r.work(_lapack.cgesdd_rwork_size(M, N, 1), r.real))
    results = (
        r.batch(M, N),
        r.batch(N, dtype=r.real),
        r.batch(M, M),
        r.batch(N, N),
        r.info(),
        *work,
        r.work(size),
    )
    scalars = s32(1, 1, B, M, N, size)
    _, s, u, vt, info, *_ = r.call(f"lapack_{r.letter}gesdd", scalars, [a], results, {6: 0})
    assert not info.any()
    r.close(s, np.linalg.svd(a, compute_uv=False))
    r.close((u[:, :, :N] * s[:, None, :]) @ vt, a)


def syevd(r):
    a = r.hermitian()
    if r.is_complex:
        name = f"{r.letter}heevd"
        work = [r.work(_lapack.heevd_work_size(N)), r.work(_lapack.heevd_rwork_size(N), r.real)]
    else:
        name = f"{r.letter}syevd"
        work = [r.work(_lapack.syevd_work_size(N))]
    work.append(r.work(_lapack.syevd_iwork_size(N), np.int32))
    results = (r.batch(N, N), r.batch(N, dtype=r.real), r.info(), *work)
    v, w, info, *_ = r.call(f"lapack_{name}", s32(1, B, N), [a], results, {3: 0})
    assert not info.any()
    r.close(w, np.linalg.eigvalsh(a))
    r.close(a @ v, v * w[:, None, :])


def geev(r):
    a = r.random(N, N)
    vectors = np.result_type(r.dtype, np.complex64)
    square = jax.ShapeDtypeStruct((N, N), r.dtype)
    if r.is_complex:
        results = [square, r.work(2 * N, r.real), r.batch(N)]
    else:
        results = [square, square, square, r.batch(N), r.batch(N)]
    results += [r.batch(N, N, dtype=vectors), r.batch(N, N, dtype=vectors), r.info()]
    scalars = [*s32(B, N), np.uint8(ord("V")), np.uint8(ord("V"))]
    *values, left, right, info = r.call(f"lapack_{r.letter}geev", scalars, [a], tuple(results))
    w = values[2] if r.is_complex else values[3] + 1j * values[4]
    assert not info.any()
    r.close(a @ right, right * w[:, None, :])
    r.close(dagger(left) @ a, w[:, :, None] * dagger(left))
    r.close(np.sort_complex(w), np.sort_complex(np.linalg.eigvals(a)))


def gees(r):
    a = r.random(N, N)
    if r.is_complex:
        results = (r.batch(N, N), r.work(N, r.real), r.batch(N))
    else:
        results = (r.batch(N, N), r.batch(N), r.batch(N))
    results += (r.batch(N, N), r.info(), r.info())
    scalars = [*s32(B, N), np.uint8(ord("V")), np.uint8(ord("N"))]
    t, *_, z, _, info = r.call(f"lapack_{r.letter}gees", scalars, [a], results, {4: 0})
    assert not info.any()
    assert np.abs(np.tril(t, -2)).max() == 0
    r.close(z @ t @ dagger(z), a)


def gehrd(r):
    a = r.random(N, N)
    size = getattr(_lapack, f"lapack_{r.letter}gehrd_workspace")(N, N, 1, N)
    results = (r.batch(N, N), r.batch(N - 1), r.info(), r.work(size))
    scalars = s32(N, 1, N, N, B, size)
    h, tau, info, _ = r.call(f"lapack_{r.letter}gehrd", scalars, [a], results, {6: 0})
    (own,) = scipy.linalg.get_lapack_funcs(("gehrd",), (a[0],))
    for i in range(B):
        expected, own_tau, _ = own(a[i])
        r.close(h[i], expected)
        r.close(tau[i], own_tau)
    assert not info.any()


def sytrd(r):
    a = r.hermitian()
    name = f"{r.letter}{'hetrd' if r.is_complex else 'sytrd'}"
    size = getattr(_lapack, f"lapack_{name}_workspace")(N, N)
    results = (
        r.batch(N, N),
        r.batch(N, dtype=r.real),
        r.batch(N - 1, dtype=r.real),
        r.batch(N - 1),
        r.info(),
        r.work(size),
    )
    scalars = s32(N, 1, N, B, size)
    _, d, e, _, info, _ = r.call(f"lapack_{name}", scalars, [a], results, {5: 0})
    assert not info.any()
    for i in range(B):
        tridiagonal = np.diag(d[i]) + np.diag(e[i], 1) + np.diag(e[i], -1)
        r.close(np.linalg.eigvalsh(tridiagonal), np.linalg.eigvalsh(a[i]))


for letter in TYPES:
    for routine in (trsm, getrf, geqrf_orgqr, potrf, gesdd, syevd, geev, gees, gehrd, sytrd):
        routine(Routine(letter))
assert called == set(targets), f"not called: {sorted(set(targets) - called)}"
print(f"{len(called)} targets")
