"""callbridge runs XLA custom calls of any ABI version on any runtime, unmodified.

callbridge.library    opens old binaries and runs their targets on NumPy arrays, without XLA
callbridge.numpy      the same, bound once and called often
callbridge.jax        runs them inside JAX programs
callbridge.resurrect  runs unmodified packages that need what JAX removed
callbridge.typing     the types of what these take and return

None of them is imported by this module, so `import callbridge` needs neither NumPy nor JAX.
"""

import sys

# For one that was not installed by pip, which asks before.
if sys.version_info < (3, 9):  # noqa: UP036
    raise ImportError(
        "callbridge needs Python 3.9 or newer, and this is "
        f"{sys.version_info[0]}.{sys.version_info[1]}: run it with a newer one",
        name=__name__,  # so that `python -m` says it without a traceback
    )

from callbridge._core._error import CallbridgeError

__all__ = ["CallbridgeError"]
__version__ = "0.1.0"
