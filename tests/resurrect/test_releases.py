"""The table of names that went is complete: it is compared with walks of the releases.

The walk of this release runs here; jax_names.txt has those of all, so that what went on the way is
known. Each row of the table stands for what it says on this release.
"""

import importlib
import json
import pathlib
import subprocess
import sys

import jax
import pytest
from jax_releases import numbers

HERE = pathlib.Path(__file__).resolve().parent / "releases"
sys.path.insert(0, str(HERE))

import history  # noqa: E402
import not_restored  # noqa: E402
import table  # noqa: E402

VERSION = jax.__version__
HISTORY = history.History.read()


@pytest.fixture(scope="session")
def walk():
    done = subprocess.run(
        [sys.executable, HERE / "walk.py"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_this_release_is_as_recorded(walk):
    """Fails with a JAX that jax_names.txt has not: scripts/jax_names writes it anew."""
    assert VERSION in HISTORY.releases
    recorded = HISTORY.at(VERSION)
    wrong = [
        f"{module}.{name}: {recorded.get(module, {}).get(name)} recorded, {now} walked"
        for module in sorted({*recorded, *walk["names"]})
        for name in sorted({*recorded.get(module, {}), *walk["names"].get(module, {})})
        if recorded.get(module, {}).get(name) != (now := walk["names"].get(module, {}).get(name))
    ]
    assert not wrong, "\n".join(wrong)


def unnamed(gone, rows):
    return sorted(key for key in gone if key not in rows)


def test_each_difference_has_a_row(walk):
    """Of this release from those before it, whether it is recorded or not."""
    before = [r for r in HISTORY.releases if numbers(r) < numbers(VERSION)]
    had = {}
    for release in before:
        for module, names in HISTORY.at(release).items():
            for name in names:
                had[module, name] = release
    gone = {
        (table.LIKE.get(module, module), name)
        for module, name in had
        if name not in walk["names"].get(module, {}) and not HISTORY.is_object(module)
    }
    rows = table.read()
    assert not unnamed(gone, rows), unnamed(gone, rows)
    # Without its row, each of them is found.
    for key in gone:
        assert unnamed(gone, {k: row for k, row in rows.items() if k != key}) == [key]
    late = sorted(key for key in gone if numbers(rows[key]) > numbers(VERSION))
    assert not late, f"gone here already, by the table later: {late}"


def test_each_name_that_went_has_one_row():
    """By which something stands for it, or nothing can, for a reason."""
    from rows import paths

    found = paths(row for row in table.rows() if row.stand_ins)
    missing = sorted(f"{m}.{name}" for m, name in table.read() if (m, name) not in found)
    assert not missing, "\n".join(missing)


def test_each_name_stands_once():
    from rows import paths

    twice = [path for path, rows in paths(table.rows()).items() if len(rows) > 1]
    assert not twice


def test_the_table_is_written_by_the_script():
    written = table.text_of(table.merged(table.read(), HISTORY), HISTORY)
    assert table.TABLE.read_text() == written


def test_each_lost_parameter_has_a_row():
    import rows

    named = {
        (f"{row.module}.{name}" if name[0] != "_" else row.module, row.gone)
        for row in [*rows.LOST_PARAMETERS, *rows.BY_POSITION, *rows.FORMS]
        for name in row.names
    }
    not_had = {f: words for f, (_, words) in rows.REFUSED_PARAMETERS.items()}
    elsewhere = not_restored.PARAMETERS_ELSEWHERE
    not_had.update({f: words.split() for f, words in elsewhere.items()})
    adapted = {function for function, _ in named}
    missing = [
        f"{module}.{function}({parameter}), {release}"
        for (module, function, parameter), release in HISTORY.lost_parameters().items()
        if not any(
            f"{m}.{function}" in adapted or parameter in not_had.get(f"{m}.{function}", ())
            for m in other_names(module, function)
        )
    ]
    assert not missing, "\n".join(missing)


# The first release that refuses a parameter which is in its signature yet, and says so.
REFUSED_SINCE = {
    ("jax", "checkpoint", "concrete"): "0.10.2",
    ("jax", "remat", "concrete"): "0.10.2",
    ("jax.ffi", "ffi_call", "vectorized"): "0.6.2",
    **{
        (module, name, "initial"): "0.4.36"
        for module in ("jax.nn", "jax.example_libraries.stax")
        for name in ("log_softmax", "logsoftmax", "softmax")
    },
    ("jax.numpy", "reshape", "newshape"): "0.4.36",
    **{
        ("jax.numpy", name, "interpolation"): "0.8.0"
        for name in ("nanpercentile", "nanquantile", "percentile", "quantile")
    },
}
# Rows of what a walk does not see: it takes any keyword; a position went, and no name; a method.
WITHOUT_HISTORY = {
    ("jax._src.core.JaxprEqn", "0.4.30"),
    ("jax._src.core.Var", "0.4.13"),
    ("jax.ShapeDtypeStruct.update", "0.10.2"),
    ("jax.core.ShapedArray.update", "0.10.2"),
    ("jax.pure_callback", "0.6.2"),
    ("jax.extend.ffi.ffi_call", "0.6.2"),
    ("jax.interpreters.ad.backward_pass", "0.8.3"),
    # Private ones, and what they return or take the value of.
    ("jax.ShapeDtypeStruct", "0.4.13"),
    ("jax.core.find_top_trace", "0.4.38"),
    ("jax._src.core.Tracer", "0.4.38"),
    ("jax._src.core.gensym", "0.4.30"),
    ("jax._src.core.new_jaxpr_eqn", "0.4.13"),
    ("jax.core.new_jaxpr_eqn", "0.4.13"),
    ("jax._src.dtypes.dtype", "0.7.2"),
    ("jax.core.gensym", "0.4.30"),
    ("jax._src.random", "0.4.30"),  # _check_prng_key
    ("jax._src.random.core", "0.4.30"),
    *(
        (f"{path}Primitive.get_bind_params", "0.9.2")
        for path in (
            "jax._src.core.",
            "jax._src.core.Call",
            "jax._src.core.ClosedCall",
            "jax._src.custom_derivatives.CustomJVPCall",
            "jax._src.custom_derivatives.CustomVJPCall",
            "jax._src.shard_map.ShardMap",
        )
    ),
    *(
        (f"jax.interpreters.batching.{name}_batcher", "0.8.3")
        for name in ("broadcast", "vectorized")
    ),
    ("jax.interpreters.batching.reducer_batcher", "0.8.3"),
}


def test_each_row_of_lost_parameters_begins_where_it_was_lost():
    from rows import BY_POSITION, FORMS, LOST_PARAMETERS

    rows = {}
    for row in [*LOST_PARAMETERS, *BY_POSITION, *FORMS]:
        for name in row.names:
            path = row.module if name[0] == "_" else f"{row.module}.{name}"
            rows.setdefault(path, set()).add(row.gone)
    seen = set()
    of_position = {**HISTORY.lost_positions(), **HISTORY.lost_defaults()}
    for (module, function, _), release in of_position.items():
        seen |= {(f"{m}.{function}", release) for m in other_names(module, function)}
    for key, release in HISTORY.lost_parameters().items():
        module, function, parameter = key
        since = REFUSED_SINCE.get(key, release)
        own = [module] if f"{module}.{function}" in rows else other_names(module, function)
        for path in (f"{other}.{function}" for other in own):
            if path in rows:
                assert since in rows[path], f"{path}({parameter}): lost in {since}, {rows[path]}"
                seen.add((path, since))
    unknown = {(path, release) for path, found in rows.items() for release in found} - seen
    # A form of an argument has no name: lists_program.py and refused_forms_program.py ask.
    for row in FORMS:
        for name in row.names:
            path = row.module if name[0] == "_" else f"{row.module}.{name}"
            unknown.discard((path, row.gone))
    assert unknown == WITHOUT_HISTORY, sorted(unknown ^ WITHOUT_HISTORY)


def test_positions_are_those_of_a_release_before_the_row():
    """What is taken by position, or by name, again was the parameter of that place in one."""
    from rows import LOST_PARAMETERS

    wrong, checked = [], 0
    for row in LOST_PARAMETERS:
        path, release = row.module, row.gone
        for name in row.names:
            # A walk has a class by the parameters that it is called with.
            is_class = name[0] == "_"
            owner, function = path.rpartition(".")[::2] if is_class else (path, name)
            before = [
                history.places(what)
                for module in {owner, *other_names(owner, function)}
                for since, what in HISTORY.changes.get(module, {}).get(function, ())
                if numbers(since) < numbers(release)
            ]
            for adapt in row.adapters:
                parameters, first = getattr(adapt, "positions", ((), 0))
                start = max(first - is_class, 0)  # without self
                checked += len(parameters)
                there = any(p[start : start + len(parameters)] == [*parameters] for p in before)
                if parameters and not there:
                    wrong.append(f"{path}.{name}: {parameters} from {start} on, once {before}")
    assert checked > 30
    assert not wrong, "\n".join(wrong)


def test_options_of_ffi_call_are_those_that_it_had():
    """What is beside them is an attribute, of calls with operands beside the target."""
    from callbridge.resurrect._lowering import _ffi_call
    from callbridge.resurrect._names import _calls

    options = [
        {word.rstrip("=") for word in what[what.index("(") + 1 : -1].split() if word[-1] == "="}
        for module in ("jax.extend.ffi", "jax.ffi")
        for _, what in HISTORY.changes[module]["ffi_call"]
        if what != history.GONE
    ]
    assert set().union(*options) == _calls.FFI_OPTIONS
    assert options[-1] == _ffi_call._OPTIONS


def other_names(module, name):
    """The modules that have the same thing by that name: it is listed under one of them."""
    return [m for m, names in HISTORY.changes.items() if name in names and "mlir.dial" not in m]


def test_each_lost_attribute_has_a_row():
    from rows import LOST_ATTRIBUTES

    had = {(row.module.rpartition(".")[2], name) for row in LOST_ATTRIBUTES for name in row.names}
    left = not_restored.ATTRIBUTES.items()
    had |= {(c, a) for c, (_, names) in left for a in names.split()}
    missing = [
        f"{module}.{cls}.{attribute}, {release}"
        for (module, cls, attribute), release in HISTORY.lost_attributes().items()
        if not any((base, attribute) in had for base in (cls, *BASES.get(cls, ())))
        and (cls, attribute) != ("Layout", "sharding")  # which Format has
    ]
    assert not missing, "\n".join(missing)


def test_each_row_of_lost_attributes_begins_where_it_was_lost():
    from rows import LOST_ATTRIBUTES

    since = {}
    for (_, cls, attribute), release in HISTORY.lost_attributes().items():
        for base in (cls, *BASES.get(cls, ())):
            since.setdefault((base, attribute), set()).add(release)
    of_values = {}
    for changes in history.History.read("members.txt").changes.values():
        for attribute, words in changes.items():
            of_values.setdefault(attribute, set()).update(r for r, what in words if what == "-")
    for row in LOST_ATTRIBUTES:
        path, release = row.module, row.gone
        if (path, " ".join(row.names)) in UNSEEN_ATTRIBUTES:
            continue
        for attribute in row.names:
            when = since.get((path.rpartition(".")[2], attribute)) or of_values[attribute]
            assert release in when, f"{path}.{attribute}: lost in {when}, {release} by its row"


# What walks do not see: special methods, and what private classes have.
UNSEEN_ATTRIBUTES = {
    ("jax._src.effects.EffectTypeSet", "add"),
    ("jax.extend.core.Var", "__lt__ __le__ __gt__ __ge__"),
}

# Which get an attribute of their base's.
BASES = {
    "Array": ("ArrayImpl",),
    "JVPTracer": ("Tracer",),
    "JaxprTracer": ("Tracer",),
    "DynamicJaxprTracer": ("Tracer",),
    "ShapedArray": ("AbstractValue",),
    "AbstractToken": ("AbstractValue",),
    "JetTracer": ("Tracer",),
    "SparseTracer": ("Tracer",),
    "ndarray": ("ArrayImpl",),
    "AbstractRef": ("AbstractValue", "ShapedArray"),
    "HiType": ("AbstractValue",),
    # The class by the name makes those of either.
    "Layout": ("Format",),
    "JVPTrace": ("Trace",),
    "JetTrace": ("Trace",),
    "SparseTrace": ("Trace",),
    "DropVar": ("Var",),
    "Client": ("Backend",),
    "ClosedJaxpr": ("Jaxpr",),
}


def test_rows_stand_for_what_they_say(run, tmp_path):
    """Each name can be imported, or says why not; and nothing is there before it is asked for."""
    program = HERE.parent / "asked_program.py"
    assert run(program).endswith(" asked\n")


def test_reasons_are_used():
    from callbridge.resurrect._names import _row, _table
    from callbridge.resurrect._names._row import NoInstances, Refused
    from rows import REFUSED_PARAMETERS

    stand_ins = [found for row in _table.ROWS for found in row.stand_ins]
    used = {found.reason for found in stand_ins if isinstance(found, (NoInstances, Refused))}
    used |= {reason for reason, _ in not_restored.ATTRIBUTES.values()}
    used |= {reason for reason, _ in REFUSED_PARAMETERS.values()}
    assert used == set(_row.REASONS)


def test_origins_of_ours_are_there():
    """A stand-in that no release here needs is imported all the same, where it can be."""
    from rows import WRAPPED, _table, modules_of

    words = {m for row in _table.ROWS for m in modules_of([*row.stand_ins, *row.at_once])}
    words |= {module for row in WRAPPED for module in modules_of([row.wrapped_by])}
    for word in sorted(words):
        if word.startswith("callbridge."):
            assert importlib.util.find_spec(word) is not None, word
