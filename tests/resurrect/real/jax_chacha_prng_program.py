"""Draws random bits with jax-chacha-prng, by its native custom call; the measure is ChaCha20, in
NumPy, and what the package draws with its implementation in JAX."""

import chacha.cipher as cipher
import chacha.random as random
import jax
import numpy as np
from chacha import native
from checks import check, report

LEFT = (16, 12, 8, 7)
# The quarter rounds of two rounds: columns, then diagonals.
QUARTERS = (
    *((i, 4 + i, 8 + i, 12 + i) for i in range(4)),
    *((i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4) for i in range(4)),
)


def block(state):
    """The block function of RFC 8439, of 16 words."""
    x = state.astype(np.uint32).copy()

    def add_and_turn(a, b, c, bits):
        x[a] += x[b]
        mixed = x[c] ^ x[a]
        x[c] = (mixed << np.uint32(bits)) | (mixed >> np.uint32(32 - bits))

    for _ in range(10):
        for a, b, c, d in QUARTERS:
            add_and_turn(a, b, d, LEFT[0])
            add_and_turn(c, d, b, LEFT[1])
            add_and_turn(a, b, d, LEFT[2])
            add_and_turn(c, d, b, LEFT[3])
    return x + state.astype(np.uint32)


key = random.PRNGKey(7)
state = np.asarray(key).reshape(16)
for counter in (0, 1, 5):
    moved = state.copy()
    moved[12] += np.uint32(counter)
    made = cipher._block(cipher.increase_counter(key, counter))
    check(np.asarray(made).reshape(16), block(moved))
bits = np.asarray(random.random_bits(key, 32, (40,)))
moved = state.copy()
drawn = []
for counter in range(3):
    moved[12] = state[12] + np.uint32(counter)
    drawn.append(block(moved))
check(bits, np.concatenate(drawn)[:40])
check(jax.jit(lambda key: random.random_bits(key, 32, (40,)))(key), bits)
for width in (8, 16):
    check(
        np.asarray(random.random_bits(key, width, (4,))).view(np.uint8),
        bits[:width].view(np.uint8)[: width // 2],
    )
first, second = random.split(key)
assert not np.array_equal(first, second)
both = jax.vmap(lambda key: random.random_bits(key, 32, (4,)))(jax.numpy.stack([first, second]))
check(both[1], random.random_bits(second, 32, (4,)))
uniform = np.asarray(random.uniform(key, (2000,)))
assert 0 <= uniform.min() and uniform.max() < 1
check(uniform.mean(), 0.5, atol=0.03)
assert native is not None
report()
