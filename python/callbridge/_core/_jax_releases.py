"""The first and the last release of JAX that callbridge is tested with; needs no JAX."""

OLDEST = (0, 4, 13)
NEWEST = (0, 12, 0, 1)
