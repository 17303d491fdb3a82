// Old binaries that are told their shapes by a serialized xla::ShapeProto: they import the message
// and protobuf from TensorFlow's libraries, and have the layout of both baked in. That what they
// compute is what it was with TensorFlow is proved by tests/genuine/test_shape_proto.py.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/loader/inspection.h"
#include "callbridge/loader/protobuf_layout.h"
#include "callbridge/loader/protobuf_symbols.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/loader/verdict.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// (f32[2,300]{0,1:T(8,128)S(5)}, token[]) on the wire.
const char kTuple[] =
    "\x10\x0d"                      // element_type: TUPLE
    "\x22\x18"                      // tuple_shapes: 24 bytes
    "\x10\x0b\x1a\x03\x02\xac\x02"  // F32, dimensions 2 and 300
    "\x2a\x0d"                      // layout: 13 bytes
    "\x0a\x02\x00\x01"              // minor_to_major
    "\x32\x05\x0a\x03\x08\x80\x01"  // tiles: 8 and 128
    "\x40\x05"                      // memory_space
    "\x32\x00"                      // is_dynamic_dimension: none
    "\x22\x02\x10\x11";             // tuple_shapes: TOKEN

std::string Tuple() { return std::string(kTuple, sizeof(kTuple) - 1); }

class ShapeProtoBinaryTest : public ::testing::TestWithParam<const char*> {
 protected:
  ShapeProtoBinaryTest() { setenv("CALLBRIDGE_CLIENT", CLIENT_LIBRARY, /*overwrite=*/1); }
  ~ShapeProtoBinaryTest() override { unsetenv("CALLBRIDGE_CLIENT"); }

  static absl::StatusOr<std::shared_ptr<TargetLibrary>> Load(const std::string& name) {
    return TargetLibrary::Load(OldBinary(name));
  }

  // What the target wrote, or how it failed.
  static std::string Call(const TargetLibrary& library, const std::string& name,
                          const std::string& opaque) {
    absl::StatusOr<Target> target = library.Find(name, Platform::kHost);
    if (!target.ok()) return target.status().ToString();
    CallSite site;
    site.target_name = name;
    site.opaque = opaque;
    site.result = *ParseShape("u8[2000000]");
    std::string out(2000000, '\xee');
    const HostArray results[] = {{&out[0], out.size()}};
    absl::Status status = Execute(site, *target, {}, results);
    if (!status.ok()) return status.ToString();
    uint64_t size;
    std::memcpy(&size, out.data(), sizeof(size));
    return out.substr(sizeof(size), size);
  }
};

TEST_P(ShapeProtoBinaryTest, ReadsWhatIsWritten) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library = Load(GetParam());
  ASSERT_TRUE(library.ok()) << library.status();
  const std::string read = Call(**library, "read_shape", Tuple());
  EXPECT_THAT(
      read, StartsWith("{13 dimensions= dynamic={11 dimensions=2,300, dynamic= minor_to_major=0,1, "
                       "tile=8,128, levels= unique= ordered= memory_space=5 index=0 pointer=0 "
                       "prefix=0}{17 dimensions= dynamic=}}\nelement_type: TUPLE\n"));
  EXPECT_THAT(read, HasSubstr("\n    tiles {\n      dimensions: 8\n      dimensions: 128\n"));
  EXPECT_THAT(read, EndsWith(" tuple_shapes { element_type: TOKEN }\nTUPLE\n30"));
  EXPECT_EQ(Call(**library, "read_shape", "\x10"),
            "INTERNAL: CustomCall failed: the opaque is no ShapeProto");
  EXPECT_THAT(Call(**library, "read_shape", ""), StartsWith("{0 dimensions= dynamic=}\n"));
}

TEST_P(ShapeProtoBinaryTest, WritesWhatIsRead) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library = Load(GetParam());
  ASSERT_TRUE(library.ok()) << library.status();
  const std::string written = Call(**library, "write_shape", Tuple());
  EXPECT_THAT(written, Not(HasSubstr("too large")));
  const std::string read = Call(**library, "read_shape", written);
  // The static message holds six copies: the second to the fifth are whole.
  EXPECT_THAT(read, HasSubstr("memory_space=8 index=8 pointer=9 prefix=128{18 dimensions=1,4,16,"));
  EXPECT_THAT(read, HasSubstr(" tile=0,1,2,3,4,5,6,7,8, tile=8,"));
  EXPECT_THAT(read, HasSubstr("prefix=-1"));
  EXPECT_THAT(read, EndsWith("\n" + std::to_string(written.size())));
  EXPECT_EQ(Call(**library, "write_shape", Tuple()), written);
}

// Each copy has its static message, and takes it along.
TEST_P(ShapeProtoBinaryTest, IsLoadedTwiceAndClosed) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> first = Load(GetParam());
  absl::StatusOr<std::shared_ptr<TargetLibrary>> second = Load(GetParam());
  ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
  const std::string written = Call(**first, "write_shape", Tuple());
  first->reset();
  EXPECT_EQ(Call(**second, "write_shape", Tuple()), written);
  second->reset();
  absl::StatusOr<std::shared_ptr<TargetLibrary>> third = Load(GetParam());
  ASSERT_TRUE(third.ok()) << third.status();
  EXPECT_EQ(Call(**third, "write_shape", Tuple()), written);
}

INSTANTIATE_TEST_SUITE_P(OldBinaries, ShapeProtoBinaryTest,
                         ::testing::Values("shape_proto_unlinked", "shape_proto_linked",
                                           "shape_proto_unoptimised"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(ShapeProtoBinaryTest, UsesArenasTextAndReflection) {
  absl::StatusOr<std::shared_ptr<TargetLibrary>> library = Load("shape_proto_unoptimised");
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(Call(**library, "parse_text", "dimensions: 3 dimensions: 5"),
            "xla.ShapeProto same \x1a\x02\x03\x05");
  EXPECT_EQ(Call(**library, "parse_text", "dimensions: 3 element_type: F32"),
            "xla.ShapeProto differs \x10\x0b\x1a\x01\x03");
  EXPECT_EQ(Call(**library, "parse_text", "no field"), "INTERNAL: CustomCall failed: no text");
}

// Neither the binaries nor callbridge's own protobuf bind to it.
TEST_F(ShapeProtoBinaryTest, AnotherProtobufIsInTheGlobalScope) {
#ifdef CALLBRIDGE_ADDRESS_SANITIZER
  GTEST_SKIP() << "the address sanitizer refuses RTLD_DEEPBIND, which this needs";
#endif
  ASSERT_NE(dlopen(OldBinary("other_protobuf").c_str(), RTLD_NOW | RTLD_GLOBAL), nullptr)
      << dlerror();
  for (const char* name : {"shape_proto_linked", "shape_proto_unoptimised"}) {
    absl::StatusOr<std::shared_ptr<TargetLibrary>> library = Load(name);
    ASSERT_TRUE(library.ok()) << library.status();
    EXPECT_THAT(Call(**library, "read_shape", Tuple()), EndsWith("TUPLE\n30"));
    EXPECT_THAT(Call(**library, "write_shape", Tuple()), Not(IsEmpty()));
  }
}

TEST_F(ShapeProtoBinaryTest, NothingIsOpenedForOthers) {
  setenv("CALLBRIDGE_CLIENT", "/nowhere/client.so", /*overwrite=*/1);
  EXPECT_TRUE(Load("original_linked").ok());
  if (dlopen("libprotobuf.so.32", RTLD_NOLOAD | RTLD_LAZY) != nullptr) return;  // opened before
  EXPECT_EQ(Load("shape_proto_linked").status().ToString(),
            "FAILED_PRECONDITION: " + OldBinary("shape_proto_linked") +
                ": libcallbridge_client.so.0 is not at /nowhere/client.so; set CALLBRIDGE_CLIENT "
                "to its path");
}

// Where a second library registers the same messages, protobuf ends the process. In processes of
// their own, since a library stays.
TEST_F(ShapeProtoBinaryTest, MessagesAreNeverRegisteredTwice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        void* handle = dlopen(OldBinary("libsame_messages").c_str(), RTLD_NOW | RTLD_LOCAL);
        std::cerr << (handle != nullptr ? Load("shape_proto_linked").status().ToString()
                                        : dlerror());
        std::exit(0);
      },
      ::testing::ExitedWithCode(0),
      "FAILED_PRECONDITION: .*shape_proto_linked.so: another library in this process has "
      "registered the protobuf message xla.HloModuleProto with libprotobuf.so.32");
}

// Then nothing of callbridge's is opened.
TEST_F(ShapeProtoBinaryTest, ItsOwnLibraryHasTheMessages) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("CALLBRIDGE_CLIENT", "/nowhere/client.so", /*overwrite=*/1);
        absl::StatusOr<std::shared_ptr<TargetLibrary>> library = Load("shape_proto_beside");
        std::cerr << (library.ok() ? Call(**library, "read_shape", Tuple())
                                   : library.status().ToString());
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "\\{13 dimensions= dynamic=\\{11 dimensions=2,300");
}

// A program is linked to it, or another copy of it came first.
TEST_F(ShapeProtoBinaryTest, ALoadedClientLibraryIsUsed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string elsewhere = ::testing::TempDir() + "/client_library_elsewhere.so";
  std::filesystem::copy_file(CLIENT_LIBRARY, elsewhere,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EXIT(
      {
        void* handle = dlopen(elsewhere.c_str(), RTLD_NOW | RTLD_LOCAL);
        absl::StatusOr<std::shared_ptr<TargetLibrary>> library = Load("shape_proto_linked");
        std::cerr << (handle == nullptr ? dlerror()
                      : library.ok()    ? Call(**library, "read_shape", Tuple())
                                        : library.status().ToString());
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "\\{13 dimensions= dynamic=\\{11 dimensions=2,300");
}

TEST_F(ShapeProtoBinaryTest, AnotherLayoutIsRefused) {
  EXPECT_EQ(Load("shape_proto_of_3_9").status().ToString(),
            "FAILED_PRECONDITION: " + OldBinary("shape_proto_of_3_9") +
                ": was compiled for protobuf 3.11 or older (it imports "
                "xla::ShapeProto::ShapeProto()), but callbridge's XLA messages have the object "
                "layout of protobuf 3.21, like TensorFlow 2.13's: recompile it with callbridge's "
                "headers, or with TensorFlow 2.13's");
  EXPECT_THAT(std::string(Load("shape_proto_with_own_messages").status().message()),
              HasSubstr("has protobuf messages of its own (it imports "));
}

TEST_F(ShapeProtoBinaryTest, IsInspected) {
  absl::StatusOr<Inspection> inspection = Inspect(OldBinary("shape_proto_linked"));
  ASSERT_TRUE(inspection.ok()) << inspection.status();
  EXPECT_TRUE(inspection->protobuf.IsServed());
  EXPECT_EQ(Judge(*inspection).outcome, Outcome::kLoads) << Judge(*inspection).text;

  inspection = Inspect(OldBinary("shape_proto_of_3_9"));
  ASSERT_TRUE(inspection.ok()) << inspection.status();
  EXPECT_EQ(Judge(*inspection).outcome, Outcome::kDoesNotLoad);
  EXPECT_THAT(Judge(*inspection).text,
              StartsWith("callbridge cannot load it: it was compiled for protobuf 3.11 or older"));

  inspection = Inspect(OldBinary("original_linked"));
  ASSERT_TRUE(inspection.ok()) << inspection.status();
  EXPECT_FALSE(inspection->protobuf.is_used());
}

std::string ProtobufOf(const std::vector<std::string>& imports) {
  ProtobufLayout layout;
  for (const std::string& symbol : imports) layout.AddImport(symbol);
  return std::string(layout.protobuf()) + (layout.IsServed() ? ", served" : "");
}

// As each release generates members: read off its own any.pb.h, and in binaries of TensorFlow
// 2.13.1 and 2.21.0.
TEST(ProtobufLayoutTest, ConstructorsTell) {
  const std::string served = "_ZN3xla10ShapeProtoC1EPN6google8protobuf5ArenaEb";
  EXPECT_EQ(ProtobufOf({served}), "protobuf 3.21, served");
  EXPECT_EQ(ProtobufOf({"_ZN3xla9TileProtoC2EPN6google8protobuf5ArenaEb"}),
            "protobuf 3.21, served");
  EXPECT_EQ(ProtobufOf({"_ZN3xla10ShapeProtoC1Ev"}), "protobuf 3.11 or older");
  EXPECT_EQ(ProtobufOf({"_ZN3xla10ShapeProtoC1EPN6google8protobuf5ArenaE"}),
            "protobuf 3.12 to 3.17, or 22 or newer");
  EXPECT_EQ(ProtobufOf({"_ZN3xla10ShapeProtoC1EPN6google8protobuf5ArenaE",
                        "_ZN3xla10ShapeProtoC1EPN6google8protobuf5ArenaERKS0_"}),
            "protobuf 25 or newer");
  EXPECT_EQ(ProtobufOf({"_ZN3xla10ShapeProtoC2Ev"}), "protobuf 3.11 or older");
  EXPECT_EQ(ProtobufOf({"_ZN3xla10ShapeProtoC2EPN6google8protobuf5ArenaE"}),
            "protobuf 3.12 to 3.17, or 22 or newer");
  EXPECT_EQ(ProtobufOf({"_ZN3xla10ShapeProtoC2EPN6google8protobuf5ArenaERKS0_"}),
            "protobuf 25 or newer");
  EXPECT_EQ(ProtobufOf({"_ZN3xla10ShapeProtoC2EPN6google8protobuf5ArenaEb"}),
            "protobuf 3.21, served");
  EXPECT_EQ(ProtobufOf({"_ZN3xla10ShapeProtoC1ERKS0_"}), "an unknown protobuf");
  // Others tell less, or are of code that was linked in: one that is not served counts.
  EXPECT_EQ(ProtobufOf({served, "_ZN3xla10ShapeProto9MergeImplEPN6google8protobuf7MessageERKS3_"}),
            "protobuf 3.18 to 3.20");
  EXPECT_EQ(
      ProtobufOf({"_ZN3xla10ShapeProto9MergeImplERN6google8protobuf11MessageLiteERKS3_", served}),
      "protobuf 26 or newer");
  EXPECT_EQ(ProtobufOf({served, "_ZN3xla10ShapeProto9MergeImplERN6google8protobuf7MessageERKS3_"}),
            "protobuf 3.21, served");
  EXPECT_EQ(ProtobufOf({"_ZN3xla10ShapeProtoD1Ev"}), "an unknown protobuf");
  EXPECT_EQ(ProtobufOf({"_ZN3foo8BarProtoC1EPN6google8protobuf5ArenaEb"}), "an unknown protobuf");
  EXPECT_EQ(ProtobufOf({"_ZN3xla24CustomCallTargetRegistry6GlobalEv"}), "an unknown protobuf");
}

TEST(ProtobufLayoutTest, ARefusalSaysWhatTells) {
  ProtobufLayout layout;
  EXPECT_FALSE(layout.is_used());
  layout.AddImport("malloc");
  EXPECT_FALSE(layout.is_used());
  layout.AddImport("_ZN3xla10ShapeProtoD1Ev");
  EXPECT_TRUE(layout.is_used());
  EXPECT_THAT(layout.Refusal(),
              StartsWith("was compiled for an unknown protobuf (it imports no constructor of a "
                         "message, which would tell), but callbridge's XLA"));
  layout.AddImport("_ZN3xla10ShapeProtoC1Ev");
  layout.AddImport("_ZN3xla9TileProtoC1Ev");
  EXPECT_THAT(layout.Refusal(), StartsWith("was compiled for protobuf 3.11 or older (it imports "
                                           "xla::ShapeProto::ShapeProto()), but callbridge's XLA"));
}

TEST(ProtobufLayoutTest, SymbolsAreAnyBytes) {
  for (const char* symbol :
       {"", "_Z", "_ZN", "_ZN3xla", "_ZN3xla10", "_ZN3xla0ShapeProto", "_ZN3xla10Shape",
        "_ZN3xla99999999999999999999999999Proto", "_ZN3xla18446744073709551626ShapeProto",
        "_ZN3xlaShapeProto", "_ZN4xla210ShapeProto", "3xla10ShapeProto",
        "_ZN3xla24CustomCallTargetRegistry6GlobalEv"}) {
    EXPECT_FALSE(IsXlaMessageSymbol(symbol)) << symbol;
  }
  for (const char* symbol :
       {"_ZNK3xla10ShapeProto12ByteSizeLongEv", "_ZTVN3xla10ShapeProtoE", "_ZTIN3xla9TileProtoE",
        "_ZN3xla29_ShapeProto_default_instance_E", "_ZN3xla14HloModuleProtoD1Ev",
        "_ZTSN3xla10ShapeProtoE", "_ZN3xla5Proto"}) {
    EXPECT_TRUE(IsXlaMessageSymbol(symbol)) << symbol;
    EXPECT_TRUE(IsProtobufSymbol(symbol)) << symbol;
  }
  const std::string longest = "_ZN3xla10ShapeProto" + std::string(4096 - 19, '6');
  EXPECT_TRUE(IsXlaMessageSymbol(longest));
  EXPECT_FALSE(IsXlaMessageSymbol(longest + "6"));
  for (const char* symbol :
       {"_ZN3xla24PrimitiveType_descriptorEv", "_ZN3xla21PrimitiveType_IsValidEi",
        "_ZN6google8protobuf7MessageD1Ev", "_Z1fN6google8protobuf7MessageE"}) {
    EXPECT_TRUE(IsProtobufSymbol(symbol)) << symbol;
    EXPECT_FALSE(IsXlaMessageSymbol(symbol)) << symbol;
  }
  for (const char* symbol : {"_ZN3xla12descriptor_xEv", "_ZN1a24PrimitiveType_descriptorEv",
                             "PrimitiveType_descriptor", "_Z24PrimitiveType_descriptorv"}) {
    EXPECT_FALSE(IsProtobufSymbol(symbol)) << symbol;
  }
  const std::string long_name = "_ZN3xla10ShapeProto" + std::string(1 << 20, '6');
  EXPECT_FALSE(IsXlaMessageSymbol(long_name));
  EXPECT_FALSE(IsProtobufSymbol(long_name + "6google8protobuf"));
}

// Messages whose layout changes from XLA to XLA, and what is no address.
TEST(ProtobufSymbolsTest, SomeAreNeverServed) {
  for (const char* symbol :
       {"_ZN3xla12LiteralProto5ClearEv", "_ZN3xla32_HloModuleProto_default_instance_E",
        "_ZN6google8protobuf5Arena18CreateMaybeMessageIN3xla12LiteralProtoEJEEEPT_PS1_DpOT0_",
        "_ZN6google8protobuf8internal13VerifyVersionEiiPKc",
        "_ZN6google8protobuf8internal14AddDescriptorsEPKNS1_15DescriptorTableE",
        "_ZN6google8protobuf14MessageFactory29InternalRegisterGeneratedFileEPKNS0_8internal15"
        "DescriptorTableE",
        "_ZN6google8protobuf8internal16RegisterAllTypesEv",
        "_ZN6google8protobuf8internal12ExtensionSet8RegisterEv",
        "_ZN6google8protobuf5Arena1fIN3xla9TileProtoEN3xla12LiteralProtoEEEvv",
        "_ZN6google8protobuf14DescriptorPool24InternalAddGeneratedFileEPKvi",
        "_ZN6google8protobuf8internal15ThreadSafeArena13thread_cache_E", "malloc",
        "_ZN3xla24CustomCallTargetRegistry6GlobalEv"}) {
    EXPECT_FALSE(MayServeProtobufSymbol(symbol)) << symbol;
  }
  for (const char* symbol :
       {"_ZN3xla10ShapeProto5ClearEv", "_ZN3xla30_LayoutProto_default_instance_E",
        "_ZN3xla11LayoutProto5ClearEv", "_ZN3xla9TileProto5ClearEv",
        "_ZN3xla17ProgramShapeProto5ClearEv", "_ZN3xla29_ShapeProto_default_instance_E",
        "_ZN3xla28_TileProto_default_instance_E", "_ZN3xla36_ProgramShapeProto_default_instance_E",
        "_ZN3xla21PrimitiveType_IsValidEi", "_ZN3xla23DimLevelType_descriptorEv",
        "_ZN3xla20DimLevelType_IsValidEi",
        "_ZN6google8protobuf5Arena18CreateMaybeMessageIN3xla9TileProtoEJEEEPT_PS1_DpOT0_",
        "_ZN3xla24PrimitiveType_descriptorEv",
        "_ZN6google8protobuf11MessageLite14ParseFromArrayEPKvi"}) {
    EXPECT_TRUE(MayServeProtobufSymbol(symbol)) << symbol;
  }
}

TEST_F(ShapeProtoBinaryTest, AllThatIsMissingIsNamed) {
  const std::vector<std::string> imports = {
      "_ZN3xla10ShapeProto5ClearEv", "_ZN3xla10ShapeProtoC1EPN6google8protobuf5ArenaEb",
      "_ZN3xla12LiteralProto5ClearEv", "_ZN6google8protobuf6NobodyEv"};
  absl::StatusOr<std::vector<OldSymbol>> found = FindProtobufSymbols(imports);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->size(), 2);
  EXPECT_THAT(
      std::string(BindProtobufImports(imports).status().message()),
      StartsWith("undefined symbols: xla::LiteralProto::Clear(), google::protobuf::Nobody() "
                 "(callbridge provides XLA's messages ShapeProto, "));
}

}  // namespace
}  // namespace callbridge
