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
