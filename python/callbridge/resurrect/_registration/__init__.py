"""What programs register with JAX, given to XLA so that it can call it."""
