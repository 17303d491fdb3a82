"""oracle.py PLUGIN: asks a genuine plugin by ctypes what pjrt/plugin_versions.h has of it.

Prints a JSON object: the PJRT API's version, the size of the GPU custom-call extension's arguments,
whether the FFI extension has register_handler, whether a type gets the id that comes with it, and
the errors for a typed handler of an unknown version, for another one, and for a third one under the
name of that. With a second argument, only registers two untyped functions of one name, and prints a
line after each.
"""

import ctypes
import json
import re
import sys

VOID = ctypes.c_void_p
SIZE = ctypes.c_size_t


def read(address, kind=ctypes.c_uint64):
    return kind.from_address(address).value


def call(function, *fields):
    """Calls a function with a struct of these (type, value), the first of which is struct_size.
    Returns the address of its error, and the values afterwards."""
    names = [(f"field{i}", kind) for i, (kind, _) in enumerate(fields)]
    struct = type("Arguments", (ctypes.Structure,), {"_fields_": names})
    arguments = struct(*(value for _, value in fields))
    error = ctypes.CFUNCTYPE(VOID, VOID)(read(function))(ctypes.addressof(arguments))
    return error, [getattr(arguments, name) for name, _ in names]


def message_of(api, error):
    if not error:
        return ""
    _, values = call(
        api + 48, (SIZE, 40), (VOID, None), (VOID, error), (VOID, None), (SIZE, 0)
    )  # PJRT_Error_Message
    return ctypes.string_at(values[3], values[4]).decode()


def handler_of(minor):
    """A typed handler that answers nothing but the metadata query, with that version."""

    def answer(frame):
        extension = read(frame + 8)
        if extension and read(extension + 8, ctypes.c_int32) == 1:
            version = read(extension + 24) + 8  # XLA_FFI_Metadata.api_version
            ctypes.c_int32.from_address(version + 16).value = 0
            ctypes.c_int32.from_address(version + 20).value = minor

    return ctypes.CFUNCTYPE(VOID, VOID)(answer)


def main(plugin, two_functions):
    library = ctypes.CDLL(plugin)
    library.GetPjrtApi.restype = VOID
    api = library.GetPjrtApi()
    extensions, extension = {}, read(api + 8)
    while extension:
        extensions.setdefault(read(extension + 8, ctypes.c_int32), extension)
        extension = read(extension + 16)
    error, _ = call(extensions[0] + 24, (SIZE, 8))
    size = int(re.search(r"expected (\d+)", message_of(api, error))[1])
    handlers = [handler_of(minor) for minor in (1, 1, 99)]
    addresses = [ctypes.cast(handler, VOID).value for handler in handlers]

    def register(name, api_version, function):
        """Returns the plugin's error."""
        stages = [(VOID, None)] * ((size - 40) // 8)
        error, _ = call(
            extensions[0] + 24,
            *((SIZE, size), (ctypes.c_char_p, name), (SIZE, len(name))),
            *((ctypes.c_int32, api_version), *stages, (VOID, function)),
        )
        return message_of(api, error)

    if two_functions:
        register(b"function", 0, addresses[0])
        print("one", flush=True)
        register(b"function", 0, addresses[1])
        print("two", flush=True)
        return
    given = 1 << 50
    info = (VOID * 3)()
    name = b"oracle"
    error, values = call(
        extensions[5] + 24,
        *((SIZE, 48), (VOID, None), (ctypes.c_char_p, name), (SIZE, len(name))),
        *((ctypes.c_int64, given), (VOID, ctypes.addressof(info))),
    )
    answers = {
        "version": [read(api + 32, ctypes.c_int32), read(api + 36, ctypes.c_int32)],
        "arguments": size,
        "has_register_handler": read(extensions[5]) >= 48,
        "takes_type_ids": not error and values[4] == given,
        "version_error": register(b"another version", 1, addresses[2]),
        "first_error": register(b"handler", 1, addresses[0]),
        "other_error": register(b"handler", 1, addresses[1]),
    }
    print(json.dumps(answers))


main(sys.argv[1], len(sys.argv) > 2)
