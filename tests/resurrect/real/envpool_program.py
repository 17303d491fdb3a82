"""Steps environments of envpool inside jax.jit, by its custom calls, which keep state and a handle.

The measure is the motion of a cart and its pole, and of a car in a valley, as gym defines them. By
itself envpool gives NumPy arrays of wrong strides where NumPy is of version 2.
"""

import sys

import gymnasium
import jax
import numpy as np

sys.modules["gym"] = gymnasium  # its name since 2022; of gym there is no wheel

import envpool  # noqa: E402
from checks import check, report  # noqa: E402


def cart(state, action):
    """CartPole's motion in 0.02 s."""
    x, speed, angle, turn = state.astype(np.float64)
    force = np.where(action == 1, 10.0, -10.0)
    part = (force + 0.05 * turn**2 * np.sin(angle)) / 1.1
    fall = (9.8 * np.sin(angle) - np.cos(angle) * part) / (
        0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1)
    )
    push = part - 0.05 * fall * np.cos(angle) / 1.1
    return np.stack(
        [x + 0.02 * speed, speed + 0.02 * push, angle + 0.02 * turn, turn + 0.02 * fall]
    )


def car(state, action):
    """MountainCar's."""
    x, speed = state.astype(np.float64)
    speed = np.clip(speed + (action - 1) * 0.001 - 0.0025 * np.cos(3 * x), -0.07, 0.07)
    return np.stack([np.clip(x + speed, -1.2, 0.6), speed])


for task, motion, count in (("CartPole-v1", cart, 8), ("MountainCar-v0", car, 20)):
    environment = envpool.make(task, env_type="gymnasium", num_envs=3, seed=5)
    environment.reset()
    handle, _, _, step = environment.xla()
    step = jax.jit(step)
    action = np.array([0, 1, 1], np.int32)
    handle, (state, reward, done, *_) = step(handle, action)
    for i in range(count):
        action = np.array([i % 2, (i // 2) % 2, 1], np.int32)
        before = np.asarray(state)
        assert not np.asarray(done).any()
        handle, (state, reward, done, *_) = step(handle, action)
        check(np.asarray(state), motion(before.T, action).T, rtol=1e-5, atol=1e-6)
    check(reward, np.full(3, 1.0 if motion is cart else -1.0))
report()
