"""The rules of the Python house: a room imports only rooms below it, and no circle is in it.

What a function imports when it is called counts, and what is imported for the type checker too.
"""

import ast
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python/callbridge"

# A room imports itself and rooms on lower floors. Rooms of one floor do without each other.
FLOORS = {
    "resurrect": 12,
    "resurrect._names": 11,
    "resurrect._builder": 10,
    "resurrect._lowering": 9,
    "resurrect._registration": 8,
    "resurrect._backports": 7,
    "_command": 6,
    "torch_xla": 6,
    "jax": 5,
    "torch": 5,
    "numpy": 5,
    "_calls": 4,
    "_targets": 4,
    "migrate": 4,
    "library": 3,
    "config": 3,
    "_audit": 3,
    "_core": 2,
    "typing": 1,
}
# The exception that `import callbridge` shows; it needs nothing else.
FRONT_DOOR = "callbridge"


def modules(package):
    """The path of each module, by its dotted name below `package`."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


def imports(path, known):
    """The line and the name of each of the `known` modules that a module imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            names = [
                full if (full := f"{node.module}.{alias.name}").partition(".")[2] in known
                else node.module
                for alias in node.names
            ]  # fmt: skip
        else:
            continue
        for name in names:
            front, _, rest = name.partition(".")
            if front == FRONT_DOOR and rest in known:
                yield node.lineno, rest


def room_of(module):
    """The room that a module stands in: the longest of the names in FLOORS that begin its own."""
    parts = module.split(".")
    for count in range(len(parts), 0, -1):
        if (room := ".".join(parts[:count])) in FLOORS:
            return room
    return None


def floor_violations(package):
    known = modules(package)
    found = []
    for module, path in known.items():
        if not module:
            continue
        room = room_of(module)
        if room is None:
            found.append(f"{module}: no such room stands on a floor")
            continue
        for line, other in imports(path, known):
            if not other:
                continue
            into = room_of(other)
            if into is not None and into != room and FLOORS[into] >= FLOORS[room]:
                found.append(
                    f"{module}:{line}: {room} (floor {FLOORS[room]}) imports {into} "
                    f"(floor {FLOORS[into]})"
                )
    return found


def import_graph(package):
    """The modules that each module imports."""
    known = modules(package)
    return {module: {m for _, m in imports(path, known)} for module, path in known.items()}


def reached(graph, begin):
    """These modules, and those that they lead to."""
    found, rest = set(begin), list(begin)
    while rest:
        new = graph[rest.pop()] - found
        found |= new
        rest += new
    return found


def circles(package):
    """Each set of modules that lead back to each other by their imports."""
    known = import_graph(package)
    reach = {module: reached(known, imported) for module, imported in known.items()}
    return sorted(
        {
            tuple(sorted(other for other in reach[module] if module in reach[other]))
            for module in known
            if module in reach[module]
        }
    )


def repeated_prefixes(package):
    """The modules whose names begin with that of the package they are in."""
    return [
        module
        for module in modules(package)
        for _, _, within in [module.rpartition(".")]
        if "." in module
        and (room := module.split(".")[-2].strip("_"))
        and within.strip("_").startswith(f"{room}_")
    ]


def hidden_modules(package):
    """The modules that `from package import module` does not find, since the package itself has
    something else by that name."""
    found = []
    for module, path in modules(package).items():
        if path.name == "__init__.py":
            assigned = {
                name.id
                for node in ast.parse(path.read_text()).body
                for name in ast.walk(node)
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
            }
            within = {other.stem for other in path.parent.glob("*.py")}
            found += [f"{module}.{name}" for name in sorted(assigned & within)]
    return found


def test_rooms_import_rooms_below_them():
    assert floor_violations(PACKAGE) == []


def test_there_is_no_circle():
    assert circles(PACKAGE) == []


def test_no_module_repeats_the_name_of_its_package():
    assert repeated_prefixes(PACKAGE) == []


def test_no_module_is_hidden():
    assert hidden_modules(PACKAGE) == []


def test_every_room_is_there():
    known = modules(PACKAGE)
    assert [room for room in FLOORS if room not in known] == []


# ---- Each rule finds what breaks it -------------------------------------------------------------


@pytest.fixture
def house(tmp_path):
    def build(**sources):
        for name, source in {"__init__": "", "jax/__init__": "", "_core/__init__": ""}.items():
            path = tmp_path / f"{name}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(source)
        for name, source in sources.items():
            (tmp_path / f"{name.replace('__', '/')}.py").write_text(source)
        return tmp_path

    return build


@pytest.mark.parametrize(
    "source",
    [
        "import callbridge.jax",
        "import callbridge.jax._registry",
        "from callbridge.jax import _registry",
        "from callbridge.jax._registry import registry",
        "def f():\n    from callbridge.jax import _registry",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from callbridge import jax",
    ],
)
def test_an_import_upwards_is_found(house, source):
    package = house(_core__shapes=source, jax___registry="")
    assert [violation.rpartition(":")[2] for violation in floor_violations(package)] == [
        " _core (floor 2) imports jax (floor 5)"
    ]


def test_a_room_without_a_floor_is_found(house):
    assert floor_violations(house(_attic="")) == ["_attic: no such room stands on a floor"]


def test_a_circle_is_found(house):
    package = house(
        _core___a="from callbridge._core import _b",
        _core___b="def f():\n    from callbridge._core._a import x",
        _core___c="from callbridge._core import _a",
    )
    assert circles(package) == [("_core._a", "_core._b")]


def test_a_repeated_prefix_is_found(house):
    package = house(jax___jax_arrays="", jax___arrays="")
    assert repeated_prefixes(package) == ["jax._jax_arrays"]


def test_a_hidden_module_is_found(house):
    package = house(jax___ffi_call="")
    (package / "jax/__init__.py").write_text("_ffi_call = print")
    assert hidden_modules(package) == ["jax._ffi_call"]
