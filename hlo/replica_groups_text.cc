#include "callbridge/hlo/replica_groups_text.h"

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "callbridge/hlo/text_list.h"

namespace callbridge::hlo {
namespace {

absl::Status ReadGroups(TextCursor* cursor, xla::HloInstructionProto* instruction) {
  return ReadList(cursor, [&] {
    xla::ReplicaGroup* group = instruction->add_replica_groups();
    return ReadList(cursor, [&]() -> absl::Status {
      absl::StatusOr<int64_t> id = cursor->ReadInteger("the number of a replica");
      if (id.ok()) group->add_replica_ids(*id);
      return id.status();
    });
  });
}

absl::Status ReadIota(TextCursor* cursor, xla::IotaReplicaGroupList* list) {
  std::vector<int64_t> sizes;
  absl::Status status = ReadNumbers("]", cursor, [&](int64_t size) { sizes.push_back(size); });
  if (status.ok()) status = cursor->Expect("<=");
  if (status.ok()) status = cursor->Expect("[");
  if (!status.ok()) return status;
  if (sizes.size() != 2) return cursor->Expected("two sizes");
  list->set_num_replica_groups(sizes[0]);
  list->set_num_devices_per_group(sizes[1]);
  status = ReadNumbers("]", cursor, [&](int64_t size) { list->add_iota_reshape_dims(size); });
  if (!status.ok()) return status;
  if (!cursor->Consume("T(")) {
    for (int i = 0; i < list->iota_reshape_dims_size(); ++i) list->add_iota_transpose_perm(i);
    return absl::OkStatus();
  }
  return ReadNumbers(")", cursor, [&](int64_t number) {
    list->add_iota_transpose_perm(static_cast<int32_t>(number));
  });
}

// ---- Meshes

absl::StatusOr<absl::string_view> ReadAxisName(TextCursor* cursor) {
  if (absl::Status status = cursor->Expect("'"); !status.ok()) return status;
  const absl::string_view name = cursor->ReadUntil("'");
  if (absl::Status status = cursor->Expect("'"); !status.ok()) return status;
  return name;
}

absl::Status ReadAxis(TextCursor* cursor, xla::MeshProto* mesh) {
  absl::StatusOr<absl::string_view> name = ReadAxisName(cursor);
  if (!name.ok()) return name.status();
  if (absl::Status status = cursor->Expect("="); !status.ok()) return status;
  absl::StatusOr<int64_t> size = cursor->ReadInteger("the size of an axis");
  if (!size.ok()) return size.status();
  if (!IsUtf8(*name)) return cursor->Expected("an axis whose name is UTF-8");
  xla::MeshProto::MeshAxis* axis = mesh->add_axes();
  axis->set_name(std::string(*name));
  axis->set_size(*size);
  return absl::OkStatus();
}

absl::Status ReadDeviceIds(TextCursor* cursor, xla::MeshProto* mesh) {
  if (absl::Status status = cursor->Expect("("); !status.ok()) return status;
  if (!cursor->Consume("[")) {
    return ReadNumbers(")", cursor, [&](int64_t id) { mesh->add_device_ids(id); });
  }
  xla::MeshProto::IotaTransform* iota = mesh->mutable_iota_transform();
  absl::Status status =
      ReadNumbers("]", cursor, [&](int64_t size) { iota->add_reshape_dims(size); });
  if (!status.ok()) return status;
  if (cursor->Consume("T(")) {
    status = ReadNumbers(")", cursor, [&](int64_t axis) { iota->add_transpose_perm(axis); });
    if (!status.ok()) return status;
  } else {
    for (int i = 0; i < iota->reshape_dims_size(); ++i) iota->add_transpose_perm(i);
  }
  return cursor->Expect(")");
}

// Reads 'x' or, of an axis of 8 that is split into 2, 2 and 2, 'x':(2)2 for the second part.
absl::Status ReadAxisRef(TextCursor* cursor, xla::MeshAxesReplicaGroupListProto* list) {
  const size_t begin = cursor->position();
  absl::StatusOr<absl::string_view> name = ReadAxisName(cursor);
  if (!name.ok()) return name.status();
  const auto& axes = list->mesh().axes();
  int index = 0;
  while (index < axes.size() && axes[index].name() != *name) ++index;
  if (index == axes.size()) {
    return cursor->InvalidAt(begin, absl::StrCat("the mesh has no axis '", *name, "'"));
  }
  xla::AxisRefProto* ref = list->add_axes();
  ref->set_mesh_axis_index(index);
  if (!cursor->Consume(":")) return absl::OkStatus();
  if (absl::Status status = cursor->Expect("("); !status.ok()) return status;
  absl::StatusOr<int64_t> pre_size = cursor->ReadInteger("the product of the sizes before");
  if (!pre_size.ok()) return pre_size.status();
  if (absl::Status status = cursor->Expect(")"); !status.ok()) return status;
  absl::StatusOr<int64_t> size = cursor->ReadInteger("the size of a part");
  if (!size.ok()) return size.status();
  ref->mutable_sub_axis_info()->set_pre_size(*pre_size);
  ref->mutable_sub_axis_info()->set_size(*size);
  return absl::OkStatus();
}

absl::Status ReadMeshAxes(TextCursor* cursor, xla::MeshAxesReplicaGroupListProto* list) {
  xla::MeshProto* mesh = list->mutable_mesh();
  do {
    if (absl::Status status = ReadAxis(cursor, mesh); !status.ok()) return status;
  } while (cursor->Consume(","));
  absl::Status status = cursor->Expect("]");
  if (status.ok() && cursor->Consume(",")) {
    status = cursor->Expect("device_ids=");
    if (status.ok()) status = ReadDeviceIds(cursor, mesh);
  }
  if (!status.ok()) return status;
  return ReadList(cursor, [&] { return ReadAxisRef(cursor, list); });
}

std::string DeviceIdsText(const xla::MeshProto& mesh) {
  if (mesh.has_iota_transform()) {
    const xla::MeshProto::IotaTransform& iota = mesh.iota_transform();
    std::string text =
        absl::StrCat(", device_ids=([", absl::StrJoin(iota.reshape_dims(), ","), "]");
    if (iota.transpose_perm_size() > 1) {
      absl::StrAppend(&text, "T(", absl::StrJoin(iota.transpose_perm(), ","), ")");
    }
    return text + ")";
  }
  if (mesh.device_ids().empty()) return "";
  return absl::StrCat(", device_ids=(", absl::StrJoin(mesh.device_ids(), ","), ")");
}

absl::StatusOr<std::string> MeshAxesText(const xla::MeshAxesReplicaGroupListProto& list) {
  const auto& axes = list.mesh().axes();
  std::string text = "mesh[";
  absl::string_view separator;
  for (const xla::MeshProto::MeshAxis& axis : axes) {
    absl::StrAppend(&text, separator, "'", axis.name(), "'=", axis.size());
    separator = ",";
  }
  absl::StrAppend(&text, "]", DeviceIdsText(list.mesh()), " {");
  separator = "";
  for (const xla::AxisRefProto& ref : list.axes()) {
    const int64_t index = ref.mesh_axis_index();
    if (index < 0 || index >= axes.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("replica_groups: axis ", index, " of a mesh of ", axes.size(), " axes"));
    }
    absl::StrAppend(&text, separator, "'", axes[static_cast<int>(index)].name(), "'");
    if (ref.has_sub_axis_info()) {
      absl::StrAppend(&text, ":(", ref.sub_axis_info().pre_size(), ")", ref.sub_axis_info().size());
    }
    separator = ",";
  }
  return text + "}";
}

std::string IotaText(const xla::IotaReplicaGroupList& list) {
  std::string text = absl::StrCat("[", list.num_replica_groups(), ",", list.num_devices_per_group(),
                                  "]<=[", absl::StrJoin(list.iota_reshape_dims(), ","), "]");
  if (list.iota_reshape_dims_size() > 1) {
    absl::StrAppend(&text, "T(", absl::StrJoin(list.iota_transpose_perm(), ","), ")");
  }
  return text;
}

}  // namespace

absl::Status ReadReplicaGroups(TextCursor* cursor, xla::HloInstructionProto* instruction) {
  if (cursor->Consume("mesh[")) {
    return ReadMeshAxes(cursor, instruction->mutable_mesh_axes_replica_group_list());
  }
  if (cursor->Consume("[")) {
    return ReadIota(
        cursor, instruction->mutable_collective_device_list()->mutable_iota_replica_group_list());
  }
  return ReadGroups(cursor, instruction);
}

absl::StatusOr<std::string> ReplicaGroupsText(const xla::HloInstructionProto& instruction) {
  const xla::CollectiveDeviceList& devices = instruction.collective_device_list();
  if (instruction.has_mesh_axes_replica_group_list()) {
    return MeshAxesText(instruction.mesh_axes_replica_group_list());
  }
  if (devices.has_iota_replica_group_list()) return IotaText(devices.iota_replica_group_list());
  if (instruction.has_iota_collective_device_list()) {
    return IotaText(instruction.iota_collective_device_list());
  }
  const auto& groups =
      devices.replica_groups_size() != 0 ? devices.replica_groups() : instruction.replica_groups();
  return absl::StrCat("{",
                      absl::StrJoin(groups, ",",
                                    [](std::string* out, const xla::ReplicaGroup& group) {
                                      absl::StrAppend(out, "{",
                                                      absl::StrJoin(group.replica_ids(), ","), "}");
                                    }),
                      "}");
}

}  // namespace callbridge::hlo
