"""xla::Shape, xla::Literal and the messages against the genuine ones: one program, built twice."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent)) / "tests/genuine"

# Fields and values that came after TensorFlow 2.13.1, as openxla/xla's xla/xla_data.proto and
# xla/service/hlo.proto have them today.
LATER = {
    "xla.PrimitiveType.F8E4M3B11FNUZ": "23",
    "xla.PrimitiveType.F8E5M2FNUZ": "24",
    "xla.PrimitiveType.F8E4M3FNUZ": "25",
    "xla.PrimitiveType.S2": "26",
    "xla.PrimitiveType.U2": "27",
    "xla.PrimitiveType.F8E4M3": "28",
    "xla.PrimitiveType.F8E3M4": "29",
    "xla.PrimitiveType.S1": "30",
    "xla.PrimitiveType.U1": "31",
    "xla.PrimitiveType.F4E2M1FN": "32",
    "xla.PrimitiveType.F8E8M0FNU": "33",
    "xla.PrimitiveType.BUFFER": "34",
    "xla.PrimitiveType.F6E3M2FN": "35",
    "xla.PrimitiveType.F6E2M3FN": "36",
    "xla.DimLevelType.DIM_LOOSE_COMPRESSED": "3",
    "xla.OpSharding.Type.UNKNOWN": "5",
    "xla.LiteralProto.f8e4m3b11fnuzs": "23 bytes",
    "xla.LiteralProto.f8e5m2fnuzs": "24 bytes",
    "xla.LiteralProto.f8e4m3fnuzs": "25 bytes",
    "xla.LiteralProto.s2s": "26 bytes",
    "xla.LiteralProto.u2s": "27 bytes",
    "xla.LiteralProto.f8e4m3s": "28 bytes",
    "xla.LiteralProto.f8e3m4s": "29 bytes",
    "xla.LiteralProto.s1s": "30 bytes",
    "xla.LiteralProto.u1s": "31 bytes",
    "xla.LiteralProto.f4e2m1fns": "32 bytes",
    "xla.LiteralProto.f8e8m0fnus": "33 bytes",
}


def printed(program):
    """The lines about values, and a dict of those about the messages."""
    path = BUILD / program
    assert path.is_file(), f"{path}: built where CALLBRIDGE_TENSORFLOW is set; `make test` does"
    done = subprocess.run([path], check=True, stdout=subprocess.PIPE, text=True, errors="replace")
    lines = done.stdout.splitlines()
    values = [line for line in lines if not line.startswith("wire ")]
    wire = [line.removeprefix("wire ").split(": ") for line in lines if line.startswith("wire ")]
    return values, dict(wire)


@pytest.fixture(scope="module")
def ours():
    return printed("shapes_and_literals")


@pytest.fixture(scope="module")
def genuine():
    return printed("genuine_shapes_and_literals")


def test_values_are_what_they_are_in_xla(ours, genuine):
    assert len(genuine[0]) > 6000
    differences = [pair for pair in zip(ours[0], genuine[0], strict=False) if pair[0] != pair[1]]
    assert differences == []
    assert len(ours[0]) == len(genuine[0])


def test_messages_have_xlas_names_numbers_and_types(ours, genuine):
    assert len(ours[1]) > 200
    both = ours[1].keys() & genuine[1].keys()
    assert {name: ours[1][name] for name in both} == {name: genuine[1][name] for name in both}


def test_what_is_newer_is_known(ours, genuine):
    newer = {name: text for name, text in ours[1].items() if name not in genuine[1]}
    assert newer == LATER
