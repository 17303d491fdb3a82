"""Modules made by chance, on the XLA of this Python's jaxlib and on callbridge: the same bits.

  random_modules.py PROGRAM LIBRARY FIRST LAST

PROGRAM is random_modules.cc, which makes them, runs them by callbridge and upgrades them; LIBRARY
has their targets. Each is given to XLA as proto and as text, which must be one module to it;
callbridge must understand what XLA then prints as it did its own. Upgraded, it is compiled and run
by XLA, with the targets registered by callbridge.jax.load(). Prints how many were.

A process of its own: one XLA lives in a process.
"""

import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

import callbridge.jax
import jax
import numpy as np
import scenarios
from jax._src.interpreters import mlir
from jaxlib import _hlo, _jax
from jaxlib.mlir import ir

PROGRAM, LIBRARY = sys.argv[1:3]
FIRST, LAST = map(int, sys.argv[3:])


def program(what, folder):
    done = subprocess.run(
        [PROGRAM, what, folder, str(FIRST), str(LAST), LIBRARY], capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()[-4000:]


def printed(module):
    options = _hlo.HloPrintOptions()
    options.print_metadata = False
    options.print_large_constants = True
    return module.to_string(options)


def canonical(module):
    """What is printed, without the order of computations, which reading changes."""
    return sorted(printed(module).strip().split("\n\n"))


def check_same(what, expected, found):
    if expected != found:
        difference = "\n".join(difflib.unified_diff(expected, found, lineterm="", n=0))
        raise AssertionError(f"{what}:\n{difference}")


def reprint(path):
    """Has XLA read the module and print it for callbridge; returns it as XLA has it."""
    module = _hlo.HloModule.from_serialized_hlo_module_proto(path.with_suffix(".pb").read_bytes())
    from_text = _hlo.hlo_module_from_text(path.with_suffix(".txt").read_text("latin1"))
    text = canonical(module)
    check_same(f"{path}, text and proto", text, canonical(from_text))
    path.with_suffix(".again.txt").write_text(printed(module), "latin1")
    path.with_suffix(".again.pb").write_bytes(module.as_serialized_hlo_module_proto())
    return text


def check_reread(path, text):
    for form in (".text.txt", ".text.pb"):
        reread = _hlo.hlo_module_from_text(path.with_suffix(form).read_text("latin1"))
        check_same(f"{path}{form}", text, canonical(reread))


class Xla:
    def __init__(self):
        self._devices = jax.devices("cpu")[:1]

    def compile(self, path):
        module = ir.Module.parse(path.with_suffix(".mlir").read_text("latin1"))
        return self._devices[0].client.compile_and_load(
            module, _jax.DeviceList(tuple(self._devices)), _jax.CompileOptions()
        )

    def run(self, executable, operands):
        """The results' leaves."""
        arrays = [jax.device_put(operand, self._devices[0]) for operand in operands]
        return [np.asarray(result) for result in executable.execute(arrays)]


def leaves(path, shape, data):
    """The arrays of one of the program's files, whose shape, with layouts, is in another."""
    shape = path.with_suffix(f".{shape}").read_text()
    data = path.with_suffix(f".{data}").read_bytes()
    arrays = scenarios.leaves(scenarios.from_bytes(scenarios.parse_shape(shape), data))
    layouts = re.findall(r"\w\[[\d,]*\](?:{([\d,]*)})?", shape)
    assert len(arrays) == len(layouts)
    return [in_layout(array, layout) for array, layout in zip(arrays, layouts, strict=True)]


def in_layout(stored, minor_to_major):
    """An array whose elements are stored in another order than NumPy's."""
    major_to_minor = [int(i) for i in minor_to_major.split(",") if i][::-1]
    stored = stored.reshape([stored.shape[i] for i in major_to_minor])
    return stored.transpose(np.argsort(major_to_minor))


def check_run(xla, counted, path, text):
    expected = leaves(path, "result", "out")
    found = xla.run(xla.compile(path), leaves(path, "parameters", "in"))
    assert len(found) == len(expected)
    wrong = [i for i in range(len(expected)) if found[i].tobytes() != expected[i].tobytes()]
    assert not wrong, (
        f"{path}: leaves {wrong} are {[found[i] for i in wrong]}, and on callbridge "
        f"{[expected[i] for i in wrong]}, of\n" + "\n".join(text)
    )
    effects = xla.run(counted, [])[0]
    expected = np.frombuffer(path.with_suffix(".effects").read_bytes(), np.uint64)
    assert (effects == expected).all(), (
        f"{path}: effects {effects}, and on callbridge {expected}, of\n" + "\n".join(text)
    )


def main(folder):
    program("write", folder)
    paths = [folder / str(seed) for seed in range(FIRST, LAST + 1)]
    texts = [reprint(path) for path in paths]
    program("reread", folder)
    for path, text in zip(paths, texts, strict=True):
        check_reread(path, text)
    callbridge.jax.load(LIBRARY)
    xla = Xla()
    with mlir.make_ir_context(), ir.Location.unknown(), jax.enable_x64(True):
        counted = xla.compile(folder / "effects")
        for path, text in zip(paths, texts, strict=True):
            check_run(xla, counted, path, text)
    print(len(paths))


with tempfile.TemporaryDirectory() as temporary:
    main(pathlib.Path(temporary))
