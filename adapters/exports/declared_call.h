// A call's shapes, declared as a text that is parsed at compile time:
//
//   "f32[128], f32[2048] -> f32[2048]"
//   "(f32[32],(f32[64],f32[128])), token[] -> (f32[512],s32[?,4])"
//
// The operands, an arrow and the result, in XLA's notation without layouts; `?` is a dimension of
// any size.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_DECLARED_CALL_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_DECLARED_CALL_H_

#include <stddef.h>
#include <stdint.h>

#include "callbridge/abi/table_walk.h"
#include "callbridge/typed_ffi/c_api.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

inline constexpr int64_t kAnySize = -1;
inline constexpr int kTupleNode = 13;  // xla.PrimitiveType

struct NamedType {
  const char* name;
  int number;
};

inline constexpr NamedType kNamedTypes[] = {
    {"pred", XLA_FFI_DataType_PRED},
    {"s1", XLA_FFI_DataType_S1},
    {"s2", XLA_FFI_DataType_S2},
    {"s4", XLA_FFI_DataType_S4},
    {"s8", XLA_FFI_DataType_S8},
    {"s16", XLA_FFI_DataType_S16},
    {"s32", XLA_FFI_DataType_S32},
    {"s64", XLA_FFI_DataType_S64},
    {"u1", XLA_FFI_DataType_U1},
    {"u2", XLA_FFI_DataType_U2},
    {"u4", XLA_FFI_DataType_U4},
    {"u8", XLA_FFI_DataType_U8},
    {"u16", XLA_FFI_DataType_U16},
    {"u32", XLA_FFI_DataType_U32},
    {"u64", XLA_FFI_DataType_U64},
    {"f16", XLA_FFI_DataType_F16},
    {"f32", XLA_FFI_DataType_F32},
    {"f64", XLA_FFI_DataType_F64},
    {"bf16", XLA_FFI_DataType_BF16},
    {"c64", XLA_FFI_DataType_C64},
    {"c128", XLA_FFI_DataType_C128},
    {"token", XLA_FFI_DataType_TOKEN},
    {"f4e2m1fn", XLA_FFI_DataType_F4E2M1FN},
    {"f8e3m4", XLA_FFI_DataType_F8E3M4},
    {"f8e4m3", XLA_FFI_DataType_F8E4M3},
    {"f8e4m3fn", XLA_FFI_DataType_F8E4M3FN},
    {"f8e4m3b11fnuz", XLA_FFI_DataType_F8E4M3B11FNUZ},
    {"f8e4m3fnuz", XLA_FFI_DataType_F8E4M3FNUZ},
    {"f8e5m2", XLA_FFI_DataType_F8E5M2},
    {"f8e5m2fnuz", XLA_FFI_DataType_F8E5M2FNUZ},
    {"f8e8m0fnu", XLA_FFI_DataType_F8E8M0FNU},
};

// What is wrong with a text. static_asserts report it.
enum class TextError {
  kNone,
  kUnknownType,
  kNoDimensions,
  kBadDimension,
  kUnclosedTuple,
  kNoArrow,
  kTrailingText,
};

constexpr size_t TextSize(const char* text) {
  size_t size = 0;
  while (text[size] != 0) ++size;
  return size;
}

// An array, a token or a tuple. A call's nodes are in preorder, the result's after the operands'.
struct ShapeNode {
  int type = 0;
  int count = 0;      // rank, or the number of a tuple's elements
  int first_dim = 0;  // of an array, in DeclaredCall::dims
};

// A parsed text. `kMax` bounds nodes and dimensions alike: a text has more characters than either.
template <size_t kMax>
struct DeclaredCall {
  TextError error = TextError::kNone;
  int operand_count = 0;
  int operand_nodes = 0;  // nodes[operand_nodes] is the result
  int node_count = 0;
  int dim_count = 0;
  bool any_size = false;  // a dimension is `?`
  ShapeNode nodes[kMax] = {};
  int64_t dims[kMax] = {};
};

template <size_t kMax>
class CallTextReader {
 public:
  constexpr explicit CallTextReader(const char* text) : rest_(text) {}

  constexpr DeclaredCall<kMax> Read() {
    SkipSpaces();
    while (Ok() && *rest_ != '-') {
      if (call_.operand_count > 0 && !Take(',')) Fail(TextError::kNoArrow);
      if (Ok()) ReadShape();
      ++call_.operand_count;
    }
    call_.operand_nodes = call_.node_count;
    if (Ok() && !(Take('-') && *rest_ == '>')) Fail(TextError::kNoArrow);
    if (Ok()) {
      ++rest_;
      SkipSpaces();
      ReadShape();
    }
    if (Ok() && *rest_ != 0) Fail(TextError::kTrailingText);
    return call_;
  }

 private:
  constexpr bool Ok() const { return call_.error == TextError::kNone; }
  constexpr void Fail(TextError error) {
    if (Ok()) call_.error = error;
  }
  constexpr void SkipSpaces() {
    while (*rest_ == ' ') ++rest_;
  }
  // Takes one character and the spaces after it.
  constexpr bool Take(char wanted) {
    if (*rest_ != wanted) return false;
    ++rest_;
    if (wanted != '-') SkipSpaces();
    return true;
  }

  constexpr void ReadShape() {
    if (Take('(')) {
      ReadTuple();
    } else {
      ReadArray();
    }
  }

  constexpr void ReadTuple() {
    const int node = call_.node_count++;
    int count = 0;
    while (Ok() && !Take(')')) {
      if (*rest_ == 0 || (count > 0 && !Take(','))) return Fail(TextError::kUnclosedTuple);
      ReadShape();
      ++count;
    }
    call_.nodes[node] = {kTupleNode, count, 0};
  }

  constexpr void ReadArray() {
    ShapeNode node = {ReadType(), 0, call_.dim_count};
    if (!Ok()) return;
    if (!Take('[')) return Fail(TextError::kNoDimensions);
    while (!Take(']')) {
      if (node.count > 0 && !Take(',')) return Fail(TextError::kBadDimension);
      if (!ReadDimension()) return Fail(TextError::kBadDimension);
      ++node.count;
    }
    call_.nodes[call_.node_count++] = node;
  }

  constexpr int ReadType() {
    size_t size = 0;
    while ((rest_[size] >= 'a' && rest_[size] <= 'z') || (rest_[size] >= '0' && rest_[size] <= '9'))
      ++size;
    for (const NamedType& type : kNamedTypes) {
      if (TextSize(type.name) != size) continue;
      bool same = true;
      for (size_t i = 0; i < size; ++i) same = same && type.name[i] == rest_[i];
      if (!same) continue;
      rest_ += size;
      SkipSpaces();
      return type.number;
    }
    Fail(TextError::kUnknownType);
    return 0;
  }

  constexpr bool ReadDimension() {
    int64_t size = 0;
    if (Take('?')) {
      size = kAnySize;
      call_.any_size = true;
    } else {
      if (*rest_ < '0' || *rest_ > '9') return false;
      for (; *rest_ >= '0' && *rest_ <= '9'; ++rest_) {
        if (size > (INT64_MAX - 9) / 10) return false;
        size = size * 10 + (*rest_ - '0');
      }
      SkipSpaces();
    }
    call_.dims[call_.dim_count++] = size;
    return true;
  }

  const char* rest_;
  DeclaredCall<kMax> call_;
};

inline constexpr int kNoSlot = -1;

// One slot of a PointerLayout.
struct PointerSlot {
  bool is_table = false;
  int index = 0;         // the leaf, or the first slot of the table
  int parent = kNoSlot;  // the slot that holds the address of the table that this slot is in
};

// The places of the pointers of the operands, or of the result, in one block of slots. A table
// follows the slot that holds its address. The operands' list is the first table. The first slot of
// a result is that of `out`; on GPU, the block is the list of the result's leaves.
template <size_t kMax>
struct PointerLayout {
  int leaf_count = 0;
  int slot_count = 0;
  PointerSlot slots[kMax + 1] = {};
  int leaf_nodes[kMax] = {};  // the node of each leaf
  int leaf_slots[kMax] = {};  // and its slot
};

// The visitor of abi/table_walk.h that lays out declared shapes at compile time.
template <size_t kMax>
class DeclaredPlanner {
 public:
  struct Node {
    bool is_tuple;
    uint32_t count;
    int number;  // in DeclaredCall::nodes
  };
  using Slot = int;
  using Table = int;

  constexpr DeclaredPlanner(const DeclaredCall<kMax>& call, int first_node)
      : call_(call), next_node_(first_node) {}

  constexpr bool ReadNode(int /*depth*/, Node& node) {
    const ShapeNode& shape = call_.nodes[next_node_];
    node = {shape.type == kTupleNode, static_cast<uint32_t>(shape.count), next_node_};
    ++next_node_;
    return true;
  }
  constexpr bool OpenList(uint32_t size, int& table) {
    table = AddSlots(size);
    return true;
  }
  constexpr bool OpenTable(int slot, const Node& /*tuple*/, uint32_t size, int& table) {
    parent_ = slot;
    table = AddSlots(size);
    layout_.slots[slot].is_table = true;
    layout_.slots[slot].index = table;
    return true;
  }
  constexpr int SlotAt(int table, uint32_t i) const { return table + static_cast<int>(i); }
  constexpr bool AppendSlot(int& slot) {
    slot = AddSlots(1);
    return true;
  }
  constexpr bool PlaceLeaf(int slot, const Node& leaf) {
    layout_.slots[slot].index = layout_.leaf_count;
    layout_.leaf_slots[layout_.leaf_count] = slot;
    layout_.leaf_nodes[layout_.leaf_count++] = leaf.number;
    return true;
  }

  // Adds slots to the table opened last, or to the list before one is opened; returns the first.
  constexpr int AddSlots(uint32_t count) {
    const int first = layout_.slot_count;
    for (uint32_t i = 0; i < count; ++i) layout_.slots[layout_.slot_count++].parent = parent_;
    return first;
  }
  constexpr const PointerLayout<kMax>& layout() const { return layout_; }

 private:
  const DeclaredCall<kMax>& call_;
  int next_node_;
  int parent_ = kNoSlot;
  PointerLayout<kMax> layout_;
};

// Lays out the operands. Those of a GPU function are kFlat.
template <size_t kMax>
constexpr PointerLayout<kMax> LayOutOperands(const DeclaredCall<kMax>& call, TupleLayout layout) {
  DeclaredPlanner<kMax> planner(call, 0);
  WalkOperands(planner, static_cast<uint32_t>(call.operand_count), layout);
  return planner.layout();
}

// Lays out the result of a Host function.
template <size_t kMax>
constexpr PointerLayout<kMax> LayOutResult(const DeclaredCall<kMax>& call, TupleLayout layout) {
  DeclaredPlanner<kMax> planner(call, call.operand_nodes);
  WalkResult(planner, planner.AddSlots(1), layout);
  return planner.layout();
}

// Lays out the result of a GPU function, whose slots follow those of the operands.
template <size_t kMax>
constexpr PointerLayout<kMax> LayOutGpuResult(const DeclaredCall<kMax>& call) {
  DeclaredPlanner<kMax> planner(call, call.operand_nodes);
  WalkGpuResult(planner);
  return planner.layout();
}

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_DECLARED_CALL_H_
