"""What the module in C refuses, which is made for callbridge.numpy alone."""

import numpy as np
import pytest
from callbridge import _c_api, _call_site, _extension, _handles, _operands, _target
from callbridge._buffers import Form
from callbridge.library import load

pytestmark = pytest.mark.skipif(_extension.MODULE is None, reason="it is not there")
X = np.ones(3, np.float32)


@pytest.fixture(scope="module")
def handle(built):
    """Of a call of f32[3] -> f32[3]."""
    library = load(built / "python" / "targets.so")
    target = _target.to_c(library.target("refuse_negative"), None)
    return _handles.bind(target, site((X,), X))


def site(operands, result) -> _c_api.Site:
    from callbridge import _shapes

    return _call_site.site(operands, result, "classic", b"", _shapes.array_text)


def bound(handle, operands=(X,), results=(X,), aliases=(-1,), tree=None):
    forms = tuple(map(Form, operands)), tuple(map(Form, results))
    return _extension.MODULE.BoundCall(handle, *forms, aliases, tree)


def caller(bind, prepare=_operands.arrays):
    return _extension.MODULE.Caller({}, prepare, bind).call


def test_a_call(handle):
    call = caller(lambda key, operands: bound(handle))
    assert call((X,)).tolist() == [1, 0, 0]
    alike = caller(lambda key, operands: bound(handle, tree=((None,), ())))
    (inner,), empty = alike((X,))
    assert inner.tolist() == [1, 0, 0] and empty == ()


def test_uses_are_counted(handle):
    first, second = bound(handle), bound(handle)
    assert first.last_use < second.last_use
    caller(lambda key, operands: first)((X,))
    assert first.last_use > second.last_use


@pytest.mark.parametrize("operands", [[X], X, None])
def test_operands_in_no_tuple(operands):
    with pytest.raises(TypeError, match="expected an exact tuple of operands"):
        caller(None)(operands)


def test_what_is_no_caller():
    for arguments in ([[], None, None], [{}, None], []):
        with pytest.raises(TypeError):
            _extension.MODULE.Caller(*arguments)


def test_bind_returns_a_bound_call(handle):
    for wrong in (None, 3, handle):
        with pytest.raises(TypeError, match=r"bind\(\) must return a BoundCall"):
            caller(lambda key, operands: wrong)((X,))  # noqa: B023


def test_prepare_leaves_no_operand_unprepared(handle):
    turned = np.ones((2, 2), np.float32).T
    for prepared in ((turned,), [X], (3,), turned):
        call = caller(lambda key, operands: bound(handle), lambda _: prepared)  # noqa: B023
        with pytest.raises(SystemError, match=r"prepare\(\) left an operand unprepared"):
            call((turned,))
    with pytest.raises(ZeroDivisionError):
        caller(lambda key, operands: bound(handle), lambda _: 1 // 0)((turned,))


def test_aliases_are_of_operands(handle):
    for wrong in (1, 2**40):
        with pytest.raises(IndexError, match="an alias of no operand"):
            bound(handle, aliases=(wrong,))
    with pytest.raises(IndexError):
        bound(handle, aliases=())
    with pytest.raises(TypeError):
        bound(handle, aliases=("0",))


def test_operands_are_of_the_form(handle):
    wrong = [
        ((X, X), "another number of operands"),
        ((), "another number of operands"),
        ((np.ones(4, np.float32),), "another size than its form"),
        ((np.ones(2, np.float32),), "another size than its form"),
    ]
    for operands, words in wrong:
        call = caller(lambda key, operands: bound(handle))
        with pytest.raises(SystemError, match=words):
            call(operands)


def test_results_are_of_the_form(handle):
    for count in (2, 100):
        tree = (None,) * count
        call = caller(lambda key, operands: bound(handle, tree=tree))  # noqa: B023
        with pytest.raises(SystemError, match="a result has more arrays than its form"):
            call((X,))
