#include "callbridge/tools/call_arrays.h"

#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/tools/npy.h"
#include "callbridge/tools/output_file.h"
#include "callbridge/tools/packed_elements.h"

namespace callbridge {
namespace {

// Records in `value` the file of each leaf.
absl::Status WriteOutputs(const std::vector<std::string>& outputs, ReturnedValue* value) {
  auto output = outputs.begin();
  for (size_t i = 0; i < value->leaves.size() && output != outputs.end(); ++i) {
    const Array& array = value->leaves[i];
    if (!array.shape.IsArray()) continue;
    const absl::StatusOr<std::string> header = NpyHeaderFor(array.shape);
    if (!header.ok()) return header.status();
    const absl::string_view data(array.memory.data(), array.memory.size());
    if (absl::Status status = WriteFile(*output, *header, data); !status.ok()) return status;
    value->files[i] = *output++;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LoadedOperands> LoadOperands(const std::vector<Operand>& operands) {
  LoadedOperands loaded;
  for (const Operand& operand : operands) {
    absl::StatusOr<Shape> shape = LoadOperand(operand, &loaded.leaves);
    if (!shape.ok()) return shape.status();
    loaded.shapes.push_back(*std::move(shape));
  }
  return loaded;
}

absl::StatusOr<std::vector<Array>> MakeResultArrays(const Shape& result) {
  std::vector<Array> arrays;
  for (const Shape* leaf : result.Leaves()) {
    absl::StatusOr<Array> array = MakeArrayOfZeros(*leaf);
    if (!array.ok()) return array.status();
    arrays.push_back(*std::move(array));
  }
  return arrays;
}

absl::StatusOr<std::vector<Operand>> OperandsFrom(const std::optional<std::string>& target,
                                                  const std::vector<Operand>& others) {
  std::vector<Operand> operands;
  if (target.has_value()) {
    absl::StatusOr<Operand> first = ParseOperand(*target);
    if (!first.ok()) return first.status();
    operands.push_back(*std::move(first));
  }
  operands.insert(operands.end(), others.begin(), others.end());
  return operands;
}

std::string FindOutputUsageError(const std::vector<std::string>& outputs, const Shape& result) {
  size_t arrays = 0;
  for (const Shape* leaf : result.Leaves()) {
    if (leaf->IsArray()) ++arrays;
  }
  std::set<std::string> names;
  for (const std::string& output : outputs) {
    if (!names.insert(std::filesystem::path(output).lexically_normal()).second) {
      return absl::StrCat("expected a file of its own for each array, got --output ", output,
                          " twice");
    }
  }
  if (outputs.empty() || outputs.size() == arrays) return "";
  return absl::StrCat("expected --output once for each array of ", ShapeText(result), " (", arrays,
                      "), got ", outputs.size());
}

absl::StatusOr<ReturnedValue> FinishResult(const Shape& result, std::vector<Array> leaves,
                                           const std::vector<std::string>& outputs) {
  ReturnedValue value{result, {}, std::vector<std::string>(leaves.size())};
  for (Array& leaf : leaves) {
    absl::StatusOr<Array> unpacked = UnpackElements(std::move(leaf));
    if (!unpacked.ok()) return unpacked.status();
    absl::StatusOr<Array> row_major = ToRowMajor(*std::move(unpacked));
    if (!row_major.ok()) return row_major.status();
    value.leaves.push_back(*std::move(row_major));
  }
  if (absl::Status written = WriteOutputs(outputs, &value); !written.ok()) return written;
  return value;
}

}  // namespace callbridge
