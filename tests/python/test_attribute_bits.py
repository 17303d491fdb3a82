"""Floating-point attributes reach a handler bit for bit by the faces that need no framework:
Library.run(), callbridge.numpy, `callbridge run` of a library and of modules, `callbridge show`.
"""

import subprocess

import callbridge.library
import callbridge.numpy
import numpy as np
import pytest
from attribute_bits import ROWS, SHAPE, TARGETS, attributes, texts, words
from callbridge._calls import _hlo_module

EACH = pytest.mark.parametrize("row", ROWS)
OF_EACH = pytest.mark.parametrize("target", TARGETS)


@pytest.fixture(scope="session")
def file(modules):
    return modules.parent / "targets/attribute_bits.so"


@pytest.fixture(scope="session")
def library(file):
    callbridge.numpy.load(file)
    return callbridge.library.load(file)


def command(modules, *words):
    program = modules.parents[1] / "callbridge"
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@EACH
@OF_EACH
@pytest.mark.parametrize("number", [np.float64, float])
def test_python(library, target, row, number):
    values = attributes(target, row, number)
    assert library.run(target, [], SHAPE, attributes=values).tolist() == words(row)
    call = callbridge.numpy.custom_call(target, SHAPE, attributes=values)
    assert call().tolist() == words(row)


@EACH
def test_command_line(modules, file, tmp_path, row):
    given = [word for text in texts(row) for word in ("--attribute", text)]
    output = tmp_path / "bits.npy"
    command(modules, "run", file, "attribute_bits", *given, "--result", SHAPE, "--output", output)
    assert np.load(output).tolist() == words(row)


@EACH
@OF_EACH
@pytest.mark.parametrize("form", ["as it is", "hlo", "proto"])
def test_module(modules, file, tmp_path, row, target, form):
    module, output = tmp_path / "module", tmp_path / "bits.npy"
    dictionary = _hlo_module.attribute_dictionary(attributes(target, row))
    module.write_text(
        f"HloModule bits\n\nENTRY main {{\n  ROOT bits = {SHAPE} custom-call(), "
        f'custom_call_target="{target}", api_version=API_VERSION_TYPED_FFI, '
        f"backend_config={dictionary}\n}}\n"
    )
    if form != "as it is":
        command(modules, "show", module, "--form", form, "--output", tmp_path / "shown")
        module = tmp_path / "shown"
    command(modules, "run", module, "--library", file, "--output", output)
    assert np.load(output).tolist() == words(row)
