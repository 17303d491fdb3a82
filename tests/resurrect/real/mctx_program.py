"""Searches trees with mctx; the values of the actions are known."""

import functools

import jax
import jax.numpy as jnp
import mctx
import numpy as np
from checks import check, report

rewards = jnp.array([0.1, 0.9, 0.4, 0.2])


def recurrent(params, key, action, embedding):
    batch = action.shape[0]
    output = mctx.RecurrentFnOutput(
        reward=rewards[action],
        discount=jnp.zeros(batch),
        prior_logits=jnp.zeros((batch, 4)),
        value=jnp.zeros(batch),
    )
    return output, embedding


root = mctx.RootFnOutput(
    prior_logits=jnp.zeros((3, 4)), value=jnp.zeros(3), embedding=jnp.zeros((3, 1))
)
for policy in (
    mctx.gumbel_muzero_policy,
    functools.partial(mctx.muzero_policy, dirichlet_fraction=0.0),
):
    search = jax.jit(
        lambda key, policy=policy: policy(
            params=(), rng_key=key, root=root, recurrent_fn=recurrent, num_simulations=64
        )
    )
    output = search(jax.random.PRNGKey(3))
    check(np.sum(output.action_weights, axis=1), np.ones(3), rtol=1e-5)
    summary = output.search_tree.summary()
    check(summary.visit_counts.sum(1), 64 * np.ones(3))
    check(summary.qvalues, np.tile(rewards, (3, 1)), rtol=1e-5)
    check(np.argmax(output.action_weights, axis=1), np.ones(3))
report()
