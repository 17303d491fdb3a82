"""The kernels of the documents, cut out of them, compiled by nvcc, and run by the driver's API."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
import xla_gpu

FOLDER = pathlib.Path(
    os.environ.get("CALLBRIDGE_DOCUMENTS", xla_gpu.ROOT.parent / "shared/seeds")
).resolve()
BEGIN = re.compile(r"^__global__", re.MULTILINE)
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
ILLEGAL_ADDRESS = 700


class Kernel(NamedTuple):
    """A kernel of a document. `before`: what else it needs; `slips`: what is replaced, by what."""

    name: str
    in_it: str  # text that no other document's kernel of the name has
    before: str = ""
    slips: tuple = ()


NO_TYPE = (("__global__ custom", "__global__ void custom"),)
DEFINES = "#define THREADS 1024"
TRANSPOSED = Kernel(
    "custom_call_kernel",
    "gridIdx",
    slips=(*NO_TYPE, ("blockSize.x", "blockDim.x"), ("gridIdx.x", "blockIdx.x")),
)
KERNELS = {
    "transposed": TRANSPOSED,
    "custom_call": Kernel("custom_call_kernel", "blockDim.x + threadIdx.x", slips=NO_TYPE),
    "add": Kernel("CustomAddKernel", "CustomAddKernel", DEFINES),
    "add_mul_div": Kernel("CustomAddMulDivKernel", "CustomAddMulDivKernel", DEFINES),
}


def kernels_in_documents():
    """Their texts, each up to the brace that closes its first."""
    for path in sorted(FOLDER.glob("*.txt")):
        page = path.read_text()
        for begin in BEGIN.finditer(page):
            depth = 0
            for brace in re.compile(r"[{}]").finditer(page, begin.start()):
                depth += 1 if brace[0] == "{" else -1
                if depth == 0:
                    yield page[begin.start() : brace.end()]
                    break


def cut(kernel):
    """The kernel's text in each of the documents that have it."""
    found = [text for text in kernels_in_documents() if kernel.in_it in text]
    if not found:
        pytest.skip(f"the documents are not in {FOLDER}: CALLBRIDGE_DOCUMENTS names their folder")
    return found


def test_every_kernel_is_known():
    found = list(kernels_in_documents())
    known = [text for kernel in KERNELS.values() for text in cut(kernel)]
    assert sorted(found) == sorted(known)


@pytest.fixture
def compiled(tmp_path):
    if not pathlib.Path(NVCC).exists():
        pytest.skip("there is no nvcc here")

    def compile_kernel(kernel, text):
        for shown, meant in kernel.slips:
            assert text.count(shown) == 1, (shown, text)
            text = text.replace(shown, meant)
        (tmp_path / "kernel.cu").write_text(f'{kernel.before}\nextern "C" {text}\n')
        path = tmp_path / "kernel.ptx"
        command = [NVCC, "-ptx", "-arch=compute_75", "-o", path, tmp_path / "kernel.cu"]
        subprocess.run(command, check=True)
        return str(path)

    return compile_kernel


def run(**spec):
    variables = dict(os.environ)
    if not xla_gpu.ON_DEVICE:
        variables["LD_LIBRARY_PATH"] = f"{xla_gpu.BUILD}/tests/gpu/cuda13"
    program = [sys.executable, str(xla_gpu.FOLDER / "document_kernels.py"), json.dumps(spec)]
    done = subprocess.run(program, env=variables, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def numbers(count):
    return np.random.default_rng(count).standard_normal(count).astype(np.float32)


@pytest.mark.parametrize(("name", "size"), [("custom_call", 2048), ("transposed", 4096)])
def test_custom_call_kernel(compiled, name, size):
    kernel = KERNELS[name]
    a, b = numbers(128), numbers(size)
    for text in cut(kernel):
        done = run(
            ptx=compiled(kernel, text),
            kernel=kernel.name,
            grid=size // 64,
            block=64,
            operands=[a.tolist(), b.tolist()],
            results=1,
            size=size,
            with_size=False,
        )
        assert done["error"] == 0, done
        assert (np.array(done["results"][0], np.float32) == np.tile(a, size // 128) + b).all()


@pytest.mark.skipif(xla_gpu.ON_DEVICE, reason="a device's allocations are larger than asked for")
def test_the_transposed_kernel_leaves_its_arrays(compiled):
    """As the document launches it: 32 blocks of 64 threads reach element 4063 of 2048."""
    done = run(
        ptx=compiled(TRANSPOSED, cut(TRANSPOSED)[0]),
        kernel=TRANSPOSED.name,
        grid=32,
        block=64,
        operands=[numbers(128).tolist(), numbers(2048).tolist()],
        results=1,
        size=2048,
        with_size=False,
    )
    assert done == {"error": ILLEGAL_ADDRESS, "of": "cuCtxSynchronize"}


@pytest.mark.parametrize(("name", "results"), [("add", 1), ("add_mul_div", 3)])
@pytest.mark.parametrize("size", [1, 1023, 1024, 1025])
def test_operators_kernels(compiled, name, results, size):
    kernel = KERNELS[name]
    a, b = numbers(size), numbers(size + 1)[1:]
    (text,) = cut(kernel)
    done = run(
        ptx=compiled(kernel, text),
        kernel=kernel.name,
        grid=size // 1024 + 1,
        block=1024,
        operands=[a.tolist(), b.tolist()],
        results=results,
        size=size,
        with_size=True,
    )
    assert done["error"] == 0, done
    got = [np.array(values, np.float32) for values in done["results"]]
    for values, expected in zip(got, [a + b, a * b, a / b], strict=False):
        assert (values == expected).all()
