"""What JAX refuses of a function's arguments and took once means what it meant."""

import pathlib

import jax
from jax_releases import numbers, used_by

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE / "refused_forms_program.py"
# Which `make test` has.
OLD = [*used_by("test"), *used_by("outlive")]
# There methods are functions of jax.numpy by themselves, and not what calls them.
OF_FUNCTIONS = {"methods", "traced methods", "nonzero method"}
LEFT = OF_FUNCTIONS if numbers(jax.__version__) < (0, 4, 31) else set()


def by_name(printed):
    return dict(line.split(": ", 1) for line in printed.splitlines())


def test_calls_give_what_a_release_gave_that_took_them(run, printed_by):
    once = {}
    for release in OLD:
        for name, value in by_name(printed_by(release, PROGRAM, "plain")).items():
            once.setdefault(name, []).extend([value] * ("Error" not in value.split()[0]))
    given = by_name(run(PROGRAM))
    assert len(given) == len(once) > 60 and all(once.values())
    wrong = {n: f"{n}: {v}, once {once[n]}" for n, v in given.items() if v not in once[n]}
    assert not wrong.keys() - LEFT, "\n".join(wrong.values())


def test_what_is_refused_for_another_reason_is(run, tmp_path):
    """By JAX's own error, from JAX's own call."""
    program = tmp_path / "program.py"
    program.write_text(
        "import callbridge.resurrect\n"
        "import jax, jax.numpy as jnp\n"
        "x = jnp.ones((2, 2))\n"
        "for call in (lambda: jnp.sort(x, axis=7), lambda: jnp.sum(x, axis=3, where=[1, 0]),\n"
        "             lambda: jnp.nonzero(object()), lambda: jnp.array(object()),\n"
        "             lambda: bool(x),\n"
        "             lambda: jax.lax.dot(x), lambda: jax.random.fold_in(x, 1),\n"
        "             lambda: jnp.uint8('a'), lambda: jnp.sort(x, order=['a'])):\n"
        "    try:\n        call()\n"
        "    except (TypeError, ValueError) as error:\n        print(type(error).__name__)\n"
        "    else:\n        print('taken')\n"
    )
    assert "taken" not in run(program)
