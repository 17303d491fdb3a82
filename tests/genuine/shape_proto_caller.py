"""Calls the targets of shape_proto_unlinked.so, on serialized_shapes.messages().

  python shape_proto_caller.py genuine FOLDER STATUS_LIBRARY   by themselves, bound to TensorFlow's
                                                               libraries in FOLDER
  python shape_proto_caller.py callbridge [LIBRARY...]         through callbridge; the libraries are
                                                               put into the global scope before

Prints a line for each call: what it wrote, in hexadecimal, or "failed". test_shape_proto.py
compares.
"""

import ctypes
import os
import pathlib
import sys

import serialized_shapes

BINARY = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"]).parent / "tests/targets/shape_proto_{}.so"
SIZE = 100_000  # The most that is written is 22,867 bytes.
MESSAGES = serialized_shapes.messages(seed=6, count=300)


def genuine(folder, status_library):
    for name in ("libtensorflow_framework.so.2", "libtensorflow_cc.so.2"):
        ctypes.CDLL(f"{folder}/{name}", ctypes.RTLD_GLOBAL)
    status = ctypes.CDLL(status_library, ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(str(BINARY).format("unlinked"))
    out = ctypes.create_string_buffer(SIZE)

    def call(name, opaque):
        function = library[f"_Z{len(name)}{name}PvPPKvPKcmP20XlaCustomCallStatus_"]
        function(out, None, opaque, ctypes.c_size_t(len(opaque)), None)
        return None if status.take_failure() else out.raw

    return call


def through_callbridge(*libraries):
    import callbridge.library

    for name in libraries:
        ctypes.CDLL(name, ctypes.RTLD_GLOBAL)
    loaded = [callbridge.library.load(str(BINARY).format(w)) for w in ("unlinked", "unoptimised")]

    def call(name, opaque):
        written = []
        for library in loaded:
            try:
                written.append(library.run(name, [], f"u8[{SIZE}]", opaque=opaque).tobytes())
            except callbridge.library.CallbridgeError as error:
                assert str(error) == "INTERNAL: CustomCall failed: the opaque is no ShapeProto"
                written.append(None)
        size = int.from_bytes(written[0][:8], "little") if written[0] else 0
        assert [w and w[: 8 + size] for w in written[1:]] == [written[0] and written[0][: 8 + size]]
        return written[0]

    return call


def main(who, *arguments):
    call = {"genuine": genuine, "callbridge": through_callbridge}[who](*arguments)
    for message in MESSAGES:
        for name in ("read_shape", "write_shape"):
            out = call(name, message)
            size = int.from_bytes(out[:8], "little") if out else 0
            print(out[8 : 8 + size].hex() if out else "failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
