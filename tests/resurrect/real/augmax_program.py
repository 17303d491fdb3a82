"""Augments images with augmax; NumPy's flips and crops are the measure."""

import augmax
import jax
import numpy as np
from checks import check, report

random = np.random.default_rng(7)
image = random.uniform(size=(8, 8, 3)).astype(np.float32)
key = jax.random.PRNGKey(2)

flip = augmax.Chain(augmax.HorizontalFlip(p=1.0))
check(jax.jit(flip)(key, image), image[:, ::-1], atol=1e-5)
crop = augmax.Chain(augmax.CenterCrop(4))
check(crop(key, image), image[2:6, 2:6], atol=1e-5)
scaled = augmax.Chain(augmax.Normalize(mean=[0.5, 0.4, 0.3], std=[0.2, 0.3, 0.4]))
check(scaled(key, image), (image - [0.5, 0.4, 0.3]) / [0.2, 0.3, 0.4], rtol=1e-4, atol=1e-5)
keys = jax.random.split(key, 5)
check(jax.vmap(flip)(keys, np.stack([image] * 5)), np.stack([image[:, ::-1]] * 5), atol=1e-5)
both = augmax.Chain(
    augmax.HorizontalFlip(p=1.0),
    input_types=[augmax.InputType.IMAGE, augmax.InputType.MASK],
)
mask = (image[..., 0] > 0.5).astype(np.uint8)
new_image, new_mask = both(key, [image, mask])
check(new_image, image[:, ::-1], atol=1e-5)
check(new_mask, mask[:, ::-1])
report()
