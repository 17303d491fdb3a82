"""The GPU rows of the grid, as data: what people call each, the function of gpu_cell.py that fills
its cells, and the library of tests/gpu/targets that it calls."""

from typing import NamedTuple

import jax_releases


class Row(NamedTuple):
    what: str
    name: str
    library: str = "untyped.so"


UNTYPED = (
    Row("GPU ORIGINAL, array operands", "original"),
    Row("GPU ORIGINAL, nested tuple operand, tuple result", "tuples"),
    Row("GPU ORIGINAL, leaves without elements", "zero_size"),
    Row("GPU STATUS_RETURNING, success and failure", "status_returning"),
    Row("GPU STATUS_RETURNING with binary opaque", "opaque"),
    Row("GPU ORIGINAL, a result in an operand's buffer, donation", "aliases"),
    Row("GPU ORIGINAL on each of two devices, and in shard_map", "devices"),
    Row("GPU ORIGINAL in while and scan", "control_flow"),
    Row("GPU ORIGINAL in vmap, with a derivative, and exported", "transforms"),
)
TYPED = "GPU TYPED_FFI handler built with {}"
GENUINE = TYPED.format("the genuine headers of jaxlib {}")
ROWS = (
    *UNTYPED,
    Row(TYPED.format("this project's headers"), "typed", "typed_ours.so"),
    Row("GPU function with CALLBRIDGE_EXPORT", "exported", "exported.so"),
)


def genuine_rows(releases):
    """The row of handlers built with XLA's own headers of these releases, one for each library."""
    return tuple(
        Row(
            TYPED.format(f"the genuine headers of jaxlib {release}"), "typed", f"typed_{release}.so"
        )
        for release in releases
    )


def built_genuine_rows(build):
    """Those of the libraries that are built: of a sample of the releases, or all."""
    releases = (build / "tests/ffi_releases.txt").read_text().split()
    assert {*releases} <= {*jax_releases.WITH_HEADERS}
    return genuine_rows(releases)
