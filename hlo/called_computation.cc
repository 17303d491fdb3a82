#include "callbridge/hlo/called_computation.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace callbridge::hlo {
namespace {

// What stands before the number.
absl::string_view BaseName(absl::string_view name) { return name.substr(0, name.rfind('.')); }

class Renumbering {
 public:
  explicit Renumbering(int64_t* last_id) : last_id_(last_id) {}

  template <typename Numbered>
  void Renumber(Numbered& message) {
    const int64_t id = ++*last_id_;
    new_ids_[message.id()] = id;
    message.set_id(id);
    message.set_name(NumberedName(BaseName(message.name()), id));
  }

  absl::StatusOr<int64_t> NewId(int64_t id) const {
    const auto found = new_ids_.find(id);
    if (found != new_ids_.end()) return found->second;
    return absl::InvalidArgumentError(
        absl::StrCat("a computation that is to be called refers to the id ", id,
                     ", which nothing in its module has"));
  }

  absl::Status Replace(google::protobuf::RepeatedField<int64_t>* ids) const {
    for (int64_t& id : *ids) {
      const absl::StatusOr<int64_t> new_id = NewId(id);
      if (!new_id.ok()) return new_id.status();
      id = *new_id;
    }
    return absl::OkStatus();
  }

 private:
  int64_t* const last_id_;
  absl::flat_hash_map<int64_t, int64_t> new_ids_;
};

}  // namespace

std::string NumberedName(absl::string_view base, int64_t id) { return absl::StrCat(base, ".", id); }

absl::StatusOr<CalledComputation> CopyForCall(const xla::HloModuleProto& module, int64_t* last_id) {
  CalledComputation copy;
  Renumbering renumbering(last_id);
  for (const xla::HloComputationProto& computation : module.computations()) {
    xla::HloComputationProto& added = copy.computations.emplace_back(computation);
    renumbering.Renumber(added);
    for (xla::HloInstructionProto& instruction : *added.mutable_instructions()) {
      renumbering.Renumber(instruction);
    }
  }
  for (xla::HloComputationProto& computation : copy.computations) {
    const absl::StatusOr<int64_t> root = renumbering.NewId(computation.root_id());
    if (!root.ok()) return root.status();
    computation.set_root_id(*root);
    for (xla::HloInstructionProto& instruction : *computation.mutable_instructions()) {
      for (auto* ids :
           {instruction.mutable_operand_ids(), instruction.mutable_control_predecessor_ids(),
            instruction.mutable_called_computation_ids()}) {
        absl::Status status = renumbering.Replace(ids);
        if (!status.ok()) return status;
      }
    }
  }
  const absl::StatusOr<int64_t> entry = renumbering.NewId(module.entry_computation_id());
  if (!entry.ok()) return entry.status();
  copy.entry_id = *entry;
  return copy;
}

}  // namespace callbridge::hlo
