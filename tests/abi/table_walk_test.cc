// One walk, four visitors: the tables that calls get at run time, those of declared shapes, those
// of a site descriptor, and the drawings. Each is read as a target reads its parameters, and
// compared with what XLA passes.
#include "callbridge/abi/table_walk.h"

#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/pointer_tables.h"
#include "callbridge/abi/shape.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/adapters/exports/declared_call.h"
#include "callbridge/adapters/exports/site_tables.h"
#include "callbridge/tools/layout/layout_plan.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

constexpr TupleLayout kNested = TupleLayout::kNested;
constexpr TupleLayout kFlat = TupleLayout::kFlat;

struct RandomCall {
  std::vector<Shape> operands;
  Shape result;
};

std::vector<const Shape*> LeavesOf(absl::Span<const Shape> shapes) {
  std::vector<const Shape*> leaves;
  for (const Shape& shape : shapes) {
    for (const Shape* leaf : shape.Leaves()) leaves.push_back(leaf);
  }
  return leaves;
}

// The data pointers of leaves: `first`, `first` + 1, ...; null for tokens, as targets get them.
std::vector<void*> DataOf(const std::vector<const Shape*>& leaves, char* first) {
  std::vector<void*> data;
  data.reserve(leaves.size());
  for (const Shape* leaf : leaves) data.push_back(leaf->IsToken() ? nullptr : first + data.size());
  return data;
}

char operand_bytes[4096];
char result_bytes[4096];

// "3" for the data of operand leaf 3, "r3" for that of a result, "token".
std::string NameOf(const void* data) {
  const char* byte = static_cast<const char*>(data);
  if (data == nullptr) return "token";
  if (byte >= operand_bytes && byte < operand_bytes + sizeof(operand_bytes)) {
    return absl::StrCat(byte - operand_bytes);
  }
  if (byte >= result_bytes && byte < result_bytes + sizeof(result_bytes)) {
    return absl::StrCat("r", byte - result_bytes);
  }
  return "not a leaf";
}

// ---- What a target is to find -------------------------------------------------------------------

std::string ExpectedValue(const Shape& shape, const std::vector<void*>& data, size_t* next) {
  if (!shape.IsTuple()) return NameOf(data[(*next)++]);
  std::vector<std::string> elements;
  for (const Shape& element : shape.tuple_elements()) {
    elements.push_back(ExpectedValue(element, data, next));
  }
  return absl::StrCat("[", absl::StrJoin(elements, " "), "]");
}

std::string ExpectedList(const std::vector<void*>& data) {
  std::vector<std::string> names;
  names.reserve(data.size());
  for (const void* each : data) names.push_back(NameOf(each));
  return absl::StrCat("[", absl::StrJoin(names, " "), "]");
}

std::string ExpectedIn(const RandomCall& call, const std::vector<void*>& data, TupleLayout layout) {
  if (layout == kFlat) return ExpectedList(data);
  size_t next = 0;
  std::vector<std::string> operands;
  for (const Shape& operand : call.operands)
    operands.push_back(ExpectedValue(operand, data, &next));
  return absl::StrCat("[", absl::StrJoin(operands, " "), "]");
}

std::string ExpectedOut(const Shape& result, const std::vector<void*>& data, TupleLayout layout) {
  if (layout == kFlat && result.IsTuple()) return ExpectedList(data);
  size_t next = 0;
  return ExpectedValue(result, data, &next);
}

// ---- What it finds ------------------------------------------------------------------------------

std::string ReadTable(absl::Span<const Shape> elements, void* const* table);

std::string ReadPointer(const Shape& shape, void* pointer) {
  if (!shape.IsTuple()) return NameOf(pointer);
  if (pointer == nullptr) return "null";
  return ReadTable(shape.tuple_elements(), static_cast<void* const*>(pointer));
}

std::string ReadTable(absl::Span<const Shape> elements, void* const* table) {
  std::vector<std::string> values;
  for (const Shape& element : elements) values.push_back(ReadPointer(element, *table++));
  return absl::StrCat("[", absl::StrJoin(values, " "), "]");
}

std::string ReadList(size_t size, void* const* list) {
  return ExpectedList(std::vector<void*>(list, list + size));
}

std::string ReadIn(const RandomCall& call, void* const* in, TupleLayout layout) {
  if (layout == kFlat) return ReadList(LeavesOf(call.operands).size(), in);
  return ReadTable(call.operands, in);
}

std::string ReadOut(const Shape& result, void* out, TupleLayout layout) {
  if (layout == kNested || !result.IsTuple()) return ReadPointer(result, out);
  return ReadList(result.Leaves().size(), static_cast<void* const*>(out));
}

struct Parameters {
  std::string in;
  std::string out;
};
bool operator==(const Parameters& a, const Parameters& b) { return a.in == b.in && a.out == b.out; }
std::ostream& operator<<(std::ostream& stream, const Parameters& parameters) {
  return stream << "in " << parameters.in << ", out " << parameters.out;
}

// ---- The visitors -------------------------------------------------------------------------------

Parameters AtRunTime(const RandomCall& call, std::vector<void*> arguments,
                     std::vector<void*> results, TupleLayout layout) {
  const auto operand_tables = PointerTables::ForOperands(call.operands, layout);
  const auto result_tables = PointerTables::ForResult(call.result, layout);
  EXPECT_EQ(operand_tables.leaf_count(), arguments.size());
  EXPECT_EQ(result_tables.leaf_count(), results.size());
  std::vector<void*> in_slots(operand_tables.slot_count());
  std::vector<void*> out_slots(result_tables.slot_count());
  // A list is not null even where it is empty.
  arguments.reserve(1);
  results.reserve(1);
  void** in = operand_tables.Fill(arguments.data(), in_slots.data());
  void** out = result_tables.Fill(results.data(), out_slots.data());
  return {ReadIn(call, in, layout),
          ReadOut(call.result, result_tables.is_single_leaf() ? *out : out, layout)};
}

Parameters BySiteDescriptor(const RandomCall& call, const std::vector<void*>& arguments,
                            const std::vector<void*>& results, TupleLayout layout) {
  CallSite site;
  site.tuple_layout = layout;
  site.operands = call.operands;
  site.result = call.result;
  const std::string descriptor = EncodeSiteDescriptor(site);
  const absl::string_view tree = SplitSiteDescriptor(descriptor)->tree;

  const auto make_buffers = [](const std::vector<const Shape*>& leaves,
                               const std::vector<void*>& data) {
    std::vector<XLA_FFI_Buffer> buffers(leaves.size());
    for (size_t i = 0; i < leaves.size(); ++i) {
      buffers[i].dtype = static_cast<XLA_FFI_DataType>(leaves[i]->element_type());
      buffers[i].data = data[i];
    }
    return buffers;
  };
  const auto pointers_to = [](std::vector<XLA_FFI_Buffer>& buffers) {
    std::vector<void*> pointers;
    pointers.reserve(buffers.size());
    for (XLA_FFI_Buffer& buffer : buffers) pointers.push_back(&buffer);
    return pointers;
  };
  std::vector<XLA_FFI_Buffer> args = make_buffers(LeavesOf(call.operands), arguments);
  std::vector<XLA_FFI_Buffer> rets = make_buffers(call.result.Leaves(), results);
  const std::vector<void*> arg_pointers = pointers_to(args);
  const std::vector<void*> ret_pointers = pointers_to(rets);
  // Exactly as large as it must be, so that a sanitizer sees what is written behind it.
  std::vector<void*> block(tree.size());
  exports::SiteTables tables(std::string_view(tree.data(), tree.size()), block.data());
  if (!tables.Write({arg_pointers.data(), static_cast<int64_t>(args.size())},
                    {ret_pointers.data(), static_cast<int64_t>(rets.size())})) {
    return {"refused", "refused"};
  }
  return {ReadIn(call, tables.operands(), layout), ReadOut(call.result, tables.result(), layout)};
}

constexpr size_t kMaxText = 1024;
using DeclaredCall = exports::DeclaredCall<kMaxText>;
using PointerLayout = exports::PointerLayout<kMaxText>;

DeclaredCall Declare(const RandomCall& call) {
  std::vector<std::string> operands;
  for (const Shape& operand : call.operands) operands.push_back(ShapeText(operand));
  const std::string text =
      absl::StrCat(absl::StrJoin(operands, ","), " -> ", ShapeText(call.result));
  EXPECT_LT(text.size(), kMaxText);
  const DeclaredCall declared = exports::CallTextReader<kMaxText>(text.c_str()).Read();
  EXPECT_EQ(declared.error, exports::TextError::kNone) << text;
  return declared;
}

// As DeclaredHandler writes it.
std::vector<void*> WriteBlock(const PointerLayout& layout, const std::vector<void*>& data) {
  std::vector<void*> block(layout.slot_count + 1);
  EXPECT_EQ(static_cast<size_t>(layout.leaf_count), data.size());
  for (int i = 0; i < layout.leaf_count; ++i) block[layout.leaf_slots[i]] = data[i];
  for (int i = 0; i < layout.slot_count; ++i) {
    if (layout.slots[i].is_table) block[i] = &block[layout.slots[i].index];
  }
  return block;
}

// Each leaf is where the slots' parents say: what CALLBRIDGE_EXPORT_UNTYPED reads.
void ExpectParentsLeadToLeaves(const PointerLayout& layout, const std::vector<void*>& block) {
  for (int i = 0; i < layout.slot_count; ++i) {
    const int parent = layout.slots[i].parent;
    if (parent == exports::kNoSlot) continue;
    ASSERT_LT(parent, i);
    ASSERT_TRUE(layout.slots[parent].is_table);
    ASSERT_EQ(static_cast<void* const*>(block[parent]) + (i - layout.slots[parent].index),
              &block[i]);
  }
}

Parameters Declared(const RandomCall& call, const std::vector<void*>& arguments,
                    const std::vector<void*>& results, TupleLayout layout) {
  const DeclaredCall declared = Declare(call);
  const PointerLayout operand_layout = exports::LayOutOperands(declared, layout);
  const PointerLayout result_layout = exports::LayOutResult(declared, layout);
  const std::vector<void*> in = WriteBlock(operand_layout, arguments);
  const std::vector<void*> out = WriteBlock(result_layout, results);
  ExpectParentsLeadToLeaves(operand_layout, in);
  ExpectParentsLeadToLeaves(result_layout, out);
  return {ReadIn(call, in.data(), layout), ReadOut(call.result, out[0], layout)};
}

// What is drawn, each leaf by the pointer that it has in a call.
class DrawingReader {
 public:
  DrawingReader(const LayoutPlan& plan, const RandomCall& call, const std::vector<void*>& arguments,
                const std::vector<void*>& results)
      : plan_(plan), leaves_(LeavesOf(call.operands)), data_(arguments) {
    const std::vector<const Shape*> result_leaves = call.result.Leaves();
    leaves_.insert(leaves_.end(), result_leaves.begin(), result_leaves.end());
    data_.insert(data_.end(), results.begin(), results.end());
  }

  std::string Read(const LayoutSlot& slot) const {
    if (!slot.table.has_value()) {
      for (size_t i = 0; i < leaves_.size(); ++i) {
        if (leaves_[i] == slot.shape) return NameOf(data_[i]);
      }
      return "not a leaf";
    }
    std::vector<std::string> values;
    for (const LayoutSlot& each : plan_.tables[*slot.table].slots) values.push_back(Read(each));
    return absl::StrCat("[", absl::StrJoin(values, " "), "]");
  }

 private:
  const LayoutPlan& plan_;
  std::vector<const Shape*> leaves_;
  std::vector<void*> data_;
};

// ---- The comparison -----------------------------------------------------------------------------

class RandomCalls {
 public:
  explicit RandomCalls(uint32_t seed) : random_(seed) {}

  RandomCall Next() {
    std::vector<Shape> operands = NextList(/*depth=*/4);
    return {std::move(operands), NextShape(/*depth=*/4)};
  }

 private:
  Shape NextShape(int depth) {
    const size_t kind = Below(depth == 0 ? 3 : 6);
    if (kind == 0) return Shape::MakeToken();
    if (kind == 1) return Shape::MakeArray(PrimitiveType::kS32, {}).value();
    if (kind == 2) return Shape::MakeArray(PrimitiveType::kF32, {}).value();
    return Shape::MakeTuple(NextList(depth - 1)).value();
  }
  std::vector<Shape> NextList(int depth) {
    std::vector<Shape> shapes;
    for (size_t count = Below(7); count > 0; --count) shapes.push_back(NextShape(depth));
    return shapes;
  }
  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  std::mt19937 random_;
};

void ExpectAllAlike(const RandomCall& call) {
  const std::vector<void*> arguments = DataOf(LeavesOf(call.operands), operand_bytes);
  const std::vector<void*> results = DataOf(call.result.Leaves(), result_bytes);
  for (const TupleLayout layout : {kNested, kFlat}) {
    SCOPED_TRACE(layout == kFlat ? "flat" : "nested");
    const Parameters expected = {ExpectedIn(call, arguments, layout),
                                 ExpectedOut(call.result, results, layout)};
    EXPECT_EQ(AtRunTime(call, arguments, results, layout), expected);
    EXPECT_EQ(BySiteDescriptor(call, arguments, results, layout), expected);
    EXPECT_EQ(Declared(call, arguments, results, layout), expected);
    int drawn = 0;
    for (const LayoutPlan& plan : PlanLayouts(call.operands, &call.result, layout)) {
      if (plan.tuple_layouts.empty()) continue;
      ++drawn;
      const DrawingReader reader(plan, call, arguments, results);
      EXPECT_EQ(
          (Parameters{reader.Read(plan.parameters[0].slot), reader.Read(plan.parameters[1].slot)}),
          expected);
    }
    EXPECT_EQ(drawn, 1);
  }
}

void ExpectOneListOnGpu(const RandomCall& call) {
  const std::vector<void*> arguments = DataOf(LeavesOf(call.operands), operand_bytes);
  const std::vector<void*> results = DataOf(call.result.Leaves(), result_bytes);
  std::vector<void*> all = arguments;
  all.insert(all.end(), results.begin(), results.end());

  const LayoutPlan drawing = PlanLayouts(call.operands, &call.result, kNested).back();
  ASSERT_EQ(drawing.parameters.size(), 1u);
  const DrawingReader reader(drawing, call, arguments, results);
  EXPECT_EQ(reader.Read(drawing.parameters[0].slot), ExpectedList(all));

  const DeclaredCall declared = Declare(call);
  const std::vector<void*> operands =
      WriteBlock(exports::LayOutOperands(declared, kFlat), arguments);
  const std::vector<void*> behind = WriteBlock(exports::LayOutGpuResult(declared), results);
  EXPECT_EQ(ReadList(arguments.size(), operands.data()), ExpectedList(arguments));
  EXPECT_EQ(ReadList(results.size(), behind.data()), ExpectedList(results));
}

std::string TextOf(const RandomCall& call) {
  return absl::StrCat(ShapeText(Shape::MakeTuple(call.operands).value()), " -> ",
                      ShapeText(call.result));
}

RandomCall CallOf(const std::vector<const char*>& operands, const char* result) {
  RandomCall call = {{}, ParseShape(result).value()};
  for (const char* operand : operands) call.operands.push_back(ParseShape(operand).value());
  return call;
}

TEST(TableWalkTest, TheRules) {
  const RandomCall call = CallOf({"f32[]", "(f32[],(),(token[]))"}, "(f32[],(f32[]))");
  const std::vector<void*> arguments = DataOf(LeavesOf(call.operands), operand_bytes);
  const std::vector<void*> results = DataOf(call.result.Leaves(), result_bytes);
  EXPECT_EQ(ExpectedIn(call, arguments, kNested), "[0 [1 [] [token]]]");
  EXPECT_EQ(ExpectedIn(call, arguments, kFlat), "[0 1 token]");
  EXPECT_EQ(ExpectedOut(call.result, results, kNested), "[r0 [r1]]");
  EXPECT_EQ(ExpectedOut(call.result, results, kFlat), "[r0 r1]");
  ExpectAllAlike(call);
}

TEST(TableWalkTest, EveryVisitorPutsEachPointerInTheSamePlace) {
  for (const char* result :
       {"f32[]", "token[]", "()", "(f32[])", "((f32[]))", "(())", "(f32[],(f32[],(s32[])),())"}) {
    for (const std::vector<const char*>& operands : std::vector<std::vector<const char*>>{
             {}, {"()"}, {"f32[]"}, {"(f32[])"}, {"((),f32[])", "(f32[],())"}}) {
      const RandomCall call = CallOf(operands, result);
      SCOPED_TRACE(TextOf(call));
      ExpectAllAlike(call);
      ExpectOneListOnGpu(call);
    }
  }
  RandomCalls random(20261122);
  int with_nested_results = 0;
  for (int calls = 0; calls < 2000; ++calls) {
    RandomCall call = random.Next();
    while (TextOf(call).size() >= kMaxText) call = random.Next();
    SCOPED_TRACE(TextOf(call));
    ExpectAllAlike(call);
    ExpectOneListOnGpu(call);
    if (call.result.TupleDepth() > 1) ++with_nested_results;
    if (HasFailure()) return;
  }
  EXPECT_GT(with_nested_results, 200);
}

}  // namespace
}  // namespace callbridge
