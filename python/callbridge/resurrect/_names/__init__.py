"""The names that JAX removed or that an older JAX lacks, and how a program gets them."""
