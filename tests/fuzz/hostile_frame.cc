#include "hostile_frame.h"

#include <algorithm>
#include <utility>

#include "callbridge/adapters/exports/call_attributes.h"

namespace callbridge {
namespace {

constexpr int kMaxDepth = 4;
constexpr int64_t kMaxCount = 40;
// Bytes of a frame without `future`, and of what every frame has.
constexpr size_t kFrameSize = XLA_FFI_CallFrame_STRUCT_SIZE, kFrameHead = 24;

size_t WidthOf(XLA_FFI_DataType dtype) {
  switch (dtype) {
    case XLA_FFI_DataType_PRED:
    case XLA_FFI_DataType_S8:
    case XLA_FFI_DataType_U8:
      return 1;
    case XLA_FFI_DataType_S16:
    case XLA_FFI_DataType_U16:
      return 2;
    case XLA_FFI_DataType_S32:
    case XLA_FFI_DataType_U32:
    case XLA_FFI_DataType_F32:
      return 4;
    case XLA_FFI_DataType_S64:
    case XLA_FFI_DataType_U64:
    case XLA_FFI_DataType_F64:
    case XLA_FFI_DataType_C64:
      return 8;
    case XLA_FFI_DataType_C128:
      return 16;
    default:
      return 0;
  }
}

XLA_FFI_DataType AnyDataType(Bytes& bytes) {
  return static_cast<XLA_FFI_DataType>(bytes.Lies() ? bytes.Any<int>()
                                                    : bytes.ConsumeIntegralInRange(0, 34));
}

// ---- Extensions ---------------------------------------------------------------------------------

XLA_FFI_InternalExtension* MetadataExtension(Bytes& bytes, Memory& memory, size_t metadata_size) {
  auto* metadata = static_cast<XLA_FFI_Metadata*>(memory.Block(metadata_size));
  metadata->struct_size = bytes.Lies() ? bytes.Any<size_t>() : XLA_FFI_Metadata_STRUCT_SIZE;
  auto* extension = memory.Array<XLA_FFI_Metadata_Extension>(1);
  extension->extension_base.struct_size =
      bytes.Lies() ? bytes.Any<size_t>() : XLA_FFI_Metadata_Extension_STRUCT_SIZE;
  extension->extension_base.type = XLA_FFI_Extension_Metadata;
  extension->metadata = metadata;
  return &extension->extension_base;
}

// A chain of extensions of no known type.
XLA_FFI_InternalExtension* UnknownExtensions(Bytes& bytes, Memory& memory,
                                             XLA_FFI_InternalExtension* behind) {
  for (int i = bytes.ConsumeIntegralInRange(0, 3); i > 0; --i) {
    int type = bytes.Any<int>();
    if (type == XLA_FFI_Extension_Metadata) type = 0;
    behind = memory.New(XLA_FFI_InternalExtension{
        bytes.Any<size_t>(), static_cast<XLA_FFI_InternalExtension_Type>(type), behind});
  }
  return behind;
}

// ---- Buffers ------------------------------------------------------------------------------------

int64_t AnyDimension(Bytes& bytes) {
  return bytes.Lies() ? bytes.Any<int64_t>() : bytes.OneOf<int64_t>({2, 0, 1, 3, 4});
}

XLA_FFI_Buffer* HostileBuffer(Bytes& bytes, Memory& memory, const WantedBuffer& wanted) {
  auto* buffer = memory.Array<XLA_FFI_Buffer>(1);
  buffer->struct_size = bytes.Lies() ? bytes.Any<size_t>() : XLA_FFI_Buffer_STRUCT_SIZE;
  if (bytes.Lies()) buffer->extension_start = UnknownExtensions(bytes, memory, nullptr);
  buffer->dtype = bytes.Lies() ? AnyDataType(bytes) : wanted.dtype;
  buffer->data = bytes.Lies() ? nullptr : memory.Block(1);
  buffer->rank = wanted.rank;
  if (bytes.Lies()) {
    buffer->rank = bytes.OneOf<int64_t>({0, 1, 2, 3, 4, 5, 40, -1, INT64_MIN});
  }
  const int64_t rank = std::max<int64_t>(buffer->rank, 0);
  buffer->dims = memory.Array<int64_t>(rank);
  for (int64_t i = 0; i < rank; ++i) buffer->dims[i] = AnyDimension(bytes);
  return buffer;
}

int64_t HostileCount(Bytes& bytes, size_t wanted) {
  if (!bytes.Lies()) return static_cast<int64_t>(wanted);
  if (bytes.Lies()) return bytes.OneOf<int64_t>({-1, INT64_MIN});
  return bytes.ConsumeIntegralInRange<int64_t>(0, kMaxCount);
}

// XLA_FFI_Args or XLA_FFI_Rets, whose buffers are `values`.
template <typename List, typename Type>
void FillBuffers(Bytes& bytes, Memory& memory, const std::vector<WantedBuffer>& wanted, List& list,
                 Type*& types, void**& values) {
  list.struct_size = bytes.Lies() ? bytes.Any<size_t>() : 40;
  if (bytes.Lies()) list.extension_start = UnknownExtensions(bytes, memory, nullptr);
  list.size = HostileCount(bytes, wanted.size());
  const int64_t count = std::max<int64_t>(list.size, 0);
  types = memory.Array<Type>(count);
  values = memory.Array<void*>(count);
  for (int64_t i = 0; i < count; ++i) {
    types[i] = static_cast<Type>(bytes.Lies() ? bytes.Any<int>() : 1);
    if (static_cast<int>(types[i]) != 1) continue;
    const bool known = i < static_cast<int64_t>(wanted.size());
    values[i] =
        HostileBuffer(bytes, memory, known ? wanted[i] : WantedBuffer{AnyDataType(bytes), 1});
  }
}

// ---- Attributes ---------------------------------------------------------------------------------

WantedAttr AnyAttr(Bytes& bytes) {
  return {bytes.ConsumeRandomLengthString(12),
          static_cast<XLA_FFI_AttrType>(bytes.ConsumeIntegralInRange(0, 5)), AnyDataType(bytes)};
}

XLA_FFI_ByteSpan* NewSpan(Memory& memory, const std::string& text) {
  return memory.New(XLA_FFI_ByteSpan{memory.Copy(text), text.size()});
}

void* HostileValue(Bytes& bytes, Memory& memory, const WantedAttr& wanted, XLA_FFI_AttrType type,
                   int depth) {
  const XLA_FFI_DataType dtype = bytes.Lies() ? AnyDataType(bytes) : wanted.dtype;
  const size_t width = WidthOf(dtype);
  switch (static_cast<int>(type)) {
    case XLA_FFI_AttrType_SCALAR: {
      void* value = memory.Block(width);
      if (width > 0) bytes.ConsumeData(value, width);
      return memory.New(XLA_FFI_Scalar{dtype, value});
    }
    case XLA_FFI_AttrType_ARRAY: {
      if (!wanted.text.empty() && dtype == XLA_FFI_DataType_U8) {
        return memory.New(XLA_FFI_Array{dtype, wanted.text.size(), memory.Copy(wanted.text)});
      }
      const size_t size = bytes.ConsumeIntegralInRange<size_t>(0, 5);
      return memory.New(XLA_FFI_Array{dtype, size, memory.Block(size * width)});
    }
    case XLA_FFI_AttrType_STRING:
      return NewSpan(memory,
                     wanted.text.empty() ? bytes.ConsumeRandomLengthString(40) : wanted.text);
    case XLA_FFI_AttrType_DICTIONARY:
      return memory.New(HostileAttrs(bytes, memory, wanted.elements, depth + 1));
    default:
      return nullptr;
  }
}

WantedAttr WantedSite(Bytes& bytes, const std::string& tree) {
  const std::string body = bytes.Lies() ? bytes.ConsumeRandomLengthString(60) : tree;
  const uint32_t size = bytes.Lies() ? bytes.Any<uint32_t>() : static_cast<uint32_t>(body.size());
  std::string text(exports::kSiteMagic);
  text.append(reinterpret_cast<const char*>(&size), sizeof(size));
  text += body + bytes.ConsumeRandomLengthString(8);
  if (bytes.Lies()) text.resize(bytes.ConsumeIntegralInRange<size_t>(0, text.size()));
  const XLA_FFI_AttrType type = bytes.OneOf({XLA_FFI_AttrType_STRING, XLA_FFI_AttrType_ARRAY});
  return {std::string(exports::kSiteAttribute), type, XLA_FFI_DataType_U8, {}, text};
}

}  // namespace

XLA_FFI_Attrs HostileAttrs(Bytes& bytes, Memory& memory, const std::vector<WantedAttr>& wanted,
                           int depth) {
  std::vector<WantedAttr> all = depth < kMaxDepth ? wanted : std::vector<WantedAttr>();
  std::sort(all.begin(), all.end(),
            [](const WantedAttr& a, const WantedAttr& b) { return a.name < b.name; });
  if (bytes.Lies()) all.resize(bytes.ConsumeIntegralInRange<size_t>(0, all.size()));
  if (depth < kMaxDepth && bytes.Lies()) {
    for (int more = bytes.ConsumeIntegralInRange(0, 10); more > 0; --more) {
      all.push_back(AnyAttr(bytes));
    }
  }
  if (!all.empty() && bytes.Lies()) {
    std::swap(all.front(), all[bytes.ConsumeIntegralInRange<size_t>(0, all.size() - 1)]);
  }
  if (!all.empty() && bytes.Lies()) all.back() = all.front();

  XLA_FFI_Attrs attrs = {};
  attrs.struct_size = bytes.Lies() ? bytes.Any<size_t>() : XLA_FFI_Attrs_STRUCT_SIZE;
  attrs.size = static_cast<int64_t>(all.size());
  if (all.empty() && bytes.Lies()) attrs.size = bytes.OneOf<int64_t>({-1, INT64_MIN});
  attrs.types = memory.Array<XLA_FFI_AttrType>(all.size());
  attrs.names = memory.Array<XLA_FFI_ByteSpan*>(all.size());
  attrs.attrs = memory.Array<void*>(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    attrs.types[i] = bytes.Lies()
                         ? static_cast<XLA_FFI_AttrType>(bytes.ConsumeIntegralInRange(0, 5))
                         : all[i].type;
    attrs.names[i] =
        NewSpan(memory, bytes.Lies() ? bytes.ConsumeRandomLengthString(12) : all[i].name);
    attrs.attrs[i] = HostileValue(bytes, memory, all[i], attrs.types[i], depth);
  }
  return attrs;
}

HostileFrame::HostileFrame(Bytes& bytes, Memory& memory, const XLA_FFI_Api* api,
                           XLA_FFI_InvokeContext* ctx, const typed_ffi::RuntimeVersion& version,
                           const WantedCall& wanted) {
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = kFrameSize;
  if (bytes.Lies()) frame.struct_size = bytes.ConsumeIntegralInRange<size_t>(0, 300);
  frame.api = api;
  frame.ctx = ctx;
  // The number that this runtime has for the stage.
  const int numbers[] = {version.instantiate, version.prepare, version.initialize, version.execute,
                         version.record};
  frame.stage = static_cast<XLA_FFI_ExecutionStage>(
      bytes.Lies() ? bytes.OneOf<int>({0, 1, 2, 3, 4, 5, -1, 1 << 30}) : numbers[wanted.stage]);
  if (version.metadata_size != 0 && bytes.Lies()) {
    frame.extension_start = MetadataExtension(bytes, memory, version.metadata_size);
    // Without a table there is nothing to make an error with.
    if (version.null_api_in_query && frame.struct_size >= kFrameSize) frame.api = nullptr;
  }
  if (bytes.Lies()) frame.extension_start = UnknownExtensions(bytes, memory, frame.extension_start);
  FillBuffers(bytes, memory, wanted.args, frame.args, frame.args.types, frame.args.args);
  FillBuffers(bytes, memory, wanted.rets, frame.rets, frame.rets.types, frame.rets.rets);

  std::vector<WantedAttr> attrs = wanted.attrs;
  if (!wanted.site_tree.empty() && bytes.ConsumeBool()) {
    attrs.push_back(WantedSite(bytes, wanted.site_tree));
  }
  frame.attrs = HostileAttrs(bytes, memory, attrs);

  has_future_ = version.frame_has_future && frame.struct_size >= kFrameSize;
  const size_t declared = has_future_ ? sizeof(frame) : frame.struct_size;
  const size_t size = std::max(std::max(declared, frame.struct_size), kFrameHead);
  void* block = memory.Block(size);
  memcpy(block, &frame, std::min(size, sizeof(frame)));
  frame_ = static_cast<XLA_FFI_CallFrame*>(block);
}

}  // namespace callbridge
