"""CallbridgeError is, by its code, also the exception that Python has for such an error."""

import copy
import pickle
import subprocess
import sys

import callbridge.library
import numpy as np
import pytest
from callbridge import CallbridgeError
from callbridge._core import _c_api

# What a program can catch, by the codes of absl::Status; None: nothing but CallbridgeError.
PYTHONS = {
    "CANCELLED": None,
    "UNKNOWN": None,
    "INVALID_ARGUMENT": ValueError,
    "DEADLINE_EXCEEDED": TimeoutError,
    "NOT_FOUND": LookupError,
    "ALREADY_EXISTS": ValueError,
    "PERMISSION_DENIED": PermissionError,
    "RESOURCE_EXHAUSTED": MemoryError,
    "FAILED_PRECONDITION": None,
    "ABORTED": None,
    "OUT_OF_RANGE": IndexError,
    "UNIMPLEMENTED": NotImplementedError,
    "INTERNAL": None,
    "UNAVAILABLE": None,
    "DATA_LOSS": None,
    "UNAUTHENTICATED": PermissionError,
}
BUILT_IN = (ValueError, LookupError, OSError, MemoryError, RuntimeError, ArithmeticError)


def test_these_are_all_codes_that_the_library_has():
    assert [_c_api._error_code_name(number).decode() for number in range(1, 17)] == [*PYTHONS]


@pytest.mark.parametrize("code", PYTHONS)
def test_what_catches_an_error(code):
    error = CallbridgeError(code, "message")
    assert isinstance(error, CallbridgeError) and str(error) == f"{code}: message"
    assert (error.code, error.message, error.args) == (code, "message", (code, "message"))
    expected = PYTHONS[code]
    if expected is None:
        assert type(error) is CallbridgeError
        assert not isinstance(error, BUILT_IN)
        return
    with pytest.raises(expected, match=f"^{code}: message$") as raised:
        raise error
    assert raised.value is error
    others = [other for other in BUILT_IN if not issubclass(expected, other)]
    assert not isinstance(error, tuple(others))
    assert issubclass(expected, BUILT_IN)
    if isinstance(error, OSError):
        assert isinstance(error.errno, int) and error.filename is None


@pytest.mark.parametrize("code", PYTHONS)
def test_travels_with_its_kind(code):
    error = CallbridgeError(code, "with an é")
    error.add_note("seen")
    for travelled in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(travelled) is type(error)
        assert (travelled.code, travelled.message) == (code, "with an é")
        assert (travelled.args, str(travelled)) == (error.args, str(error))
        assert travelled.__notes__ == ["seen"]
        if isinstance(error, OSError):
            assert travelled.errno == error.errno
    read = "import pickle, sys; print(*type(pickle.load(sys.stdin.buffer)).__mro__)"
    done = subprocess.run(
        [sys.executable, "-c", read], input=pickle.dumps(error), capture_output=True, check=True
    )
    assert "'callbridge._core._error.CallbridgeError'" in done.stdout.decode()


def test_subclasses_of_users_stay_what_they_are():
    class Mine(CallbridgeError):
        pass

    assert type(Mine("NOT_FOUND", "x")) is Mine
    assert type(CallbridgeError("NO_SUCH_CODE", "x")) is CallbridgeError
    assert type(CallbridgeError(code="NOT_FOUND", message="x")).__bases__[1] is LookupError


def test_errors_of_each_kind_as_they_come(targets, tmp_path):
    one = np.float32(1)
    with pytest.raises(LookupError, match="^NOT_FOUND: .*no target 'nobody'"):
        targets.run("nobody", [one], "f32[]")
    with pytest.raises(LookupError, match="^NOT_FOUND: "):
        callbridge.library.load(tmp_path / "nothing.so")
    with pytest.raises(ValueError, match="^INVALID_ARGUMENT: "):
        targets.run("example", [one], "f32[]", tuple_layout="old")
    with pytest.raises(ValueError, match="^INVALID_ARGUMENT: "):
        targets.run("example", [one], "f32[", abi="original")
    with pytest.raises(CallbridgeError, match="^INTERNAL: CustomCall failed: it fails") as raised:
        options = {"abi": "status_returning_unified", "opaque": b"it fails"}
        targets.run("fail", [], "f32[]", **options)
    assert type(raised.value) is CallbridgeError
