"""What the PyTorch/XLA of this Python can, by name: a JSON object of texts, as the last line.

  pytorch_xla_calls.py BUILD

The first rows are of PyTorch/XLA's own interface and of the symbols that callbridge uses; the
others make calls through callbridge.torch, lazily and in torch.compile(backend="openxla"), and
compare with NumPy's results, bit for bit. A text with "error: " is a fault.
"""

import ctypes
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import callbridge.torch
import callbridge.torch_xla
import numpy as np
import torch
import torch_xla
from callbridge._core import _c_api
from callbridge._core._native_functions import make_capsule
from callbridge.library import CallbridgeError

BUILD = pathlib.Path(sys.argv[1])
USES = BUILD / "tests/jax/uses.so"
TYPED = BUILD / "tests/targets/typed_handlers.so"
AOT = BUILD / "tests/mindspore_aot/aot_operators_new.so"
MODULE = torch_xla._XLAC.__file__

found = {}


def first_line(error):
    text = re.sub(r"^\S+\.cpp:\d+ : ", "", str(error).strip().splitlines()[0])
    return text.replace(MODULE, "_XLAC")[:160]


# ---- PyTorch/XLA's own interface ----------------------------------------------------------------


def registration(platform):
    function = ctypes.cast(ctypes.CDLL(None).abs, ctypes.c_void_p).value
    try:
        torch_xla._XLAC._xla_register_custom_call_target(
            "never_called", make_capsule(function), platform
        )
    except Exception as error:
        return first_line(error)
    return "accepted"


def has(name):
    function = getattr(torch_xla._XLAC, name, None)
    return "there" if function is not None else "not there"


def symbol(mangled, register):
    """Whether the symbol is exported, and what registering by it says."""
    exported = hasattr(ctypes.CDLL(MODULE), mangled)
    try:
        register()
        answer = "works"
    except CallbridgeError as error:
        answer = error.code
        if "_GLIBCXX_USE_CXX11_ABI=0" in error.message:
            answer += ": std::string of the old ABI"
    return f"{'exported' if exported else 'local'}; {answer}"


def register_function():
    _c_api.register_with_loaded_xla(MODULE.encode(), b"never_called_2", b"Host", 1)


def register_handler():
    target = _c_api.Target(name=b"h", platform=b"Host", api_version=1, api_version_is_proved=1)
    target.address = ctypes.cast(ctypes.CDLL(None).abs, ctypes.c_void_p)
    entry_points = _c_api.EntryPoints()
    _c_api.target_entry_points(target, entry_points)
    handlers = _c_api.FfiHandlers(execute=entry_points.typed)
    _c_api.ffi_register_with_loaded_xla(MODULE.encode(), b"never_called_3", b"Host", handlers)


REGISTRY = "_ZN3xla24CustomCallTargetRegistry8RegisterERK"
NEW = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEPvS8_"
OLD = "SsPvS2_"

for platform in ("CPU", "Host", "CUDA"):
    found[f'`_XLAC._xla_register_custom_call_target(.., "{platform}")`'] = registration(platform)
for name in ("_xla_custom_call", "_xla_user_computation", "_get_xla_tensors_hlo_proto"):
    found[f"`_XLAC.{name}`"] = has(name)
is_old = hasattr(ctypes.CDLL(MODULE), REGISTRY + OLD)
found["symbol `xla::CustomCallTargetRegistry::Register`"] = symbol(
    REGISTRY + (OLD if is_old else NEW), register_function
)
found["symbol `xla::ffi::GetXlaFfiApi`"] = symbol("_ZN3xla3ffi12GetXlaFfiApiEv", register_handler)

# ---- Calls through callbridge -------------------------------------------------------------------

callbridge.torch.load(USES)
callbridge.torch.load(TYPED)
N = torch.tensor(4, dtype=torch.int32)
X = torch.tensor([0.5, -1.25, 3.0, 1e20])
Y = torch.tensor([2.0, 0.1, -7.0, 1.0])


def custom_call(target, result, **options):
    return callbridge.torch.custom_call(target, result, **options)


def on_xla(tree):
    if type(tree) is tuple:
        return tuple(map(on_xla, tree))
    return tree.to(torch_xla.device())


def flat(tree):
    return [leaf for part in tree for leaf in flat(part)] if type(tree) is tuple else [tree]


def calls(call, operands, expected):
    """ "ok" if both ways give these bits, or the code and the reason of the error."""
    texts = []
    for is_compiled in (False, True):
        torch._dynamo.reset()

        def program(*given):
            return call(*given)

        way = torch.compile(program, backend="openxla", fullgraph=True) if is_compiled else program
        try:
            results = [tensor.cpu().numpy() for tensor in flat(way(*on_xla(operands)))]
        except Exception as error:
            texts.append(reason(error))
            continue
        same = [r.tobytes() == np.asarray(e).tobytes() for r, e in zip(results, expected)]
        texts.append("ok" if all(same) and len(results) == len(expected) else "error: other bits")
    return texts[0] if texts[0] == texts[1] else f"{texts[0]}; in torch.compile {texts[1]}"


REASONS = (
    "without the stage INSTANTIATE",
    "torch.compile cannot call an operator that writes to tensors",
)


def reason(error):
    for why in REASONS:
        if why in str(error):
            return f"UNIMPLEMENTED: {why}"
    return f"error: {first_line(error)}"


def fails(call, operand, message):
    try:
        call(*on_xla((operand,))).cpu()
    except CallbridgeError as error:
        return reason(error)
    except RuntimeError as error:
        if message not in str(error):
            return f"error: {first_line(error)}"
        try:
            on_xla((X,))[0].add(1).cpu()
        except RuntimeError:
            pass  # PyTorch/XLA raises it once more
        return f"RuntimeError: {str(error).strip()}"
    return "error: it did not fail"


x, y = X.numpy(), Y.numpy()
found["ORIGINAL"] = calls(custom_call("square", lambda n, x: x), (N, X), [x * x])
found["ORIGINAL, nested tuple operand, tuple result"] = calls(
    custom_call("trees", ("f32[4]", ("f32[4]",))), ((X, (Y, N)), X), [x + y * x, x - x]
)
found["STATUS_RETURNING"] = calls(
    custom_call("nonnegative", "f32[]"), (torch.tensor(2.5),), [np.float32(2.5)]
)
found["STATUS_RETURNING that fails"] = fails(
    custom_call("nonnegative", "f32[]"), torch.tensor(-1.0), "CustomCall failed: negative operand"
)
found["STATUS_RETURNING_UNIFIED with binary opaque"] = calls(
    custom_call("add_opaque", "f32[]", opaque=b"\0\xff\1"), (torch.tensor(1.0),), [np.float32(257)]
)
found["TYPED_FFI"] = calls(custom_call("square_typed", lambda n, x: x), (N, X), [x * x])
found["TYPED_FFI that fails"] = fails(
    custom_call("nonnegative_typed", "f32[]"), torch.tensor(-1.0), "negative operand"
)
found["TYPED_FFI with attributes"] = calls(
    custom_call("scale", lambda x: x, attributes={"factor": np.float32(0.1)}),
    (X,),
    [x * np.float32(0.1)],
)
STATEFUL = custom_call("count", "s32[]", attributes={"start": np.int32(3)})
found["TYPED_FFI with state"] = calls(lambda x: STATEFUL(x) * 0 + 7, (X,), [np.int32(7)])
found["MindSpore AOT function"] = calls(custom_call(f"{AOT}:Add", lambda x, y: x), (X, Y), [x + y])
found["an operand that is written to"] = calls(
    custom_call("square_typed", lambda n, x: x, input_output_aliases={1: 0}), (N, X + 0), [x * x]
)


def dumped():
    """Runs the module of a traced model by `callbridge run`."""
    n, a, b = on_xla((N, X, Y))
    traced = custom_call("square_typed", lambda n, x: x)(n, a * b) + b
    _, parameters = torch_xla._XLAC._get_tensors_xla_device_data_node([traced])
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(folder) / "module.hlo"
        module.write_text(torch_xla._XLAC._get_xla_tensors_hlo([traced]))
        files = []
        for i, parameter in enumerate(parameters):
            files.append(f"{folder}/operand{i}.npy")
            np.save(files[-1], parameter.cpu().numpy())
        command = [BUILD / "callbridge", "run", module, *files, "--library", USES]
        result = f"{folder}/result.npy"
        done = subprocess.run([*command, "--output", result], capture_output=True, text=True)
        if done.returncode != 0:
            return f"error: {done.stderr}"
        return np.load(result).tobytes() == traced.cpu().numpy().tobytes()


ran = dumped()
found["its HLO, by `callbridge run`"] = "ok" if ran is True else ran or "error: other bits"
print(json.dumps(found))
