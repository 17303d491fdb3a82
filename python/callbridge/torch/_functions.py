"""The functions that callbridge.torch.custom_call() returns."""

from __future__ import annotations

import operator as operators
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import _disable_current_modes

from callbridge._core import _shapes
from callbridge._core._error import CallbridgeError
from callbridge._core._target import BoundFunction
from callbridge.torch import _forms, _operators, _tensors
from callbridge.torch._devices import TORCH, TensorFunction
from callbridge.torch._forms import InferredResult
from callbridge.torch._operators import Operator, Site

# Constant in programs that torch.compile traces.
_is_traced = torch.compiler.is_dynamo_compiling


class TorchFunction(BoundFunction[Any]):
    """A function of tensors that calls an operator in torch.ops.callbridge."""

    def __init__(
        self,
        call: Callable[[tuple], Any],
        trace: Callable[[tuple, str], Any],
        target: str,
        find: Callable[[tuple], Operator],
        identity: str,
    ):
        super().__init__(call, "callbridge.torch", target)
        self._trace = trace
        self._find = find
        # Of programs of one code, torch.compile takes the one in which this text is the same.
        self._identity = identity

    def __call__(self, *operands: Any) -> Any:
        return self._trace(operands, self._identity) if _is_traced() else self._call(operands)

    def operator(self, *operands: Any) -> torch._ops.OpOverload:
        """Returns the operator for operands that are nested as these are; makes it if needed.

        Its arguments are the tensors of the operands in preorder. It returns the tensors of the
        result in preorder, except those that are aliased to operands: one tensor, a tuple, or None.
        """
        return self._find(operands).overload


def function(site: Site) -> TorchFunction:
    site = site._replace(key=_key(site))
    target = site.entry.target.name
    made: dict[tuple, Operator] = {}  # by operand tree
    # Of what the user's function returns, the nesting is not known before it is called.
    is_function = callable(site.result) and not isinstance(site.result, InferredResult)
    known_skeleton: Any = None
    if isinstance(site.result, InferredResult):
        known_skeleton = site.result.skeleton
    elif not is_function:
        known_skeleton = _forms.skeleton(site.result)
    # By the number of operands, where all are tensors, and the function returns what the operator
    # does.
    flat: dict[int, Callable[..., Any]] = {}

    def find(operands: tuple) -> Operator:
        leaves: list[Any] = []
        tree = _flatten(operands, leaves)
        for leaf, name in zip(leaves, _shapes.leaf_names(tree)):
            _check_tensor(leaf, name)
        found = made.get(tree)
        if found is None:
            skeleton = None
            _tensors.check_tensors(site, tree, leaves)
            if is_function:
                # So that a program that is being traced does not get what the function does.
                with _disable_current_modes():
                    metas = [torch.empty(t.shape, dtype=t.dtype, device="meta") for t in leaves]
                    skeleton = _forms.skeleton(
                        _operators.evaluate(site.result, _shapes.rebuild(tree, iter(metas)))
                    )
            found = make(tree, skeleton)
        return found

    def make(tree: tuple, skeleton: Any) -> Operator:
        if not is_function:
            skeleton = known_skeleton
        if site.program is not None:
            site.program.check_nesting(tree)
        _check_numbers(site, _shapes.leaf_count(tree), _shapes.leaf_count(skeleton))
        found = made[tree] = _operators.make(site, tree, skeleton)
        return found

    # torch.compile calls these, and takes what they return as constants. Of an operator that is its
    # name, and how its results are arranged. It guards the text that they get, not what they are.
    def constants(tree: tuple, identity: str) -> str:
        if tree not in made and is_function:
            return ""
        return _constants(made.get(tree) or make(tree, None))

    def constants_of_new(tree: tuple, skeleton: Any, identity: str) -> str:
        return _constants(made.get(tree) or make(tree, skeleton))

    def refuse_gradient(name: str) -> None:
        _tensors.raise_gradient(_operators.named(name), "an operand")

    # What torch.compiler.assume_constant_result() does, which imports all of torch.compile.
    constants._dynamo_marked_constant = True  # type: ignore[attr-defined]
    refuse_gradient._dynamo_marked_constant = True  # type: ignore[attr-defined]
    constants_of_new._dynamo_marked_constant = True  # type: ignore[attr-defined]

    def trace(operands: tuple, identity: str) -> Any:
        leaves: list[Any] = []
        tree = _flatten(operands, leaves)
        found = constants(tree, identity)
        if found == "":
            found = constants_of_new(tree, _skeleton(site.result(*operands)), identity)
        name, *words = found.split(" ")
        result = getattr(torch.ops.callbridge, name).default(*leaves)
        if site.backward is None:
            # Tensors in transforms of torch.func require grad there, and nowhere in a kernel.
            for tensor in [result] if isinstance(result, torch.Tensor) else list(result or ()):
                if tensor.requires_grad:
                    refuse_gradient(name)
        return _arrange(words, result, leaves)

    def call_any(operands: tuple) -> Any:
        operator = find(operands)
        leaves: list[Any] = []
        _flatten(operands, leaves)
        if torch._C._are_functorch_transforms_active():
            _tensors.check_transformed(operator, tuple(leaves))
        name, *words = _constants(operator).split(" ")
        overload = operator.overload
        if len(leaves) == len(operands) and words == ["."]:
            flat[len(leaves)] = overload._op
        return _arrange(words, overload(*leaves), leaves)

    call = TensorFunction(TORCH, flat, call_any).call
    return TorchFunction(call, trace, target, find, _operators.identity(site))


# ---- Trees, in what torch.compile understands ----------------------------------------------------


def _flatten(tree: Any, leaves: list[Any]) -> Any:
    """Returns the tree with None for each leaf, which is appended to `leaves`."""
    if type(tree) is tuple:
        return tuple([_flatten(part, leaves) for part in tree])
    leaves.append(tree)
    return None


def _skeleton(tree: Any) -> Any:
    """That of a result, which may be a text."""
    if type(tree) is tuple:
        return tuple([_skeleton(part) for part in tree])
    return _skeleton_of_text(tree) if isinstance(tree, str) else None


def _skeleton_of_text(text: str) -> Any:
    return _forms.skeleton(_forms.parse_result(text))


_skeleton_of_text._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _constants(operator: Operator) -> str:
    """Its name, and words: "(" and ")" around a tuple, "." for a tensor that it returns, the number
    of the operand for one that it does not."""
    operand_of = {result: operand for operand, result in operator.site.aliases.items()}
    words = [operator.name]
    count = 0

    def append(tree: Any) -> None:
        nonlocal count
        if type(tree) is tuple:
            words.append("(")
            for part in tree:
                append(part)
            words.append(")")
        else:
            words.append(str(operand_of.get(count, ".")))
            count += 1

    append(operator.result_skeleton)
    return " ".join(words)


def _arrange(words: Any, result: Any, operands: Any) -> Any:
    """Returns the tree that `words` describe, of what the operator returned and its operands."""
    returned = [result] if isinstance(result, torch.Tensor) else list(result or ())
    stack: list[list[Any]] = [[]]
    taken = 0
    for word in words:
        if word == "(":
            stack.append([])
        elif word == ")":
            part = tuple(stack.pop())
            stack[-1].append(part)
        elif word == ".":
            stack[-1].append(returned[taken])
            taken += 1
        else:
            stack[-1].append(operands[int(word)])
    return stack[0][0]


# ---- Checks -------------------------------------------------------------------------------------


def mutated(operands: Iterable[int], aliases: Mapping[int, int]) -> frozenset[int]:
    """The operands that the target writes to. Raises TypeError for what are no numbers."""
    try:
        numbers = {operators.index(number) for number in operands}
        return frozenset(numbers | {operators.index(number) for number in aliases})
    except TypeError:
        raise TypeError(
            "mutated_operands: expected the numbers of operands, counted as the tensors in "
            f"preorder from 0; got {operands!r} and the aliases {dict(aliases)!r}"
        ) from None


def _check_numbers(site: Site, operand_count: int, result_count: int) -> None:
    pairs = [(number, "operand", operand_count) for number in site.mutated]
    pairs += [(number, "result", result_count) for number in site.aliases.values()]
    for number, side, count in pairs:
        if number not in range(count):
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"input_output_aliases, mutated_operands: there is no {side} {number!r}, but "
                f"{count} {side}s, counted as the tensors in preorder from 0",
            )
    if len(set(site.aliases.values())) != len(site.aliases):
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"input_output_aliases: {site.aliases} has a result of two operands",
        )


_INSTEAD: list[tuple[Any, str, str]] = [
    ((np.ndarray, np.generic), "a NumPy array", "torch.from_numpy(...) or torch.as_tensor(...)"),
    (list, "a list", "a plain tuple for a tuple, torch.tensor(...) for a tensor"),
    (type(None), "None", "() for an empty tuple"),
    (dict, "a dict", "a plain tuple of its values, in the order that the target expects"),
    (tuple, "a named tuple", "a plain tuple, as tuple(...) makes it"),
    (
        (bool, int, float, complex),
        "a Python number",
        "a tensor such as torch.tensor(1.0), so that its type is plain",
    ),
]


def _check_tensor(leaf: Any, what: str) -> None:
    if isinstance(leaf, torch.Tensor):
        return
    for refused, name, instead in _INSTEAD:
        if isinstance(leaf, refused):
            raise TypeError(f"{what} is {name}; pass {instead}")
    raise TypeError(
        f"{what}: expected a tensor or a plain tuple of tensors, got {type(leaf).__name__}"
    )


# ---- Keys ---------------------------------------------------------------------------------------


def _key(site: Site) -> str:
    """What differs between sites. Functions are named only: they are compared as well."""
    return repr(
        (
            site.name,
            site.entry.target._content,
            site.entry.platform,
            site.entry.abi,
            _named(site.result),
            site.opaque,
            _frozen(site.attribute_values),
            site.operator_info.text,
            site.tuple_layout,
            sorted(site.aliases.items()),
            sorted(site.mutated),
            _named(site.backward),
            _named(site.setup_context),
            _named(site.vmap),
            site.has_side_effect,
            site.program and site.program.digest,
        )
    )


def _named(value: Any) -> Any:
    """A function by its name and what it does, as far as its code says that.

    torch.compile keeps programs for other processes by the names of the operators in them, so that
    another function must have another name.
    """
    if not callable(value):
        return value
    names = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    return names, _instructions(getattr(value, "__code__", None))


def _instructions(code: Any) -> Any:
    if not isinstance(code, types.CodeType):
        return repr(code) if isinstance(code, (int, float, str, bytes, tuple)) else None
    return code.co_code, code.co_names, tuple(map(_instructions, code.co_consts))


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return [(name, _frozen(value[name])) for name in sorted(value)]
    if isinstance(value, (np.ndarray, np.generic)):
        return type(value).__name__, str(value.dtype), value.shape, value.tobytes()
    return type(value).__name__, value


# ---- Rules for gradients of callbridge.torch's operators -----------------------------------------


def check(
    backward: Callable[..., Any] | None,
    setup_context: Callable[..., Any] | None,
    mutated: frozenset[int],
) -> None:
    """Raises TypeError or INVALID_ARGUMENT for what is no rule."""
    for name, function in (("backward", backward), ("setup_context", setup_context)):
        if function is not None and not callable(function):
            raise TypeError(f"{name}: expected a function, got {type(function).__name__}")
    if setup_context is not None and backward is None:
        raise CallbridgeError(
            "INVALID_ARGUMENT", "setup_context= is for backward=, which is missing; pass both"
        )
    if backward is not None and mutated:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            "backward= is for calls that write to none of their operands, as torch has it; leave "
            "out input_output_aliases= and mutated_operands=",
        )


def _register(operator: Operator) -> None:
    if operator.site.backward is not None:
        torch.library.register_autograd(
            f"callbridge::{operator.name}",
            operator.site.backward,
            setup_context=operator.site.setup_context,
            lib=_operators.LIBRARY,
        )


_operators.finish_with(_register)
