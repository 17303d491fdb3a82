"""Runs on this JAX what an older one exported, upgraded.

    run_upgraded.py TARGETS FOLDER

FOLDER is what export_programs.py wrote. Each artifact is upgraded for both paths. Prints a line for
each of these, and exits 0 only if all results have the older JAX's bits.
"""

import pathlib
import sys
import warnings

import callbridge.jax
import jax
import numpy as np


def compile_and_run(artifact, operands):
    """A module without jax.export around it, as runtimes run it."""
    from jax.interpreters import mlir
    from jaxlib import xla_client
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    with mlir.make_ir_context() as context:
        if isinstance(artifact, str):
            module = ir.Module.parse(artifact)
        else:
            module = stablehlo.deserialize_portable_artifact(context, artifact)
        device = jax.devices()[0]
        devices = xla_client.DeviceList((device,))
        options = xla_client.CompileOptions()
        program = device.client.compile_and_load(mlir.module_to_bytecode(module), devices, options)
    arrays = [jax.device_put(operand, device) for operand in operands]
    return [np.asarray(result) for result in program.execute(arrays)]


def run(path, operands, prefer):
    if path.suffix == ".mlir":
        return compile_and_run(callbridge.jax.upgrade(path.read_text(), prefer=prefer), operands)
    upgraded = callbridge.jax.upgrade(path.read_bytes(), prefer=prefer)
    assert type(upgraded) is bytes
    if path.suffix == ".vhlo":
        return compile_and_run(upgraded, operands)
    import jax.export

    return jax.export.deserialize(bytearray(upgraded)).call(*operands)


def arrays_of(file, prefix):
    return [file[f"{prefix}{i}"] for i in range(sum(name.startswith(prefix) for name in file))]


def main(targets, folder):
    warnings.simplefilter("error")
    jax.config.update("jax_enable_x64", True)
    callbridge.jax.load(targets)
    wrong = 0
    for path in sorted(pathlib.Path(folder).iterdir()):
        if path.suffix not in (".mlir", ".vhlo", ".exported"):
            continue
        with np.load(path.with_suffix(".npz")) as saved:
            operands, wanted = arrays_of(saved, "operand"), arrays_of(saved, "result")
        for prefer in ("version_3", "typed"):
            try:
                results = [np.asarray(x) for x in run(path, operands, prefer)]
                same = [x.tobytes() for x in results] == [x.tobytes() for x in wanted]
                verdict = "same bits" if same else f"{results} instead of {wanted}"
            except Exception as error:
                verdict, same = f"{type(error).__name__}: {error}", False
            wrong += not same
            print(path.name, prefer, verdict)
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 1))
