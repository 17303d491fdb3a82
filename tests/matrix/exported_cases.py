"""What is asked of exported.cc, which has functions of the untyped ABIs and CALLBRIDGE_EXPORT."""

import functools

import cases
from cases import Failure, array, f32, s32

CASES = []
case = functools.partial(cases.case, into=CASES)

case("exported_original", [f32(1, 2, 3), f32(10, 20, 30)], f32(11, 22, 33))
case("exported_status", [f32(1, 2)], f32(2, 4))
case(
    "exported_status_fails", [f32(-1)], Failure("INTERNAL", ["negative"]), handler="exported_status"
)
case("exported_opaque", [], s32(3, 97, 0, 255, -1), {"opaque": b"a\0\xff"})
case("exported_opaque_none", [], s32(0, -1), {}, handler="exported_opaque")
case("exported_tuples", [f32(1, 2), f32(10, 20), f32(100, 200)], (f32(111, 222), s32(3)))
case(
    "exported_shapes_refused",
    [f32(1, 2, 3), f32(1, 2), f32(1, 2)],
    Failure("INVALID_ARGUMENT", ["3", "2"]),
    handler="exported_tuples",
    results=[f32(0, 0), s32(0)],
)
case("exported_throws", [f32(1)], Failure("INTERNAL", ["thrown on purpose"]))
case("exported_scalar", [array("f32", [2], ())], array("f32", [4], ()), handler="exported_status")

STATE = dict(
    handler="exported_state",
    asks=["state"],
    program=["instantiate"],
    stages={"instantiate": "exported_state"},
)
case("exported_state", [], s32(3, 1), {"opaque": b"a\0\xff"}, **STATE)
case("exported_state_third_call", [], s32(2, 3), {"opaque": b"ab"}, calls=3, **STATE)
case(
    "exported_state_maker_throws",
    [],
    Failure("INTERNAL", ["the maker of the state threw", "no plan for nothing"]),
    results=[s32(0, 0)],
    **STATE,
)
case(
    "exported_state_not_made",
    [],
    Failure("FAILED_PRECONDITION", ["none was made for this call"]),
    {"opaque": b"ab"},
    handler="exported_state",
    asks=["state"],
    results=[s32(0, 0)],
)
