"""callbridge.library with typed FFI handlers: those that a library registers itself."""

import threading

import ml_dtypes
import numpy as np
import pytest
from callbridge.library import CallbridgeError, load


@pytest.fixture(scope="module")
def handlers(modules):
    return load(modules.parent / "targets" / "typed_handlers.so")


@pytest.fixture(scope="module")
def typed_targets(modules):
    return load(modules / "typed_targets.so")


def test_targets_are_listed(handlers):
    listed = [(t.name, t.platform, t.abi, sorted(t.stages)) for t in handlers.targets]
    assert listed == [
        ("attributes", "Host", "typed_ffi", []),
        ("both", "Host", "typed_ffi", []),
        ("both", "Host", None, []),
        ("count", "Host", "typed_ffi", ["instantiate"]),
        ("refuse", "cpu", "typed_ffi", []),
        ("scale", "Host", "typed_ffi", []),
    ]
    assert handlers.target("scale").evidence == "registered as a typed FFI handler"


@pytest.mark.parametrize("x", [np.arange(3, dtype=np.float32), (np.float32(2),)])
def test_attributes_arrive(handlers, x):
    leaf = x[0] if isinstance(x, tuple) else x
    y = handlers.run("scale", [x], leaf, attributes={"factor": np.float32(0.5)})
    np.testing.assert_array_equal(y, 0.5 * leaf)


def test_each_run_has_a_state_of_its_own(handlers):
    for start in (np.int32(3), np.int32(8)):
        assert handlers.run("count", [], "s32[]", attributes={"start": start}) == start


def test_errors_are_the_handlers(handlers):
    with pytest.raises(CallbridgeError, match="^OUT_OF_RANGE: too far$"):
        handlers.run("refuse", [], "()", attributes={"why": "too far"})
    with pytest.raises(CallbridgeError, match="(?s)^INVALID_ARGUMENT: .*argument"):
        handlers.run("scale", [], "f32[]", attributes={"factor": np.float32(1)})
    with pytest.raises(CallbridgeError, match="(?s)^INVALID_ARGUMENT: .*factor"):
        handlers.run("scale", [np.float32(1)], "f32[]")
    with pytest.raises(CallbridgeError, match="(?s)^INVALID_ARGUMENT: .*factor"):
        handlers.run("scale", [np.float32(1)], "f32[]", attributes={"factor": 1.0})


def test_typed_handlers_get_no_opaque(handlers):
    with pytest.raises(CallbridgeError, match="^INVALID_ARGUMENT: .*attributes and no opaque"):
        handlers.run("scale", [np.float32(1)], "f32[]", opaque=b"1")


def test_untyped_targets_get_no_attributes(targets):
    name = next(t.name for t in targets.targets if t.abi == "original")
    with pytest.raises(CallbridgeError, match="^INVALID_ARGUMENT: .*is untyped and takes none"):
        targets.run(name, [], "f32[]", attributes={"n": 1})


def test_attributes_of_each_kind(handlers):
    attributes = {
        "n": 2**20,
        "array": np.arange(6, dtype=">i4")[::2],
        "inner": {"x": 0.25},
        "text": b"\x00\xff\x00",
    }
    values = handlers.run("attributes", [], "f32[4]", attributes=attributes)
    assert values.tolist() == [2**20, 6, 0.25, 3]


@pytest.mark.parametrize(
    "value, kind",
    [
        (True, 1),
        (3, 8),
        (3.0, 108),
        (np.bool_(True), 1),
        (np.int32(3), 4),
        (np.int64(3), 8),
        (np.float32(3), 104),
        (np.float64(3), 108),
        (ml_dtypes.bfloat16(3), -1),
    ],
)
def test_scalars_have_their_own_type(typed_targets, value, kind):
    name = "typed_of_unknown_type"
    assert typed_targets.run(name, [], "s32[]", abi="typed_ffi", attributes={"x": value}) == kind


def test_a_type_that_a_symbol_tells(typed_targets):
    attributes = {"factor": np.float32(3)}
    y = typed_targets.run("typed_of_known_type", [np.float32(2)], "f32[]", attributes=attributes)
    assert y == 6


@pytest.mark.parametrize("value", [object(), [1, 2], None, {1: 2}, {"inner": [1]}])
def test_what_is_no_attribute(handlers, value):
    with pytest.raises(TypeError, match=r"attributes\['factor'\]"):
        handlers.run("scale", [np.float32(1)], "f32[]", attributes={"factor": value})


def test_attributes_must_be_a_dict(handlers):
    with pytest.raises(TypeError, match="attributes: expected a dict, got list"):
        handlers.run("scale", [np.float32(1)], "f32[]", attributes=[("factor", 1)])


def test_threads_share_a_handler(handlers):
    wrong = []

    def work(factor):
        for _ in range(20):
            y = handlers.run("scale", [np.float32(2)], "f32[]", attributes={"factor": factor})
            if y != 2 * factor:
                wrong.append(factor)

    threads = [threading.Thread(target=work, args=(np.float32(i),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_abi_says_which_of_two_targets_of_one_name_is_called(modules):
    twins = load(modules / "twins.so")
    x = np.float32(2)
    assert twins.run("twin", [x], x, attributes={"scale": np.float32(3)}) == 6
    assert twins.run("twin", [x], x, abi="typed_ffi", attributes={"scale": np.float32(3)}) == 6
    assert twins.run("twin", [x], x, abi="original") == -2
    assert [twins.target("twin", abi=abi).abi for abi in (None, "status_returning")] == [
        "typed_ffi",
        "original",
    ]
    with pytest.raises(CallbridgeError, match="is 'original'"):
        twins.run("twin", [x], x, abi="status_returning_unified")
