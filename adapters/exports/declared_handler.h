// DeclaredHandler: calls an exported function of declared shapes. All checks and the places of all
// pointers are known at compile time.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_DECLARED_HANDLER_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_DECLARED_HANDLER_H_

#include <stddef.h>
#include <stdint.h>

#include <string>
#include <utility>

#include "callbridge/adapters/exports/call_error.h"
#include "callbridge/adapters/exports/declared_call.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

// The shapes of `Options::Get()`, parsed and laid out.
template <typename Options, bool gpu>
struct Declared {
  static constexpr const char* kText = Options::Get().shapes;
  static constexpr size_t kMax = TextSize(kText) + 1;
  static constexpr DeclaredCall<kMax> kCall = CallTextReader<kMax>(kText).Read();

  static_assert(kCall.error != TextError::kUnknownType,
                "Shapes(): expected the name of an element type, as f32, s64 or token");
  static_assert(kCall.error != TextError::kNoDimensions,
                "Shapes(): expected `[` and dimensions behind an element type, as f32[8,4]");
  static_assert(kCall.error != TextError::kBadDimension,
                "Shapes(): expected a dimension: a number, or ? for any");
  static_assert(kCall.error != TextError::kUnclosedTuple,
                "Shapes(): expected `,` or `)` in a tuple");
  static_assert(kCall.error != TextError::kNoArrow,
                "Shapes(): expected operands, `->`, and a result: f32[128], f32[8] -> f32[128]");
  static_assert(kCall.error != TextError::kTrailingText,
                "Shapes(): expected the end after the result; several results are one tuple, "
                "f32[8] -> (f32[8],s32[])");

  static constexpr TupleLayout kTupleLayout =
      gpu || Options::Get().flat_tuples ? TupleLayout::kFlat : TupleLayout::kNested;
  static constexpr PointerLayout<kMax> kOperands = LayOutOperands(kCall, kTupleLayout);
  static constexpr PointerLayout<kMax> kResult =
      gpu ? LayOutGpuResult(kCall) : LayOutResult(kCall, kTupleLayout);
};

inline std::string ShapeWords(int type, const int64_t* dims, int64_t rank) {
  std::string text = "type number " + std::to_string(type);
  for (const NamedType& named : kNamedTypes) {
    if (named.number == type) text = named.name;
  }
  text += '[';
  for (int64_t i = 0; i < rank; ++i) {
    if (i > 0) text += ',';
    text += dims[i] == kAnySize ? std::string("?") : std::to_string(dims[i]);
  }
  return text + ']';
}

inline bool Matches(const ShapeNode& node, const int64_t* dims, const XLA_FFI_Buffer& buffer) {
  if (static_cast<int>(buffer.dtype) != node.type) return false;
  if (node.type == XLA_FFI_DataType_TOKEN) return true;
  if (buffer.rank != node.count) return false;
  for (int i = 0; i < node.count; ++i) {
    const int64_t size = dims[node.first_dim + i];
    if (size != kAnySize && size != buffer.dims[i]) return false;
  }
  return true;
}

// Appends all that is wrong with the arguments or results of a call to `text`.
template <typename Type>
[[gnu::cold, gnu::noinline]] void Explain(const char* what, int64_t given, const Type* types,
                                          void* const* buffers, int leaf_count,
                                          const int* leaf_nodes, const ShapeNode* nodes,
                                          const int64_t* dims, std::string& text) {
  const auto add = [&text](const std::string& problem) {
    text += text.empty() ? "" : "; ";
    text += problem;
  };
  if (given != leaf_count) {
    return add("expected " + std::to_string(leaf_count) + " " + what +
               "s (leaves of tuples counted), got " + std::to_string(given));
  }
  for (int i = 0; i < leaf_count; ++i) {
    const std::string which = std::string(what) + " " + std::to_string(i);
    if (static_cast<int>(types[i]) != XLA_FFI_ArgType_BUFFER) {
      add(which + " is no buffer");
      continue;
    }
    const ShapeNode& node = nodes[leaf_nodes[i]];
    const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(buffers[i]);
    if (Matches(node, dims, buffer)) continue;
    add(which + " is declared " + ShapeWords(node.type, dims + node.first_dim, node.count) +
        ", but came as " + ShapeWords(static_cast<int>(buffer.dtype), buffer.dims, buffer.rank));
  }
}

// One side of a call: its arguments or its results.
template <typename D, const auto& layout>
struct DeclaredLeaves {
  using EachLeaf = std::make_integer_sequence<int, layout.leaf_count>;
  using EachSlot = std::make_integer_sequence<int, layout.slot_count>;

  // Checks the buffers and writes their list to `block`. Returns false if they are not as declared.
  template <typename Type>
  static bool Take(int64_t count, const Type* types, void* const* buffers, void** block) {
    return count == layout.leaf_count && TakeLeaves(types, buffers, block, EachLeaf()) &&
           WriteTables(block, EachSlot());
  }

 private:
  template <typename Type, int... leaf>
  static bool TakeLeaves([[maybe_unused]] const Type* types, [[maybe_unused]] void* const* buffers,
                         [[maybe_unused]] void** block, std::integer_sequence<int, leaf...>) {
    return ((static_cast<int>(types[leaf]) == XLA_FFI_ArgType_BUFFER &&
             TakeLeaf<leaf>(*static_cast<const XLA_FFI_Buffer*>(buffers[leaf]), block)) &&
            ... && true);
  }

  template <int leaf>
  static bool TakeLeaf(const XLA_FFI_Buffer& buffer, void** block) {
    constexpr ShapeNode kNode = D::kCall.nodes[layout.leaf_nodes[leaf]];
    constexpr bool kToken = kNode.type == XLA_FFI_DataType_TOKEN;
    if (static_cast<int>(buffer.dtype) != kNode.type) return false;
    // A token's data pointer is null on some runtimes and not on others; targets get null.
    block[layout.leaf_slots[leaf]] = kToken ? nullptr : buffer.data;
    return kToken ||
           (buffer.rank == kNode.count &&
            DimensionsMatch<leaf>(buffer.dims, std::make_integer_sequence<int, kNode.count>()));
  }
  template <int leaf, int... dim>
  static bool DimensionsMatch(const int64_t* dims, std::integer_sequence<int, dim...>) {
    constexpr ShapeNode kNode = D::kCall.nodes[layout.leaf_nodes[leaf]];
    return (((D::kCall.dims[kNode.first_dim + dim] == kAnySize) ||
             (dims[dim] == D::kCall.dims[kNode.first_dim + dim])) &&
            ... && true);
  }

  template <int... slot>
  static bool WriteTables([[maybe_unused]] void** block, std::integer_sequence<int, slot...>) {
    (WriteTable<slot>(block), ...);
    return true;
  }
  template <int slot>
  static void WriteTable(void** block) {
    if constexpr (layout.slots[slot].is_table) block[slot] = block + layout.slots[slot].index;
  }
};

template <typename Legacy, typename D>
struct DeclaredHandler {
  using Arguments = DeclaredLeaves<D, D::kOperands>;
  using Results = DeclaredLeaves<D, D::kResult>;

  static XLA_FFI_Error* Call(const XLA_FFI_CallFrame& frame, void* stream, void* state,
                             const char* opaque, size_t opaque_size) {
    // One slot more, since a call without operands or results has a list too. On Host, results have
    // an array of their own, so that a single one stays out of memory; on GPU they follow the
    // operands.
    constexpr int kBehind = Legacy::kGpu ? D::kResult.slot_count : 0;
    void* block[D::kOperands.slot_count + kBehind + 1];
    void* apart[D::kResult.slot_count + 1];
    void** results = Legacy::kGpu ? block + D::kOperands.slot_count : apart;
    if (__builtin_expect(
            !Arguments::Take(frame.args.size, frame.args.types, frame.args.args, block) ||
                !Results::Take(frame.rets.size, frame.rets.types, frame.rets.rets, results),
            false)) {
      return Mismatch(frame);
    }
    void* first = Legacy::kGpu ? stream : results[0];
    return Legacy::Call(*frame.api, state, first, block, opaque, opaque_size);
  }

 private:
  [[gnu::cold, gnu::noinline]] static XLA_FFI_Error* Mismatch(const XLA_FFI_CallFrame& frame) {
    std::string text;
    Explain("argument", frame.args.size, frame.args.types, frame.args.args, D::kOperands.leaf_count,
            D::kOperands.leaf_nodes, D::kCall.nodes, D::kCall.dims, text);
    Explain("result", frame.rets.size, frame.rets.types, frame.rets.rets, D::kResult.leaf_count,
            D::kResult.leaf_nodes, D::kCall.nodes, D::kCall.dims, text);
    return InvalidArgument(*frame.api, text);
  }
};

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_DECLARED_HANDLER_H_
