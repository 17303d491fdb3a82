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
    "xla.OpMetadata.stack_frame_id": "15 int32",
    "xla.OpMetadata.scheduling_name": "16 string",
    "xla.OpMetadata.source_end_line": "17 int32",
    "xla.OpMetadata.source_column": "18 int32",
    "xla.OpMetadata.source_end_column": "19 int32",
    "xla.OpSharding.iota_reshape_dims": "9 int64 repeated packed",
    "xla.OpSharding.iota_transpose_perm": "10 int32 repeated packed",
    "xla.OpSharding.is_shard_group": "11 bool",
    "xla.OpSharding.shard_group_id": "12 int64",
    "xla.OpSharding.shard_group_type": "13 enum xla.OpSharding.ShardGroupType",
    "xla.OpSharding.ShardGroupType.AS": "0",
    "xla.OpSharding.ShardGroupType.LIKE": "1",
    "xla.GatherDimensionNumbers.operand_batching_dims": "5 int64 repeated packed",
    "xla.GatherDimensionNumbers.start_indices_batching_dims": "6 int64 repeated packed",
    "xla.ScatterDimensionNumbers.input_batching_dims": "5 int64 repeated packed",
    "xla.ScatterDimensionNumbers.scatter_indices_batching_dims": "6 int64 repeated packed",
    "xla.IotaReplicaGroupList.num_replica_groups": "1 int64",
    "xla.IotaReplicaGroupList.num_devices_per_group": "2 int64",
    "xla.IotaReplicaGroupList.iota_reshape_dims": "3 int64 repeated packed",
    "xla.IotaReplicaGroupList.iota_transpose_perm": "4 int32 repeated packed",
    "xla.CollectiveDeviceList.replica_groups": "1 message xla.ReplicaGroup repeated",
    "xla.CollectiveDeviceList.iota_replica_group_list": "2 message xla.IotaReplicaGroupList",
    "xla.MeshProto.axes": "1 message xla.MeshProto.MeshAxis repeated",
    "xla.MeshProto.device_ids": "2 int64 repeated packed",
    "xla.MeshProto.iota_transform": "3 message xla.MeshProto.IotaTransform",
    "xla.MeshProto.MeshAxis.name": "1 string",
    "xla.MeshProto.MeshAxis.size": "2 int64",
    "xla.MeshProto.IotaTransform.reshape_dims": "1 int64 repeated packed",
    "xla.MeshProto.IotaTransform.transpose_perm": "2 int64 repeated packed",
    "xla.AxisRefProto.mesh_axis_index": "1 int64",
    "xla.AxisRefProto.sub_axis_info": "2 message xla.AxisRefProto.SubAxis",
    "xla.AxisRefProto.SubAxis.pre_size": "1 int64",
    "xla.AxisRefProto.SubAxis.size": "2 int64",
    "xla.MeshAxesReplicaGroupListProto.mesh": "1 message xla.MeshProto",
    "xla.MeshAxesReplicaGroupListProto.axes": "2 message xla.AxisRefProto repeated",
    "xla.HloInstructionProto.k": "81 int64",
    "xla.HloInstructionProto.largest": "85 bool",
    "xla.HloInstructionProto.collective_device_list": "87 message xla.CollectiveDeviceList",
    "xla.HloInstructionProto.is_composite": "89 bool",
    "xla.HloInstructionProto.iota_collective_device_list": "92 message xla.IotaReplicaGroupList",
    "xla.HloInstructionProto.mesh_axes_replica_group_list": (
        "93 message xla.MeshAxesReplicaGroupListProto"
    ),
    "xla.HloBufferDonorProto.entries": (
        "1 message xla.HloBufferDonorProto.BufferDonorEntryProto repeated"
    ),
    "xla.HloBufferDonorProto.BufferDonorEntryProto.parameter_number": "1 int64",
    "xla.HloBufferDonorProto.BufferDonorEntryProto.parameter_shape_index": (
        "2 int64 repeated packed"
    ),
    "xla.StackFrameIndexProto.file_names": "1 string repeated",
    "xla.StackFrameIndexProto.function_names": "2 string repeated",
    "xla.StackFrameIndexProto.file_locations": (
        "3 message xla.StackFrameIndexProto.FileLocation repeated"
    ),
    "xla.StackFrameIndexProto.stack_frames": (
        "4 message xla.StackFrameIndexProto.StackFrame repeated"
    ),
    "xla.StackFrameIndexProto.FileLocation.file_name_id": "1 int32",
    "xla.StackFrameIndexProto.FileLocation.function_name_id": "2 int32",
    "xla.StackFrameIndexProto.FileLocation.line": "3 int32",
    "xla.StackFrameIndexProto.FileLocation.column": "4 int32",
    "xla.StackFrameIndexProto.FileLocation.end_line": "5 int32",
    "xla.StackFrameIndexProto.FileLocation.end_column": "6 int32",
    "xla.StackFrameIndexProto.StackFrame.file_location_id": "1 int32",
    "xla.StackFrameIndexProto.StackFrame.parent_frame_id": "2 int32",
    "xla.HloModuleProto.stack_frame_index": "17 message xla.StackFrameIndexProto",
    "xla.HloModuleProto.buffer_donor": "18 message xla.HloBufferDonorProto",
    "xla.HloModuleProto.frontend_attributes": "19 message xla.FrontendAttributes",
    "xla.HloModuleProtoWithConfig.hlo_module": "1 message xla.HloModuleProto",
    # callbridge's own, for HLO text without a field: in no proto that it writes.
    "xla.TextAttribute.name": "1 string",
    "xla.TextAttribute.value": "2 string",
    "xla.HloInstructionProto.text_attributes": "536870001 message xla.TextAttribute repeated",
    "xla.HloInstructionProto.shape_is_left_out": "536870002 bool",
    "xla.HloComputationProto.text_attributes": "536870001 message xla.TextAttribute repeated",
    "xla.HloModuleProto.text_attributes": "536870001 message xla.TextAttribute repeated",
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
