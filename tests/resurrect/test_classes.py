"""Restored classes mean what they meant: what programs see of each is what a release showed that
had it (releases/classes.txt, which scripts/jax_names writes)."""

import builtins
import json
import os
import pathlib
import subprocess
import sys

import jax
import pytest
from jax_releases import numbers

HERE = pathlib.Path(__file__).resolve().parent / "releases"
sys.path.insert(0, str(HERE))

import class_table  # noqa: E402
import history  # noqa: E402

VERSION = jax.__version__
HISTORY = history.History.read()
RELEASES, LACKS, CLASSES = class_table.read()

_MERGED = "JAX made Jaxpr and ClosedJaxpr one class"
_CONCRETE = "JAX has no abstract values of known values: get_aval() gives shaped ones"
_BY_SHARD_MAP = "jax.pmap is made of jax.shard_map, and what it gives has NamedSharding"
_ARRAY = "it is jax.Array, which this JAX makes so; tracers are instances and not subclasses"
_RENAMED = "this JAX's class is named P"
_PROTOCOL = "it has what a protocol of this JAX asks for"
_KEYS = "the private module's is JAX's own class of arrays of keys"
_FINAL = "jaxlib's class of shardings has a metaclass that has no subclasses"
_BASE = "all shardings are XLA's: it is its base"
_PYTHON = "singledispatch asks protocols of instances' attributes, in newer Pythons"
# What is otherwise than in any release that had the class, by its last name: facts, and why.
LEFT = {
    "Array": ("dispatched made is", _ARRAY),
    "ndarray": ("dispatched made is subclasses", _ARRAY),
    "DeviceArray": ("dispatched made is subclasses", _ARRAY),
    "jax._src.random.KeyArray": ("dispatched made is subclasses", _ARRAY),
    "AxisName": ("instances dispatched subclasses", "it is what is hashable, which JAX decides"),
    "ClosedJaxpr": ("instances dispatched is", _MERGED),
    "Jaxpr": ("instances dispatched is", _MERGED),
    "ConcreteArray": ("instances dispatched", _CONCRETE),
    "NamedSharding": ("instances dispatched", _BY_SHARD_MAP),
    "PmapSharding": ("instances dispatched bases", f"{_BY_SHARD_MAP}; {_FINAL}"),
    "PositionalSharding": ("bases", _FINAL),
    "PmapFunction": ("instances dispatched as_base", _BY_SHARD_MAP),
    "ShapedArray": ("made", "this JAX prints it without its class's name"),
    "jax.experimental.shard_map.P": ("made", _RENAMED),
    "jax.experimental.shard_map.PartitionSpec": ("made", _RENAMED),
    "MaybeTracer": ("instances dispatched", "jax 0.12 makes it of typing.Any"),
    "OutInfo": ("instances dispatched is", "shapes of results are jax.ShapeDtypeStruct"),
    "partial": ("bases instances dispatched", f"{_PROTOCOL}; jax.vjp gives a class of its own"),
    "jax.lib.xla_client.XLACompatibleSharding": ("is", _BASE),
    "jax.lib.xla_extension.XLACompatibleSharding": ("is", _BASE),
    "jaxlib.xla_client.XLACompatibleSharding": ("is", _BASE),
    "jaxlib.xla_extension.XLACompatibleSharding": ("is", _BASE),
    "jax.random.KeyArray": ("is", _KEYS),
    "jax.random.PRNGKeyArray": ("is", _KEYS),
    "CustomJVPException": ("made", "its text is another"),
    "PrecisionConfig_Precision": ("made", "Python's enumerations print no module"),
    "TranslationRule": ("dispatched bases", f"{_PYTHON}; {_PROTOCOL}"),
    "CustomCallHandler": ("dispatched is name", _PYTHON),
}

if sys.version_info >= (3, 12):
    LEFT["DuckTypedArray"] = ("dispatched", f"what has a shape and a dtype: {_PYTHON}")


def left(name):
    words, _ = LEFT.get(name, LEFT.get(name.rpartition(".")[2], ("", "")))
    return words.split()


def facts(*arguments):
    done = subprocess.run(
        [sys.executable, HERE / "class_facts.py", *arguments],
        env={
            **os.environ,
            "JAX_PLATFORMS": "cpu",
            "PYTHONPATH": str(HERE.parents[2] / "python"),
        },
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def restored():
    return facts("restored")


def test_this_release_is_as_recorded():
    """Fails with a JAX that classes.txt has not: scripts/jax_names writes it anew."""
    found = facts()
    recorded = {name: known[VERSION] for name, known in CLASSES.items() if VERSION in known}
    wrong = [
        f"{name}: {recorded.get(name)} recorded, {found['classes'].get(name)} now"
        for name in sorted({*recorded, *found["classes"]})
        if recorded.get(name) != found["classes"].get(name)
    ]
    assert not wrong, "\n".join(wrong)
    every = {sample for lacks in LACKS.values() for sample in lacks} | {*found["samples"]}
    assert every - {*found["samples"]} == LACKS[VERSION]


def classes_of(release):
    """The names of classes that a release has."""
    found = {name for name, known in CLASSES.items() if release in known}
    for module, names in HISTORY.at(release).items():
        found |= {f"{module}.{name}" for name, what in names.items() if what.startswith("class")}
    return found | {"tuple", "int", "str", "list", "dict", "IndexError", "AttributeError"} | {
        "Exception", "TypeError", "ValueError", "RuntimeError", "NotImplementedError"
    }  # fmt: skip


@pytest.fixture(scope="module")
def wrong_of(restored):
    """Of a class's name and facts: by fact, what is otherwise than in each release that had it."""
    samples, names = set(restored["samples"]), set(restored["public"])
    shared = {r: (samples - LACKS[r], names & classes_of(r)) for r in RELEASES}

    def wrong_of(name, here):
        by_release = {
            release: class_table.differences(here, there, *shared[release])
            for release, there in CLASSES.get(name, {}).items()
        }
        if not by_release:
            return {}
        differ = set.intersection(*(set(found) for found in by_release.values()))
        last = by_release[max(by_release, key=numbers)]
        return {word: last[word] for word in differ - {*left(name)}}

    return wrong_of


def test_restored_classes_are_what_they_were(restored, wrong_of):
    wrong = [
        f"{name}, {word}: then {then}, restored {now}"
        for name, here in restored["classes"].items()
        for word, (then, now) in wrong_of(name, here).items()
    ]
    assert not wrong, "\n".join(wrong)


def test_each_is_compared(restored, wrong_of):
    """A restored class that was otherwise in any of these facts is found, of all of them."""
    for name, here in restored["classes"].items():
        if name not in CLASSES:
            # It was gone before the oldest release here: JAX's or Python's, without instances, or
            # one that is compared by another name.
            is_known = here.get("is_of_jax") or not here["instances"] or is_of_python(here)
            assert is_known or CLASSES.keys() & {*here.get("is", ())}, name
            continue
        for word in ("kind", "instances", "annotation", "equal", "dispatched"):
            if word in here and word not in left(name):
                other = toggled(here[word]) if isinstance(here[word], list) else "another"
                assert word in wrong_of(name, {**here, word: other}), (name, word)


def is_of_python(here):
    return here["kind"] == "union" or here["name"] in {*dir(builtins), "partial"}


def toggled(samples):
    return [s for s in samples if s != "none"] if "none" in samples else [*samples, "none"]


def test_what_is_left_is_restored_somewhere():
    last_names = {name.rpartition(".")[2] for name in CLASSES}
    assert not [name for name in LEFT if name.rpartition(".")[2] not in {*last_names, "Array"}]
