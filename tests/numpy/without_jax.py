"""A program that calls one target of each ABI on NumPy arrays, where there is no JAX to import.

    without_jax.py TESTS

TESTS is the folder tests/ of a build. Without ml_dtypes too at first, which callbridge needs for
its types alone. It exits 0 if all results are right.
"""

import os
import pathlib
import sys
import threading
import types

import numpy as np


class Absent:
    """A finder that has none of the modules."""

    NAMES = ("jax", "jaxlib", "ml_dtypes")

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.NAMES:
            raise ModuleNotFoundError(f"{name} is absent", name=name)


sys.meta_path.insert(0, Absent())

import callbridge.numpy  # noqa: E402

tests = pathlib.Path(sys.argv[1])
library = callbridge.numpy.load(tests / "python" / "targets.so")
callbridge.numpy.load(tests / "targets" / "typed_handlers.so")
custom_call = callbridge.numpy.custom_call

b, c = np.arange(128, dtype=np.float32), np.linspace(0, 1, 2048, dtype=np.float32)
np.testing.assert_array_equal(custom_call("example", "f32[2048]")(b, c), np.tile(b, 16) + c)
assert custom_call("refuse_negative", "f32[]")(np.float32(4)) == 4
assert custom_call("digest_opaque", "u64[2]", opaque=b"\0\xff")()[0] == 2
scale = custom_call("scale", "f32[3]", attributes={"factor": np.float32(2)})
assert scale(np.arange(3, dtype=np.float32)).tolist() == [0, 2, 4]


def waits_for_another_thread(call):
    """That a target runs while another thread runs Python: else neither goes on any more."""
    ends = [os.pipe() for _ in range(2)]
    got = []
    fds = np.array([ends[0][0], ends[1][1]], np.int32)
    thread = threading.Thread(target=lambda: got.append(call(fds)), daemon=True)
    thread.start()
    assert os.read(ends[1][0], 1) == b"!"
    os.write(ends[0][1], b"\7")
    thread.join()
    assert got == [7], got


waits_for_another_thread(custom_call("exchange_bytes", "u8[]"))
waits_for_another_thread(lambda fds: library.run("exchange_bytes", [fds], "u8[]"))


def refused():
    try:
        custom_call("example", "bf16[4]")
    except callbridge.numpy.CallbridgeError as error:
        assert error.code == "UNIMPLEMENTED", error
        assert "bf16 is ml_dtypes.bfloat16" in error.message, error
        return
    raise AssertionError("bf16 without ml_dtypes")


refused()
assert not any(name in sys.modules for name in Absent.NAMES)
# One that is too old to have the type.
sys.modules["ml_dtypes"] = types.ModuleType("ml_dtypes")
refused()
# With it, which nobody has imported so far.
del sys.modules["ml_dtypes"]
Absent.NAMES = ("jax", "jaxlib")
copied = custom_call("copy_bytes", "bf16[2]", opaque=(4).to_bytes(8, "little"))(
    np.array([0x3F80, 0x4000], np.uint16)
)
assert copied.dtype.name == "bfloat16" and copied.tolist() == [1, 2]
assert not any(name in sys.modules for name in Absent.NAMES)
