// A call's shapes, declared as a text that is read while compiling:
//
//   "f32[128], f32[2048] -> f32[2048]"
//   "(f32[32],(f32[64],f32[128])), token[] -> (f32[512],s32[?,4])"
//
// Operands stand before the arrow, the result behind it, in XLA's own notation without layouts; `?`
// is a dimension of any size.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_DECLARED_CALL_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_DECLARED_CALL_H_

#include <stddef.h>
#include <stdint.h>

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

// What is wrong with a text, for a static_assert to say.
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

// One array, token or tuple; the nodes of a call stand in preorder, the result's behind the
// operands'.
struct ShapeNode {
  int type = 0;
  int count = 0;      // rank, or the number of a tuple's elements
  int first_dim = 0;  // of an array, in DeclaredCall::dims
};

// `kMax` bounds nodes and dimensions alike: a text has more characters than either.
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
  // Takes one character and the spaces behind it.
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

// Where the pointers of a list of shapes go: one block of slots, of which the first are the list
// itself and the others the tables of its tuples.
struct PointerSlot {
  bool is_table = false;
  int index = 0;  // of the leaf, or of the table's first slot
};

template <size_t kMax>
struct PointerLayout {
  int leaf_count = 0;
  int slot_count = 0;
  PointerSlot slots[kMax + 1] = {};
  int leaf_nodes[kMax] = {};  // the node of each leaf
  int leaf_slots[kMax] = {};  // and its slot

  constexpr void AddLeaf(int node, int slot) {
    slots[slot] = {false, leaf_count};
    leaf_slots[leaf_count] = slot;
    leaf_nodes[leaf_count++] = node;
  }
  // Lays out the shape at `node` in `slot`; gives the node behind it.
  constexpr int Place(const DeclaredCall<kMax>& call, int node, int slot) {
    const ShapeNode& shape = call.nodes[node];
    if (shape.type != kTupleNode) {
      AddLeaf(node, slot);
      return node + 1;
    }
    const int table = slot_count;
    slot_count += shape.count;
    slots[slot] = {true, table};
    int next = node + 1;
    for (int i = 0; i < shape.count; ++i) next = Place(call, next, table + i);
    return next;
  }
  // Appends the leaves of the shape at `node`, one slot each.
  constexpr int PlaceFlat(const DeclaredCall<kMax>& call, int node) {
    if (call.nodes[node].type != kTupleNode) {
      AddLeaf(node, slot_count++);
      return node + 1;
    }
    int next = node + 1;
    for (int i = 0; i < call.nodes[node].count; ++i) next = PlaceFlat(call, next);
    return next;
  }
};

// The list of operands. `flat`: one slot a leaf, as XLA:CPU hands over tuples from jaxlib 0.4.38
// on and as GPU targets get theirs; otherwise tuples are tables.
template <size_t kMax>
constexpr PointerLayout<kMax> LayOutOperands(const DeclaredCall<kMax>& call, bool flat) {
  PointerLayout<kMax> layout;
  if (!flat) layout.slot_count = call.operand_count;
  int node = 0;
  for (int i = 0; i < call.operand_count; ++i) {
    node = flat ? layout.PlaceFlat(call, node) : layout.Place(call, node, i);
  }
  return layout;
}

// The result: a list of one slot, or of its leaves where `flat`.
template <size_t kMax>
constexpr PointerLayout<kMax> LayOutResult(const DeclaredCall<kMax>& call, bool flat) {
  PointerLayout<kMax> layout;
  if (flat) {
    layout.PlaceFlat(call, call.operand_nodes);
  } else {
    layout.slot_count = 1;
    layout.Place(call, call.operand_nodes, 0);
  }
  return layout;
}

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_DECLARED_CALL_H_
