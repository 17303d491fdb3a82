"""Functions and classes of past and of later releases of JAX, made of those that this one has."""
