"""Names that the public modules of JAX releases before the first walked one bind, by their sources.

    older.py SDIST... [--left NAMES]    prints "NAME FIRST LAST [WHY]" a line, by name

FIRST and LAST are the releases, of these, that have it. Such a release has no jaxlib that can still
be had, so it is read and not imported: what a module defines, assigns or imports from JAX. WHY is a
key of LEFT for the names that the file NAMES lists, one a line: nothing stands for those.
"""

import ast
import pathlib
import re
import sys
import tarfile

LEFT = {
    "units": "jaxprs had units then, for what is no array",
    "dynamic-shapes": "an experiment with arrays of dynamic shape",
    "element-types": "an experiment with element types, which are jax.dtypes.extended now",
    "xmap": "a part of xmap, or of arrays on several hosts before jax.Array",
    "builtins": "a star import would put JAX's map or zip in place of the program's",
    "aliases": "a name for a type, which annotations were written with",
    "helpers": "not JAX's own: flags, loggers, type variables, modules for JAX's code",
    "parts": "a part of how JAX traced, lowered or ran a program, which is made otherwise now",
}
_WHY = [
    ("builtins", r"\.(unsafe_)?(map|zip)$"),
    ("helpers", r"\.(config|flags|FLAGS|logger|identity|jax|typing|lib|T|MYPY|collections|ref|xla_extension_version|mlir_api_version|cache|safe_zip|util|tree_map|source_info_util|as_hashable_function|xb|xe|core|cusparse|sparse_apis|pmap_lib|device_array|masking|maps|split_dict|assert_unreachable)$"),  # noqa: E501
    ("aliases", r"\.(ArrayLike|ArrayMappingOrAutoOrUnspecified|Atom|AvalId|AvalMapHandlerPair|AxisName|AxisSize|Bool|Const|ConstFoldRule|ConstId|CustomPpEqnRule|DCERule|DType|DimSize|Elt|ErrorCheckRule|ForwardingRule|FromEltHandler|GetIdx|Index|InputType|Int|JaxprTracerRecipe|KeyPath|MakeIotaHandler|MapSpec|Out|OutputType|ParamsUpdater|PartialEvalCustomRule|PjitSharding|PxlaResultHandler|ResAvalUpdater|ResourceAxisName|Shape|ToEltHandler|Vmappable|XLADeviceAssignment)$"),  # noqa: E501
    ("units", r"[Uu]nit"),
    ("dynamic-shapes", r"BInt|DArray$|DBIdx|DConcreteArray|PaddedArray|DArrayDimHandler|DShapedArray|Bound$|Abstracted|make_bint|Dim(Expr|Poly)Evaluator|DimensionHandler"),  # noqa: E501
    ("element-types", r"eltype|OpaqueDType|opaque_dtypes"),
    ("xmap", r"experimental\.maps\.|GDA|GlobalDeviceArray|global_device_array|gda_|gsda_|soft_pmap|sharded_jit|MeshPspecSharding|OpShardingSharding|AxisSubst|axis_substitution|DuplicateAxisName"),  # noqa: E501
]  # fmt: skip


def bound(body):
    """The names that statements bind: what is imported, from JAX alone."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module.partition(".")[0] == "jax":
                yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == "jax":
                    yield alias.asname or "jax"
        elif isinstance(node, (ast.If, ast.Try)):
            yield from bound([*node.body, *node.orelse])


def is_public(parts):
    left_out = {"build", "jax2tf", "test_util", "tests", "tools"}
    return not left_out & set(parts) and not any(part[0] == "_" for part in parts)


def names(sdist):
    """The public names of a release, "module.name"."""
    with tarfile.open(sdist) as archive:
        for member in archive:
            path = pathlib.PurePosixPath(*pathlib.PurePosixPath(member.name).parts[1:])
            if path.suffix != ".py" or path.parts[0] != "jax":
                continue
            parts = [*path.parent.parts, *[path.stem] * (path.stem != "__init__")]
            if not is_public(parts):
                continue
            tree = ast.parse(archive.extractfile(member).read())
            yield from (f"{'.'.join(parts)}.{n}" for n in bound(tree.body) if n[0] not in "_*")


def why(name):
    return next((key for key, pattern in _WHY if re.search(pattern, name)), "parts")


def main(arguments):
    left = set()
    if "--left" in arguments:
        *arguments, _, file = arguments
        left = set(pathlib.Path(file).read_text().split())
    found = {}
    for sdist in arguments:
        release = re.search(r"jax-([\d.]+)\.tar", sdist)[1]
        for name in set(names(sdist)):
            found.setdefault(name, []).append(release)
    for name, releases in sorted(found.items()):
        releases.sort(key=lambda release: [int(part) for part in release.split(".")])
        print(name, releases[0], releases[-1], *[why(name)] * (name in left))


if __name__ == "__main__":
    main(sys.argv[1:])
