"""A program that calls targets while its interpreter ends.

    last_calls.py TESTS WHO HOW

TESTS is the folder tests/ of a build. WHO calls them: "atexit", a function that was registered
before callbridge was imported, and so runs after all that callbridge registers; "del", the __del__
of a global; "cycle", the __del__ of an object in a cycle of references, with all that it calls;
"threads", daemon threads. HOW it ends: "return", "exit" or "raise". It prints "called" and how many
calls there were.
"""

import atexit
import gc
import sys
import threading

tests, who, how = sys.argv[1:]
calls = []


def call_all(calls=calls, print=print):
    for call, result in calls:
        assert call() == result, (call(), result)
    print("called", len(calls), flush=True)


if who == "atexit":
    atexit.register(call_all)

import callbridge.numpy  # noqa: E402
import numpy as np  # noqa: E402


def make_calls(module=callbridge.numpy, np=np):
    """Calls of everything that outlives one call: bound ones, attributes, libraries.

    They need no globals, which are gone before the last objects are.
    """
    untyped = module.load(f"{tests}/python/targets.so")
    typed = module.load(f"{tests}/targets/typed_handlers.so")
    custom_call, F32 = module.custom_call, np.dtype(np.float32)
    vector, four = np.arange(3, dtype=F32), np.full((), 4, F32)
    scale = {"attributes": {"factor": np.float32(2)}}
    bound = custom_call("scale", "f32[3]", **scale)
    bound(vector)
    unbound = custom_call("scale", "f32[3]", **scale)  # until the end
    opaque = custom_call("digest_opaque", "u64[2]", opaque=b"ab")
    opaque()
    doubled = [0, 2, 4]
    return [
        (lambda: bound(vector).tolist(), doubled),
        (lambda: opaque().tolist()[0], 2),
        (lambda: unbound(vector).tolist(), doubled),
        (lambda: custom_call("scale", "f32[3]", **scale)(vector).tolist(), doubled),
        (lambda: typed.run("scale", [vector], "f32[3]", **scale).tolist(), doubled),
        (lambda: untyped.run("refuse_negative", [four], "f32[]").tolist(), 4),
    ]


calls += make_calls()


class Caller:
    def __init__(self, calls):
        self.calls = calls

    def __del__(self, call_all=call_all):
        call_all(self.calls)


def call_for_ever(call, started):
    while True:
        for _ in range(10):
            call()
        started.set()


if who == "del":
    # What was bound before: NumPy cannot tell the name of a dtype any more.
    caller = Caller(calls[:2])
elif who == "cycle":
    caller = Caller(calls[:])
    caller.itself = caller
    del calls[:], caller
    gc.collect()
    print("collected", flush=True)
elif who == "threads":
    for call, _ in calls:
        started = threading.Event()
        threading.Thread(target=call_for_ever, args=(call, started), daemon=True).start()
        started.wait()
    print("called", len(calls), flush=True)

if how == "exit":
    sys.exit(7)
if how == "raise":
    raise RuntimeError("the end")
