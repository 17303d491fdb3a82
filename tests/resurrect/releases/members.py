"""Prints as JSON what JAX's values have: by sample of samples.py, each public attribute.

Each with what it is: "method" with its parameters, as walk.py says them, "attribute", or "refused"
where it is there in order to raise. Of jax.config also its options, each with its default.
And, as if one value had them, the tables that JAX's modules have by a public name: "mapping".
members.txt has those of all releases, as history.py writes them.
"""

import enum
import json
import sys
import warnings

import samples
import walk

warnings.simplefilter("ignore")
# Of Python's own kinds beside those of no class of JAX's, and of classes that others stand for.
LEFT_OUT = {
    "array_of_ints", "raw_key", "scalar_array", "typed_keys", "result_of_pmap", "key_struct",
    "device_put_of_pmap", "jit_tracer_of_raw_key", "jit_tracer_of_typed_key", "aval_of_float",
    "vmap_tracer_of_typed_keys", "aval_of_typed_key", "jvp_tracer", "sequence_key",
    "precision", "random_algorithm", "scatter_mode",
}  # fmt: skip


def members(value):
    """Of each attribute that a class of JAX's, or the value itself, has."""
    cls = value if isinstance(value, type) else type(value)
    found = set(vars(value)) if hasattr(value, "__dict__") else set()
    for base in cls.__mro__:
        if walk.is_ours(getattr(base, "__module__", "jaxlib")) and base.__name__ != "object":
            found |= {*vars(base), *walk.annotations(base), *getattr(base, "_fields", ())}
    # What a value is given by its __getattr__, and says.
    found |= {name for name in dir(value) if not _is_pythons(cls, name)}
    described = {n: describe(value, n) for n in sorted(found) if n.isidentifier() and n[0] != "_"}
    return {name: what for name, what in described.items() if what is not None}


def _is_pythons(cls, name):
    return any(
        name in vars(base) and not walk.is_ours(getattr(base, "__module__", "jaxlib"))
        for base in cls.__mro__
    )


def describe(value, name):
    if isinstance(value, enum.Enum):
        return None  # whose attributes are Python's
    try:
        member = getattr(value, name)
    except AttributeError:
        return None
    except Exception:
        return "refused"
    if not callable(member) or isinstance(member, type):
        return "attribute"
    parameters = walk.parameters(member)
    return "method" if parameters is None else f"method ({' '.join(parameters)})"


def options(config):
    return {
        name: f"default {(value.value if isinstance(value, enum.Enum) else value)!r}"
        for name, value in config.values.items()
        if name != "jax_platforms"  # which whoever runs this sets
    }


def is_table(value):
    """Whether it says what it has, as a dictionary does."""
    return all(hasattr(type(value), name) for name in ("__getitem__", "keys", "get", "items"))


def tables():
    return {
        f"{path}.{name}": "mapping"
        for path in walk.modules()
        for name, value in walk.own_names(walk.find(path))
        if is_table(value)
    }


def main():
    import jax

    made = {name: value for name, value in samples.made().items() if name not in LEFT_OUT}
    found = {
        name: members(value)
        for name, value in made.items()
        if isinstance(value, type) or walk.is_ours(getattr(type(value), "__module__", "jax"))
    }
    found["config"] = {n: w for n, w in found["config"].items() if n not in jax.config.values}
    found["options"] = options(jax.config)
    found["tables"] = tables()
    # Nothing says of those that this JAX does not make that their attributes went.
    unknown = sorted(samples.MAKERS.keys() - made.keys() - LEFT_OUT)
    walked = {"release": jax.__version__, "names": found, "unknown": unknown}
    json.dump(walked, sys.stdout, indent=0, sort_keys=True)


if __name__ == "__main__":
    main()
