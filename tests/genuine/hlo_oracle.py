"""Whether callbridge reads and writes modules as the XLA of this Python's jaxlib does.

  python hlo_oracle.py MODULE_TOOL

Every module of hlo_modules.py, as XLA's text in all its forms and as XLA's proto, goes through
callbridge and back to XLA, which must find it to be the same module. Prints how many did.
"""

import ctypes
import subprocess
import sys

import hlo_modules
import jaxlib
from jaxlib import xla_client

try:
    from jaxlib import _hlo as hlo
    from jaxlib._jax import DeviceList, mlir
except ImportError:
    hlo = xla_client._xla
    mlir = xla_client._xla.mlir

TOOL = sys.argv[1]


def callbridge(form, module):
    data = module.encode("latin1") if isinstance(module, str) else module
    done = subprocess.run([TOOL, form], input=data, capture_output=True)
    assert done.returncode == 0, f"{done.stderr.decode()}\n{module}"
    return done.stdout


def options(**others):
    made = hlo.HloPrintOptions()
    # The tables of source lines that metadata of jaxlib >= 0.8 refers to are not kept.
    made.print_metadata = False
    made.print_large_constants = True
    for name, value in others.items():
        setattr(made, name, value)
    return made


FORMS = {
    "as XLA prints it": options(),
    "with metadata": options(print_metadata=True),
    "with operands' shapes": options(print_operand_shape=True),
    "without %": options(print_percent=False),
    "without signatures": options(print_program_shape=False),
    "compact": options(compact_operands=True),
}


def canonical(module):
    return module.to_string(options())


def check(name, module):
    """The number of ways in which `module` went there and back."""
    expected = canonical(module)

    def same(way, returned):
        found = canonical(returned)
        assert found == expected, f"{name}, {way}: expected\n{expected}\ngot\n{found}"

    for form, form_options in FORMS.items():
        text = callbridge("text", module.to_string(form_options)).decode("latin1")
        same(f"text {form}", hlo.hlo_module_from_text(text))
    proto = module.as_serialized_hlo_module_proto()
    same("proto to text", hlo.hlo_module_from_text(callbridge("text", proto).decode("latin1")))
    returned = callbridge("proto", expected)
    same("text to proto", hlo.HloModule.from_serialized_hlo_module_proto(returned))
    return len(FORMS) + 2


def check_stablehlo(name, module):
    """What callbridge writes as StableHLO is what XLA reads, and XLA's own way back agrees."""
    text = callbridge("stablehlo", module.as_serialized_hlo_module_proto()).decode()
    computation = mlir.mlir_module_to_xla_computation(
        text, use_tuple_args=False, return_tuple=False
    )
    back = hlo.hlo_module_from_text(
        computation.as_hlo_module().to_string(options())
        if hasattr(computation, "as_hlo_module")
        else computation.get_hlo_module().to_string(options())
    )
    custom_calls = hlo_modules.custom_calls
    assert custom_calls(canonical(back)) == custom_calls(canonical(module)), (
        f"{name}:\n{canonical(module)}\n{text}\n{canonical(back)}"
    )


def compiled(text):
    """The module after XLA's optimisation, with its schedule. Nothing in it is called."""
    client = xla_client.make_cpu_client()
    if hasattr(client, "compile_and_load"):
        devices = DeviceList(tuple(client.devices()[:1]))
        loaded = client.compile_and_load(text.encode(), devices, xla_client.CompileOptions())
    else:
        loaded = client.compile(text)
    return loaded.hlo_modules()[0]


def register(names):
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    address = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p).value
    for name in names:
        capsule = new_capsule(address, b"xla._CUSTOM_CALL_TARGET", None)
        xla_client.register_custom_call_target(name, capsule, platform="cpu")


count = 0
for name, text in hlo_modules.HLO.items():
    if name in hlo_modules.UNREADABLE.get(jaxlib.__version__, ()):
        continue
    module = hlo.hlo_module_from_text(text)
    count += check(name, module)
    unsaid = hlo_modules.NOT_IN_STABLEHLO.get(jaxlib.__version__, set())
    if name in hlo_modules.IN_STABLEHLO - unsaid:
        check_stablehlo(name, module)
        count += 1
for name, text in hlo_modules.STABLEHLO.items():
    computation = mlir.mlir_module_to_xla_computation(
        text, use_tuple_args=False, return_tuple=False
    )
    proto = computation.as_serialized_hlo_module_proto()
    count += check(name, hlo.HloModule.from_serialized_hlo_module_proto(proto))
    register(hlo_modules.targets(text))
    count += check(f"{name}, optimised", compiled(text))
print(count)
