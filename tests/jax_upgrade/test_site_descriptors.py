"""When a call carries a site descriptor: the rule of _call_site.py for StableHLO and JAX, and that
of hlo/upgrade.cc for HLO, on the same calls."""

import itertools
import random
import re
import subprocess

import numpy as np
import pytest
from callbridge._core import _call_site
from callbridge._core._shapes import ShapeDtype

LEAF = ShapeDtype((), np.dtype(np.float32))
OPAQUES = [b"", b"abc"]
VERSIONS = [
    "API_VERSION_ORIGINAL",
    "API_VERSION_STATUS_RETURNING",
    "API_VERSION_STATUS_RETURNING_UNIFIED",
]


def some_tree(randomness, depth=0):
    if depth == 3 or randomness.random() < 0.5:
        return LEAF
    return tuple(some_tree(randomness, depth + 1) for _ in range(randomness.randrange(4)))


def sites():
    """Operands, result and opaque: all small ones, then many of arrays alone, and of any form."""
    trees = [LEAF, (), (LEAF,), (LEAF, LEAF), ((LEAF,),), ((),), (LEAF, ()), (LEAF, (LEAF,))]
    for operand, result, opaque in itertools.product(trees, trees, OPAQUES):
        yield (operand,), result, opaque
    randomness = random.Random(1)
    for operand_count, result_count in itertools.product(range(10), range(11)):
        result = (LEAF,) * result_count if result_count < 10 else LEAF
        yield (LEAF,) * operand_count, result, b""
    for _ in range(400):
        operands = tuple(some_tree(randomness) for _ in range(randomness.randrange(4)))
        yield operands, some_tree(randomness), randomness.choice(OPAQUES)


def hlo_type(tree):
    return f"({','.join(map(hlo_type, tree))})" if type(tree) is tuple else "f32[]"


def hlo_text(all_sites):
    """A module of one call a site, called site_0, site_1, ..."""
    types = sorted({hlo_type(operand) for operands, _, _ in all_sites for operand in operands})
    lines = [f"  p{i} = {text} parameter({i})" for i, text in enumerate(types)]
    for i, (operands, result, opaque) in enumerate(all_sites):
        names = ", ".join(f"p{types.index(hlo_type(operand))}" for operand in operands)
        lines.append(
            f"  c{i} = {hlo_type(result)} custom-call({names}), "
            f'custom_call_target="site_{i}", api_version={VERSIONS[i % 3]}, '
            f'backend_config="{opaque.decode()}"'
        )
    return "\n".join(["HloModule sites\n", "ENTRY e {", *lines, "  ROOT r = () tuple()", "}", ""])


@pytest.fixture(scope="module")
def by_hlo(build, tmp_path_factory):
    """Of each site, whether the upgraded call has a descriptor, and its bytes."""
    file = tmp_path_factory.mktemp("sites") / "sites.hlo"
    file.write_text(hlo_text(list(sites())))
    done = subprocess.run(
        [build / "callbridge", "upgrade", file], check=True, capture_output=True, text=True
    )
    call = (
        r'custom_call_target="site_(\d+)".*backend_config=\{(?:callbridge_site = dense<"0x(\w+)">)?'
    )
    found = {int(match[1]): match[2] for match in re.finditer(call, done.stdout)}
    return [found[i] and bytes.fromhex(found[i]) for i in range(len(found))]


def test_the_rule_for_hlo_is_the_rule_for_stablehlo(by_hlo):
    all_sites = list(sites())
    assert len(by_hlo) == len(all_sites) > 500
    needed = 0
    for (operands, result, opaque), descriptor in zip(all_sites, by_hlo):
        site = operands, result, "nested", opaque
        assert _call_site.needs_descriptor(*site, "typed") == (descriptor is not None), site
        if descriptor is not None:
            assert descriptor == _call_site.descriptor(*site)
            needed += 1
    assert 100 < needed < len(all_sites) - 100


@pytest.mark.parametrize("path", ["version_3", "typed"])
@pytest.mark.parametrize("site", [((LEAF,), LEAF), ((LEAF, LEAF), (LEAF, LEAF)), ((), ())])
def test_plain_arrays_need_none(site, path):
    assert not _call_site.needs_descriptor(*site, "nested", b"", path)
    assert not _call_site.needs_descriptor(*site, "nested", b"abc", "version_3")
    assert _call_site.needs_descriptor(*site, "nested", b"abc", "typed")
    assert not _call_site.needs_descriptor(*site, "nested", b"abc", "typed", reads_opaque=False)


def test_what_else_needs_one():
    def needs(operands, result, opaque=b"", path="version_3", layout="nested", **options):
        return _call_site.needs_descriptor(operands, result, layout, opaque, path, **options)

    assert needs((LEAF,), (LEAF,)) and needs((LEAF,), (LEAF,), layout="flat")
    assert needs(((LEAF,),), LEAF) and not needs(((LEAF,),), LEAF, layout="flat")
    assert needs((LEAF,), ((LEAF,), LEAF)) and not needs((LEAF,), ((LEAF,), LEAF), layout="flat")
    # An opaque that a descriptor could be taken for.
    assert needs((LEAF,), LEAF, _call_site.DESCRIPTOR_MAGIC)
    assert not needs(((LEAF,),), (LEAF,), takes_tuples=False)
