"""Every path at which XLA's own headers were found leads inside, under both of its roots."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOTS = ("xla", "tensorflow/compiler/xla")

# Of TensorFlow 2.12 to 2.21, what programs with custom calls include.
PATHS = """
    client/client_library.h client/local_client.h client/xla_builder.h client/xla_computation.h
    ffi/api/api.h ffi/api/c_api.h ffi/api/ffi.h
    hlo/builder/xla_builder.h hlo/builder/xla_computation.h
    layout.h layout_util.h literal.h literal_util.h primitive_util.h
    service/custom_call_status.h service/custom_call_target_registry.h service/hlo.pb.h
    shape.h shape_util.h status.h status_macros.h statusor.h types.h xla_data.pb.h
""".split()


def test_every_path_leads_to_a_header_that_is_there():
    for root in ROOTS:
        for path in PATHS:
            door = ROOT / "include" / root / path
            assert door.is_file(), door
            lines = door.read_text().splitlines()
            assert len(lines) == 3, f"{door}: expected a comment, #pragma once and an include"
            inside = re.fullmatch(r'#include "(callbridge/.*)"', lines[2])
            assert inside, f"{door}: {lines[2]}"
            assert (ROOT / "include" / inside[1]).is_file(), f"{door}: {inside[1]} is not there"


def test_both_roots_lead_to_the_same():
    for path in PATHS:
        first, second = ((ROOT / "include" / root / path).read_text() for root in ROOTS)
        assert first == second, path
