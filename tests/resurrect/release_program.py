"""Compares JAX's release with others, as packages do: as text, which the numbers decide."""

import copy
import json
import pickle

import callbridge.resurrect  # noqa: F401
import jax
import jaxlib
import jaxlib.version

natively = "".join(jax.__version__)
numbers = [int(number) for number in natively.split(".")]
newer = ".".join(map(str, [*numbers[:2], numbers[2] + 9]))
# Below and above, so that the text says the opposite in one of each.
older = ["0.2.28", "0.3.9", "0.4.1", "0.4.9", *(f"0.{minor}" for minor in range(numbers[1]))]
newest = [newer, f"0.{numbers[1] + 1}", "0.99.0", "0.99", "0.100.0", "0.100", "1.0", "10.0.0"]
for release in (jax.__version__, jaxlib.__version__, jaxlib.version.__version__):
    for other in older:
        assert release > other and release >= other and other < release and other <= release
        assert not (release < other or release <= other or other > release or other >= release)
    for other in newest:
        assert release < other and release <= other and other > release and other >= release
        assert not (release > other or release >= other or other < release or other <= release)
    assert release == natively and hash(release) == hash(natively) and {release: 1}[natively] == 1
    assert release <= natively <= release and not release < natively and not release > natively
    assert release < natively + ".1" and release < natively + "rc1"
    assert release < "jax" and release > ""  # no releases: text
    assert type(str(release)) is str and f"{release}" == natively
    assert isinstance(release, str) and json.dumps(release) == json.dumps(natively)
    assert pickle.loads(pickle.dumps(release)) == copy.deepcopy(release) == natively
    try:
        release < 1  # noqa: B015
    except TypeError:
        pass
    else:
        raise AssertionError("a release is no number")
    assert tuple(map(int, release.split("."))) == tuple(numbers)
print("release: ok")
