"""Returns and losses of reinforcement learning with rlax; NumPy's loops are the measure."""

import jax
import jax.numpy as jnp
import numpy as np
import rlax
from checks import check, report

random = np.random.default_rng(4)
rewards, values = random.normal(size=(2, 6)).astype(np.float32)
discounts = np.full(6, 0.9, np.float32)


def lambda_returns(mix):
    expected, after = np.zeros(6), values[-1]
    for t in reversed(range(6)):
        after = rewards[t] + 0.9 * ((1 - mix) * values[t] + mix * after)
        expected[t] = after
    return expected


check(jax.jit(rlax.lambda_returns)(rewards, discounts, values, 0.7), lambda_returns(0.7), rtol=1e-4)
check(rlax.discounted_returns(rewards, discounts, values), lambda_returns(1.0), rtol=1e-4)
check(rlax.td_learning(1.0, 2.0, 0.5, 3.0), 2.5, rtol=1e-6)
check(rlax.q_learning(jnp.array([1.0, 2]), 1, 0.5, 0.9, jnp.array([3.0, 4])), 0.5 + 3.6 - 2, 1e-5)
check(rlax.l2_loss(jnp.array([1.0, -2])), [0.5, 2], rtol=1e-6)
check(jax.grad(lambda x: 5 * rlax.clip_gradient(x, -1, 1))(2.0), 1, rtol=1e-6)

# On policy, and without clipping, vtrace's errors are those of returns to the end.
ratios = np.ones(6, np.float32)
before = np.concatenate([[0.3], values[:-1]]).astype(np.float32)
errors = rlax.vtrace(before, values, rewards, discounts, ratios)
check(errors + before, lambda_returns(1.0), rtol=1e-4, atol=1e-5)
projected = rlax.categorical_l2_project(
    jnp.array([0.5, 1.5]), jnp.array([0.4, 0.6]), jnp.arange(3.0)
)
check(projected, [0.2, 0.5, 0.3], rtol=1e-5)
report()
