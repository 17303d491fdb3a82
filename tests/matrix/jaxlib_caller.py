"""Calls the suite's handlers inside a genuine XLA:CPU, that of whatever jaxlib this Python has,
0.4.30 or newer. jax is not needed."""

import ctypes

import jaxlib
import jaxlib.xla_client as xla_client
import numpy as np
import stablehlo_text

_CAPSULE_NAME = b"xla._CUSTOM_CALL_TARGET"
# The order of a bundle that Python hands over as a dictionary does not matter.
_STAGES = ("instantiate", "prepare", "initialize", "execute", "record")


def release():
    return jaxlib.__version__


def capsule(address):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(address, _CAPSULE_NAME, None)


class Caller:
    """One process's XLA. `adapt` turns the handlers' addresses by stage into those to register."""

    def __init__(self, library, number, adapt=None, types=None):
        self._library = library
        self._number = number
        self._adapt = adapt or (lambda stages: stages)
        self._types = types or {}
        self._registered = {}
        self._client = xla_client.make_cpu_client()

    def register_type(self, name, type_id, type_info):
        """With XLA: its own ids. False where Python has no way to."""
        if hasattr(xla_client, "register_custom_type"):
            entry = {"type_id": capsule(type_id)}
            if type_info:
                entry["type_info"] = capsule(type_info)
            xla_client.register_custom_type(name, entry, platform="cpu")
        elif hasattr(xla_client, "register_custom_type_id"):
            xla_client.register_custom_type_id(name, capsule(type_id), platform="cpu")
        else:
            return False
        return True

    def address_of(self, symbol):
        return ctypes.addressof(ctypes.c_char.in_dll(self._library, symbol))

    def _handler(self, symbol):
        return ctypes.cast(getattr(self._library, symbol), ctypes.c_void_p).value

    def runs_as_it_is(self, case):
        """Whether the handler itself is registered, or something in its place."""
        stages = {"execute": self._handler(case.handler)}
        return self._adapt(stages) == stages

    def _register(self, case):
        name = "_".join([case.handler, *(case.stages.values())])
        if name not in self._registered:
            stages = {stage: self._handler(symbol) for stage, symbol in case.stages.items()}
            stages["execute"] = self._handler(case.handler)
            adapted = self._adapt(stages)
            handlers = {stage: capsule(adapted[stage]) for stage in _STAGES if stage in stages}
            if self._number == 430:
                handlers = handlers["execute"]
            elif len(handlers) == 1:
                handlers = handlers["execute"]
            xla_client.register_custom_call_target(name, handlers, platform="cpu", api_version=1)
            self._registered[name] = handlers
        return name

    def call(self, case):
        """The results as bytes; raises what the runtime raises."""
        target = self._register(case)
        text = stablehlo_text.module(case, target, self.address_of, self._number == 430)
        if hasattr(self._client, "compile_and_load"):
            executable = self._client.compile_and_load(text, self._client.devices()[:1])
        else:
            executable = self._client.compile(text)
        for _ in range(case.calls):
            results = executable.execute_sharded([]).disassemble_into_single_device_arrays()
            data = [np.asarray(result[0]).tobytes() for result in results]
        return data
