"""Functions of jax.tree_util and jax.util, gone and newer, made of those that this JAX has."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import jax

KeyPath = tuple[Any, ...]
_MISSING = object()


# ---- Functions that an older JAX lacks -----------------------------------------------------------


def broadcast(
    prefix_tree: Any, full_tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """Returns a tree like `full_tree`, with each leaf of `prefix_tree` in place of its subtree."""

    def fill(leaf: Any, subtree: Any) -> Any:
        return jax.tree_util.tree_map(lambda _: leaf, subtree)

    return jax.tree_util.tree_map(fill, prefix_tree, full_tree, is_leaf=is_leaf)


def reduce_associative(
    operation: Callable[[Any, Any], Any],
    tree: Any,
    *,
    identity: Any = _MISSING,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Returns the leaves' reduction by an associative operation, pair by pair."""
    leaves = jax.tree_util.tree_leaves(tree, is_leaf=is_leaf)
    if not leaves:
        if identity is _MISSING:
            raise TypeError("reduce_associative: expected identity for a tree without leaves")
        return identity
    while len(leaves) > 1:
        pairs = zip(leaves[::2], leaves[1::2])
        leaves = [operation(a, b) for a, b in pairs] + leaves[len(leaves) // 2 * 2 :]
    return leaves[0]


def register_static(cls: type) -> type:
    """Makes objects of a class trees without leaves. They must be hashable and comparable."""
    jax.tree_util.register_pytree_node(cls, lambda x: ((), x), lambda x, _: x)
    return cls


def static(**keywords: Any) -> Any:
    """Returns a dataclasses.field() that register_dataclass() takes for a meta field."""
    metadata = {"static": True, **(keywords.pop("metadata", None) or {})}
    return dataclasses.field(metadata=metadata, **keywords)


def register_dataclass(
    nodetype: Any,
    data_fields: Sequence[str] | None = None,
    meta_fields: Sequence[str] | None = None,
    drop_fields: Sequence[str] = (),
) -> Any:
    """Makes objects of a class trees.

    Args:
      nodetype: the class; a dataclass if the fields are not given.
      data_fields: the fields that are children. None: those whose metadata has no true "static".
      meta_fields: the other fields, which must be hashable and comparable.
      drop_fields: fields that are neither.

    Raises:
      ValueError: if fields are missing or unknown.
    """
    if (data_fields is None) != (meta_fields is None):
        raise TypeError("register_dataclass: expected both data_fields and meta_fields, or neither")
    if data_fields is None:
        if not dataclasses.is_dataclass(nodetype):
            raise TypeError(
                "register_dataclass: data_fields and meta_fields are required when nodetype is not "
                f"a dataclass. Got nodetype={nodetype}."
            )
        data_fields = [f.name for f in _fields(nodetype, drop_fields) if not _is_static(f)]
        meta_fields = [f.name for f in _fields(nodetype, drop_fields) if _is_static(f)]
    assert meta_fields is not None
    data, meta = tuple(data_fields), tuple(meta_fields)
    if dataclasses.is_dataclass(nodetype):
        known = {field.name for field in _fields(nodetype, drop_fields)}
        if known != {*data, *meta}:
            raise ValueError(
                "data_fields and meta_fields must include all dataclass fields with init=True and "
                f"only them; missing: {known - {*data, *meta}}, unexpected: "
                f"{ {*data, *meta} - known }"
            )

    def flatten(node: Any) -> tuple[tuple, tuple]:
        return (
            tuple(getattr(node, name) for name in data),
            tuple(getattr(node, name) for name in meta),
        )

    def flatten_with_keys(node: Any) -> tuple[tuple, tuple]:
        children, rest = flatten(node)
        return tuple(zip(map(jax.tree_util.GetAttrKey, data), children)), rest

    def unflatten(rest: tuple, children: Iterable[Any]) -> Any:
        return nodetype(**dict(zip(meta, rest)), **dict(zip(data, children)))

    jax.tree_util.register_pytree_with_keys(nodetype, flatten_with_keys, unflatten, flatten)
    return nodetype


def _fields(nodetype: Any, drop_fields: Sequence[str]) -> list[dataclasses.Field]:
    return [f for f in dataclasses.fields(nodetype) if f.init and f.name not in drop_fields]


def _is_static(field: dataclasses.Field) -> bool:
    return bool(field.metadata.get("static", False))


def decorates(original: Callable) -> Callable:
    """Lets register_dataclass() be a decorator, of a dataclass or with the fields as options.

    JAX's own asked for the fields of a dataclass too.
    """
    parameters = inspect.signature(original).parameters
    if parameters["nodetype"].default is not inspect.Parameter.empty:
        return original

    @functools.wraps(original)
    def wrapper(nodetype: Any = None, *args: Any, **keywords: Any) -> Any:
        if nodetype is None:
            return functools.partial(wrapper, *args, **keywords)
        has_fields = args or keywords.keys() & {"data_fields", "meta_fields"}
        takes_all = keywords.keys() <= parameters.keys() and len(args) < len(parameters)
        if not has_fields or not takes_all:
            return register_dataclass(nodetype, *args, **keywords)
        return original(nodetype, *args, **keywords)

    return wrapper


# ---- Functions that are gone ---------------------------------------------------------------------


def register_keypaths(ty: type, handler: Callable) -> None:
    """Did name the leaves of trees in key paths. The class's own registration says it now: JAX
    numbers the leaves of classes that do not."""


class AttributeKeyPathEntry(NamedTuple):
    """What a handler of register_keypaths() named a leaf by."""

    key: Any

    def __str__(self) -> str:
        return f".{self.key}"


class GetitemKeyPathEntry(NamedTuple):
    """What a leaf of a dict or a list was named by."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"


def build_tree(treedef: Any, xs: Any) -> Any:
    """The tree of that structure, of leaves that stand in a tree of tuples like it."""
    return jax.tree_util.tree_unflatten(treedef, jax.tree_util.tree_leaves(xs))


def split_dict(dct: dict, names: Sequence) -> list:
    """The values by these names, which are all that the dict has."""
    assert dct.keys() == {*names}, (dct.keys(), names)
    return [dct[name] for name in names]


def split_merge(predicate: Callable, xs: Sequence) -> tuple[list, list, Callable]:
    """Those that are true, the others, and a function that puts two such lists together again."""
    is_left = [bool(predicate(x)) for x in xs]
    left = [x for x, yes in zip(xs, is_left) if yes]
    right = [x for x, yes in zip(xs, is_left) if not yes]

    def merge(new_left: Sequence, new_right: Sequence) -> list:
        lefts, rights = iter(new_left), iter(new_right)
        return [next(lefts) if yes else next(rights) for yes in is_left]

    return left, right, merge


def replace_nones(sentinel: Any, tree: Any) -> Any:
    """The lists and tuples of the tree, with `sentinel` for None."""
    if tree is None:
        return sentinel
    if isinstance(tree, (list, tuple)):
        parts = [replace_nones(sentinel, part) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree


def as_hashable_function(closure: Any) -> Callable:
    """A decorator: functions of equal closures are equal."""

    def decorate(f: Callable) -> _HashableFunction:
        return _HashableFunction(f, closure)

    return decorate


class _HashableFunction:
    def __init__(self, f: Callable, closure: Any):
        self.f = f
        self.closure = closure

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _HashableFunction)
            and self.f.__code__ is other.f.__code__
            and self.closure == other.closure
        )

    def __hash__(self) -> int:
        return hash((self.f.__code__, self.closure))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.f(*args, **kwargs)
