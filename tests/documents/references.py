"""What docs/reference lists, and what it has to: read from the sources alone."""

import ast
import itertools
import pathlib
import re
import shlex

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/reference"
# A declaration of a header: at its first column, since namespaces do not indent.
DECLARATION = re.compile(
    r"(?:CALLBRIDGE_EXPORTED|class|struct|enum|using|typedef|template|inline|constexpr|auto"
    r"|\[\[noreturn|#define)\b"
)
# What needs no text: forward declarations, specializations, guards, members that a class declared.
NEEDS_NONE = re.compile(
    r"(template <[^{]*> *)?(class|struct|enum class) \w+;|struct (XLA_FFI_|PJRT_)\w+;|using ::"
    r"|template <> |(template <[^{]*> *)?(class|struct) \w+<"
    r"|#define (\w+_H_|XLA_FFI_API_FFI_H_)|(template <[^{]*> *)?[^({]*\w>?::~?\w+\("
)
# Namespaces that are no user's, with the line at which each ends.
HIDDEN = {
    f"namespace {name} {{": f"}}  // namespace {name}"
    for name in ("internal", "exports", "c_form", "handler_call")
}


def headers():
    """The headers that Doxygen reads."""
    text = (ROOT / "docs/Doxyfile").read_text().replace("\\\n", " ")
    (listed,) = re.findall(r"^INPUT\s*=(.*)$", text, re.MULTILINE)
    for name in shlex.split(listed):
        path = ROOT / name
        yield from sorted(path.glob("*.h")) if path.is_dir() else [path]


def group(*words):
    """The name that scripts/doxygen_comments gives to a header, or to a part of one."""
    return re.sub(r"\W+", "_", "_".join(words)).lower().strip("_")


def groups(header):
    """Those of a header: its own, and in a C header that of each banner."""
    text = header.read_text()
    banners = re.findall(r"^// ---- (.+?)(?: -+)?$", text, re.MULTILINE)
    in_c = 'extern "C" {' in text
    return [group(header.name)] + [group(header.name, b) for b in banners if in_c]


def listed_groups():
    pages = "".join(path.read_text() for path in PAGES.glob("*.md"))
    return re.findall(r"^\.\. doxygengroup:: (\w+)$", pages, re.MULTILINE)


def paragraphs(header):
    """The public declarations of a header, each with its comment, as lists of lines."""
    lines = header.read_text().split("\n")
    # Without `namespace internal { ... }`, and without what the private parts of macros continue.
    shown, hidden = [], False
    for line in lines:
        hidden = hidden or line in HIDDEN
        if not hidden and line not in ("// clang-format off", "// clang-format on"):
            shown.append(line)
        hidden = hidden and line not in HIDDEN.values()
    for is_text, part in itertools.groupby(shown, lambda line: bool(line.strip())):
        if is_text:
            yield list(part)


def without_text(header):
    """The first lines of declarations that begin a paragraph which no comment begins."""
    for lines in paragraphs(header):
        while lines and lines[0].startswith(("#if", "#endif", "#include", "#pragma", "// NOLINT")):
            lines.pop(0)
        if lines and DECLARATION.match(lines[0]) and not NEEDS_NONE.match(" ".join(lines)):
            yield lines[0]


# Those by which the registry's inline class calls the library.
OF_THE_REGISTRY = {
    "callbridge_lookup_target",
    "callbridge_register_target",
    "callbridge_visit_targets",
}


def declared_in_c():
    """The names of functions that the listed C headers declare."""
    return {
        name
        for path in headers()
        for name in re.findall(
            r"^CALLBRIDGE_EXPORTED [^;(]*?\b(\w+)\(", path.read_text(), re.MULTILINE
        )
    }


def modules():
    """The public modules of the Python package, by name, with their syntax trees."""
    package = ROOT / "python/callbridge"
    packages = [package / f"{name}/__init__.py" for name in ("jax", "resurrect", "torch")]
    paths = [*package.glob("*.py"), *packages]
    for path in sorted(paths):
        if path.name.startswith("_") and path.parent == package:
            continue
        name = path.parent.name if path.stem == "__init__" else path.stem
        yield f"callbridge.{name}", ast.parse(path.read_text())


def public_names(tree):
    """__all__; of a module without one, what it defines and does not hide."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return set(ast.literal_eval(node.value))
    return {node.name for node in definitions(tree) if not node.name.startswith("_")}


def definitions(tree):
    kinds = (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
    return [node for node in tree.body if isinstance(node, kinds)]


def without_docstring(tree):
    """The public functions, classes and methods that have none; of overloads the last has it."""
    names = public_names(tree)
    last = {node.name: node for node in definitions(tree) if node.name in names}
    for node in list(last.values()):
        if isinstance(node, ast.ClassDef):
            methods = {m.name: m for m in definitions(node) if not m.name.startswith("_")}
            last.update({f"{node.name}.{name}": m for name, m in methods.items()})
    return sorted(name for name, node in last.items() if not ast.get_docstring(node))


def exported_in_c():
    """The functions of the C ABI that the libraries promise."""
    for path in ("c_api/exported_symbols.txt", "client/exported_symbols.txt"):
        for line in (ROOT / path).read_text().splitlines():
            name = line.partition("#")[0].strip()
            if re.fullmatch(r"callbridge_\w+|XlaCustomCallStatus\w+", name):
                if name not in OF_THE_REGISTRY:
                    yield name


def names_of_python():
    """The full names of what the Python page lists."""
    left_out, alone = listed_in_python()
    for module, tree in modules():
        for name in public_names(tree) - left_out[module]:
            yield f"{module}.{name}"
    yield from alone


def listed_in_python():
    """The names that the Python page leaves out, by module; and those it names one by one."""
    text = (PAGES / "python.md").read_text()
    by_module = {}
    for name, options in re.findall(
        r"^\.\. automodule:: (\S+)\n((?:   :.*\n)*)", text, re.MULTILINE
    ):
        assert ":members:" in options, name
        excluded = re.search(r":exclude-members: (.*)", options)
        by_module[name] = set(excluded[1].split(", ")) if excluded else set()
    alone = re.findall(r"^\.\. auto(?:exception|class|function):: (\S+)$", text, re.MULTILINE)
    return by_module, set(alone)
