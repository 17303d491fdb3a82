"""The effect of a primitive that XLA must keep, which an older JAX has not got yet."""

from __future__ import annotations

import dataclasses
from typing import Any

from jax._src import effects

from callbridge._jax_runtimes import EFFECT_LISTS


@dataclasses.dataclass(frozen=True)
class GenericEffect(effects.Effect):
    """That of the calls of one primitive.

    Attributes:
      prim: the primitive.
    """

    prim: Any


for _name in EFFECT_LISTS:
    getattr(effects, _name).add_type(GenericEffect)
