"""A case as a StableHLO module without arguments: its operands are constants, so that no version of
Python's API for buffers is needed, and its attributes are exactly those of the case."""

import cases

_TYPES = {
    "pred": "i1",
    "c64": "complex<f32>",
    "c128": "complex<f64>",
    "f8e5m2": "f8E5M2",
    "f8e4m3fn": "f8E4M3FN",
    "f8e4m3b11fnuz": "f8E4M3B11FNUZ",
    "f8e5m2fnuz": "f8E5M2FNUZ",
    "f8e4m3fnuz": "f8E4M3FNUZ",
    "f8e4m3": "f8E4M3",
    "f8e3m4": "f8E3M4",
    "f8e8m0fnu": "f8E8M0FNU",
    "f4e2m1fn": "f4E2M1FN",
}
# NumPy has no such types: the program makes them of unsigned ones, and unsigned ones of them.
_CARRIERS = {"bf16": "u16", **{name: "u8" for name in _TYPES if name.startswith("f8")}}


def element_type(name):
    if name in _TYPES or name[0] not in "su":
        return _TYPES.get(name, name)
    return ("i" if name[0] == "s" else "ui") + name[1:]


def tensor_type(type_, dimensions):
    if type_ == "token":
        return "!stablehlo.token"
    return f"tensor<{''.join(f'{d}x' for d in dimensions)}{element_type(type_)}>"


def _type(value):
    return tensor_type(value.type, value.dimensions)


def _number(type_, number):
    if type_ == "pred":
        return "true" if number else "false"
    if type_ in ("c64", "c128"):
        return f"({complex(number).real!r}, {complex(number).imag!r})"
    if type_[0] == "f":
        return repr(float(number))
    return repr(int(number))


def _elements(value):
    """As nested lists."""
    numbers = value.elements
    if value.type in _CARRIERS:
        width = int(_CARRIERS[value.type][1:]) // 8
        data = bytes(numbers)
        numbers = [
            int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)
        ]
    carrier = _CARRIERS.get(value.type, value.type)
    texts = [_number(carrier, number) for number in numbers]
    if not texts:
        return ""
    for dimension in value.dimensions[::-1]:
        texts = [
            f"[{', '.join(texts[i : i + dimension])}]" for i in range(0, len(texts), dimension)
        ]
    return texts[0]


def string(data):
    return '"' + "".join(f"\\{byte:02X}" for byte in data) + '"'


def attribute(value, address_of):
    if isinstance(value, cases.Address):
        return f"{address_of(value.symbol)} : i64"
    if isinstance(value, bytes):
        return string(value)
    if isinstance(value, dict):
        return dictionary(value, address_of)
    if isinstance(value, cases.Scalar):
        if value.type == "pred":
            return _number("pred", value.value)
        return f"{_number(value.type, value.value)} : {element_type(value.type)}"
    numbers = ", ".join(_number(value.type, number) for number in value.values)
    if value.type[0] == "u":
        return f"dense<[{numbers}]> : tensor<{len(value.values)}x{element_type(value.type)}>"
    return f"array<{element_type(value.type)}{': ' if numbers else ''}{numbers}>"


def dictionary(attributes, address_of):
    items = (f"{name} = {attribute(value, address_of)}" for name, value in attributes.items())
    return f"{{{', '.join(items)}}}"


def module(case, target, address_of, old):
    """`old`: jaxlib 0.4.30's dialect knows nothing of typed calls, and takes them by the way."""
    lines = []

    def operation(name, operands, results, attributes=""):
        first = f"%v{len(lines)}"
        value = f"{first}:{len(results)}" if len(results) > 1 else first
        lines.append(
            (f"{value} = " if results else "")
            + f'"{name}"({", ".join(o for o, _ in operands)}) {{{attributes}}} : '
            + f"({', '.join(t for _, t in operands)}) -> ({', '.join(results)})"
        )
        if len(results) > 1:
            return [(f"{first}#{i}", type_) for i, type_ in enumerate(results)]
        return [(first, type_) for type_ in results]

    def constant(value):
        if value.type == "token":
            return operation("stablehlo.create_token", [], [_type(value)])[0]
        carrier = tensor_type(_CARRIERS.get(value.type, value.type), value.dimensions)
        made = operation(
            "stablehlo.constant", [], [carrier], f"value = dense<{_elements(value)}> : {carrier}"
        )[0]
        if value.type in _CARRIERS:
            return operation("stablehlo.bitcast_convert", [made], [_type(value)])[0]
        return made

    operands = [constant(value) for value in case.operands]
    config = "mhlo.backend_config" if old else "backend_config"
    called = operation(
        "stablehlo.custom_call",
        operands,
        [_type(value) for value in case.results],
        f"call_target_name = {string(target.encode())}, api_version = {1 if old else 4} : i32, "
        f"has_side_effect = true, {config} = {dictionary(case.attributes, address_of)}",
    )
    returned = []
    for value, result in zip(case.results, called, strict=True):
        if value.type == "token":
            continue
        if value.type in _CARRIERS:
            carrier = tensor_type(_CARRIERS[value.type], value.dimensions)
            result = operation("stablehlo.bitcast_convert", [result], [carrier])[0]
        returned.append(result)
    types = ", ".join(type_ for _, type_ in returned)
    body = "\n".join(lines)
    names = ", ".join(name for name, _ in returned)
    return (
        f"func.func public @main() -> ({types}) {{\n{body}\n"
        f"return {names}{' : ' if returned else ''}{types}\n}}\n"
    )
