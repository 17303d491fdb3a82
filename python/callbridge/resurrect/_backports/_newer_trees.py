"""Functions on trees that an older JAX lacks."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax

KeyPath = tuple[Any, ...]
_MISSING = object()


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
