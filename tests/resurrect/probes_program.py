"""Runs the programs of probing_programs.txt, and prints each one's value, or the exception.

Each has a namespace of its own, with jax, jnp, np and functools.
"""

import functools
import pathlib
import re
import warnings

import jax
import jax.numpy as jnp
import numpy as np

warnings.simplefilter("ignore")
text = (pathlib.Path(__file__).parent / "probing_programs.txt").read_text()
for part in re.split("^== ", text, flags=re.MULTILINE)[1:]:
    name, source = part.split("\n", 1)
    names = {"jax": jax, "jnp": jnp, "np": np, "functools": functools, "__name__": "__main__"}
    try:
        exec(compile(source, name, "exec"), names)  # noqa: S102
        print(f"{name}: {names['value']!r}")
    except Exception as error:
        text = str(error).partition("\n")[0]
        print(f"{name}: failed, {type(error).__name__}: {text[:120]}")
