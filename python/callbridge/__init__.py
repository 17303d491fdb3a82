"""callbridge runs XLA custom calls of any ABI version on any runtime, unmodified.

callbridge.library   opens old binaries and runs their targets on NumPy arrays, without XLA
callbridge.jax       runs them inside JAX programs

Neither is imported by this module, so `import callbridge` needs neither NumPy nor JAX.
"""

from callbridge._error import CallbridgeError

__all__ = ["CallbridgeError"]
__version__ = "0.1.0"
