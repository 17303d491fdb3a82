// The first line of HLO text, and the tables of source lines after it.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/hlo_text_attributes.h"

namespace callbridge::hlo {
namespace {

class HeaderReader {
 public:
  explicit HeaderReader(TextCursor* cursor) : cursor_(cursor) {}

  absl::StatusOr<ModuleHeader> Read() {
    if (absl::Status status = ReadHeader(); !status.ok()) return status;
    if (absl::Status status = SkipStackFrames(); !status.ok()) return status;
    return std::move(header_);
  }

 private:
  // HloModule name, attribute=..., ...
  absl::Status ReadHeader() {
    if (absl::Status status = cursor_->Expect("HloModule"); !status.ok()) return status;
    absl::StatusOr<absl::string_view> name = cursor_->ReadName("the module's name");
    if (!name.ok()) return name.status();
    header_.module.set_name(std::string(*name));
    absl::flat_hash_set<absl::string_view> seen;
    while (cursor_->Consume(",")) {
      const size_t begin = cursor_->position();
      const absl::string_view attribute = cursor_->ReadWord();
      if (!seen.insert(attribute).second) {
        return cursor_->InvalidAt(begin,
                                  absl::StrCat("expected ", attribute, " once, found it again"));
      }
      if (absl::Status status = cursor_->Expect("="); !status.ok()) return status;
      absl::Status status = ReadModuleAttribute(attribute, begin);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadModuleAttribute(absl::string_view name, size_t begin) {
    if (name == "entry_computation_layout") return ReadEntryLayout();
    if (name == "input_output_alias") return ReadInputOutputAliases();
    if (name == "is_scheduled") {
      absl::StatusOr<bool> is_scheduled = cursor_->ReadBool();
      if (is_scheduled.ok()) header_.is_scheduled = *is_scheduled;
      return is_scheduled.status();
    }
    if (name == "replica_count" || name == "num_partitions") {
      absl::StatusOr<int64_t> count = cursor_->ReadInteger("a number of devices");
      if (!count.ok() || *count == 1) return count.status();
      return cursor_->UnimplementedAt(begin, absl::StrCat("the module is for several devices, ",
                                                          name, "=", *count, "; run it on XLA"));
    }
    // Hints to the runtime, and attributes of the partitioner.
    if (name == "allow_spmd_sharding_propagation_to_parameters" ||
        name == "allow_spmd_sharding_propagation_to_output" || name == "buffer_donor" ||
        name == "frontend_attributes") {
      return cursor_->ReadDictionary(name).status();
    }
    if (name == "alias_passthrough_params") return cursor_->ReadBool().status();
    return UnknownAttribute(name, begin, *cursor_);
  }

  // {(f32[4]{0}, s32[])->f32[4]{0}}
  absl::Status ReadEntryLayout() {
    if (absl::Status status = cursor_->Expect("{"); !status.ok()) return status;
    if (absl::Status status = cursor_->Expect("("); !status.ok()) return status;
    xla::ProgramShapeProto* program = header_.module.mutable_host_program_shape();
    if (!cursor_->Peek(")")) {
      do {
        absl::StatusOr<Shape> parameter = cursor_->ReadShape();
        if (!parameter.ok()) return parameter.status();
        *program->add_parameters() = WithLayouts(*parameter);
      } while (cursor_->Consume(","));
    }
    if (absl::Status status = cursor_->Expect(")"); !status.ok()) return status;
    if (absl::Status status = cursor_->Expect("->"); !status.ok()) return status;
    absl::StatusOr<Shape> result = cursor_->ReadShape();
    if (!result.ok()) return result.status();
    *program->mutable_result() = WithLayouts(*result);
    return cursor_->Expect("}");
  }

  // { {0}: (0, {}, may-alias), {1}: (1, {0}, must-alias) }
  absl::Status ReadInputOutputAliases() {
    if (absl::Status status = cursor_->Expect("{"); !status.ok()) return status;
    if (cursor_->Consume("}")) return absl::OkStatus();
    do {
      absl::Status status =
          ReadInputOutputAlias(header_.module.mutable_input_output_alias()->add_entries());
      if (!status.ok()) return status;
    } while (cursor_->Consume(","));
    return cursor_->Expect("}");
  }

  absl::Status ReadInputOutputAlias(xla::HloInputOutputAliasProto::AliasEntryProto* entry) {
    absl::StatusOr<std::vector<int64_t>> output = ReadShapeIndex(cursor_);
    if (!output.ok()) return output.status();
    for (int64_t i : *output) entry->add_output_shape_index(i);
    if (absl::Status status = cursor_->Expect(":"); !status.ok()) return status;
    if (absl::Status status = cursor_->Expect("("); !status.ok()) return status;
    absl::StatusOr<int64_t> parameter = cursor_->ReadInteger("the number of a parameter");
    if (!parameter.ok()) return parameter.status();
    entry->set_parameter_number(*parameter);
    if (absl::Status status = cursor_->Expect(","); !status.ok()) return status;
    absl::StatusOr<std::vector<int64_t>> index = ReadShapeIndex(cursor_);
    if (!index.ok()) return index.status();
    for (int64_t i : *index) entry->add_parameter_shape_index(i);
    entry->set_kind(xla::MAY_ALIAS);
    if (cursor_->Consume(",")) {
      const absl::string_view kind = cursor_->PeekWord();
      if (kind != "may-alias" && kind != "must-alias") {
        return cursor_->Expected("may-alias or must-alias");
      }
      entry->set_kind(kind == "may-alias" ? xla::MAY_ALIAS : xla::MUST_ALIAS);
      cursor_->ReadWord();
    }
    return cursor_->Expect(")");
  }

  // Skips the tables of source lines, which jaxlib >= 0.8 prints after the header. Only metadata
  // refers to them.
  absl::Status SkipStackFrames() {
    for (absl::string_view table : {"FileNames", "FunctionNames", "FileLocations", "StackFrames"}) {
      if (cursor_->PeekWord() != table) continue;
      cursor_->ReadWord();
      while (!cursor_->PeekWord().empty() && cursor_->ReadInteger("a row").ok()) {
        absl::Status status = cursor_->Peek("{") ? cursor_->ReadDictionary(table).status()
                                                 : cursor_->ReadQuoted(table).status();
        if (!status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  TextCursor* const cursor_;
  ModuleHeader header_;
};

}  // namespace

absl::StatusOr<ModuleHeader> ReadModuleHeader(TextCursor* cursor) {
  return HeaderReader(cursor).Read();
}

}  // namespace callbridge::hlo
