// The first line of HLO text, and the tables of source lines after it.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/hlo_text_attributes.h"
#include "callbridge/hlo/shape_proto_text.h"

namespace callbridge::hlo {
namespace {

class HeaderReader {
 public:
  explicit HeaderReader(TextCursor* cursor) : cursor_(cursor) {}

  absl::StatusOr<ModuleHeader> Read() {
    if (absl::Status status = ReadHeader(); !status.ok()) return status;
    if (absl::Status status = ReadStackFrames(); !status.ok()) return status;
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
    if (name == "buffer_donor") return ReadBufferDonors();
    if (name == "frontend_attributes") {
      return ReadFrontendAttributes(cursor_, header_.module.mutable_frontend_attributes());
    }
    if (name.empty()) return cursor_->InvalidAt(begin, "expected an attribute");
    return ReadTextAttribute(name, cursor_, header_.module.add_text_attributes());
  }

  // {(f32[4]{0}, s32[])->f32[4]{0}}
  absl::Status ReadEntryLayout() {
    if (absl::Status status = cursor_->Expect("{"); !status.ok()) return status;
    if (absl::Status status = cursor_->Expect("("); !status.ok()) return status;
    xla::ProgramShapeProto* program = header_.module.mutable_host_program_shape();
    if (!cursor_->Peek(")")) {
      do {
        absl::StatusOr<xla::ShapeProto> parameter = ReadShape(cursor_);
        if (!parameter.ok()) return parameter.status();
        *program->add_parameters() = WithLayouts(*parameter);
      } while (cursor_->Consume(","));
    }
    if (absl::Status status = cursor_->Expect(")"); !status.ok()) return status;
    if (absl::Status status = cursor_->Expect("->"); !status.ok()) return status;
    absl::StatusOr<xla::ShapeProto> result = ReadShape(cursor_);
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

  // { (0, {}), (1, {0}) }
  absl::Status ReadBufferDonors() {
    if (absl::Status status = cursor_->Expect("{"); !status.ok()) return status;
    if (cursor_->Consume("}")) return absl::OkStatus();
    do {
      auto* entry = header_.module.mutable_buffer_donor()->add_entries();
      if (absl::Status status = cursor_->Expect("("); !status.ok()) return status;
      absl::StatusOr<int64_t> parameter = cursor_->ReadInteger("the number of a parameter");
      if (!parameter.ok()) return parameter.status();
      entry->set_parameter_number(*parameter);
      if (absl::Status status = cursor_->Expect(","); !status.ok()) return status;
      absl::StatusOr<std::vector<int64_t>> index = ReadShapeIndex(cursor_);
      if (!index.ok()) return index.status();
      for (int64_t i : *index) entry->add_parameter_shape_index(i);
      if (absl::Status status = cursor_->Expect(")"); !status.ok()) return status;
    } while (cursor_->Consume(","));
    return cursor_->Expect("}");
  }

  // Reads the tables of source lines, which jaxlib >= 0.8 prints after the header: rows that are
  // numbered from 1. Metadata refers to them.
  absl::Status ReadStackFrames() {
    xla::StackFrameIndexProto index;
    for (const bool is_files : {true, false}) {
      const absl::string_view table = is_files ? "FileNames" : "FunctionNames";
      absl::Status status = ReadRows(table, [&]() -> absl::Status {
        absl::StatusOr<std::string> name = cursor_->ReadQuotedText(table);
        if (name.ok()) *(is_files ? index.add_file_names() : index.add_function_names()) = *name;
        return name.status();
      });
      if (!status.ok()) return status;
    }
    absl::Status status = ReadRows("FileLocations", [&] {
      auto* location = index.add_file_locations();
      return ReadFields([&](absl::string_view name, int32_t value) {
        if (name == "file_name_id") return location->set_file_name_id(value), true;
        if (name == "function_name_id") return location->set_function_name_id(value), true;
        if (name == "line") return location->set_line(value), true;
        if (name == "column") return location->set_column(value), true;
        if (name == "end_line") return location->set_end_line(value), true;
        if (name == "end_column") return location->set_end_column(value), true;
        return false;
      });
    });
    if (!status.ok()) return status;
    status = ReadRows("StackFrames", [&] {
      auto* frame = index.add_stack_frames();
      return ReadFields([&](absl::string_view name, int32_t value) {
        if (name == "file_location_id") return frame->set_file_location_id(value), true;
        // The text has one more than the message.
        if (name == "parent_frame_id") return frame->set_parent_frame_id(value - 1), true;
        return false;
      });
    });
    if (status.ok() && index.ByteSizeLong() != 0) {
      *header_.module.mutable_stack_frame_index() = std::move(index);
    }
    return status;
  }

  // Reads the rows of a table, if it comes next. `read_row` reads what follows a row's number.
  template <typename ReadRow>
  absl::Status ReadRows(absl::string_view table, ReadRow read_row) {
    if (cursor_->PeekWord() != table) return absl::OkStatus();
    cursor_->ReadWord();
    while (!cursor_->PeekWord().empty() && cursor_->ReadInteger("a row").ok()) {
      if (absl::Status status = read_row(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Reads "{name=1 name=2}". `set` returns false for an unknown name.
  template <typename Set>
  absl::Status ReadFields(Set set) {
    if (absl::Status status = cursor_->Expect("{"); !status.ok()) return status;
    while (!cursor_->Consume("}")) {
      const size_t begin = cursor_->position();
      const absl::string_view name = cursor_->ReadWord();
      if (absl::Status status = cursor_->Expect("="); !status.ok()) return status;
      absl::StatusOr<int64_t> value = cursor_->ReadInteger("a number");
      if (!value.ok()) return value.status();
      if (!set(name, static_cast<int32_t>(*value))) {
        return cursor_->InvalidAt(begin, absl::StrCat("a source line has no field \"", name, "\""));
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
