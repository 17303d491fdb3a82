// What callbridge does not understand goes through as it came, and custom calls are found and
// upgraded wherever they stand. tests/genuine/hlo_oracle.py asks XLA about the same forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/upgrade.h"
#include "tests/hlo/parsed_module.h"

namespace callbridge::hlo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Printed(const xla::HloModuleProto& module) {
  absl::StatusOr<std::string> text = PrintHloText(module);
  return text.ok() ? *text : text.status().ToString();
}

// The module after it was a message, or the error.
std::string ThroughProto(const std::string& text) {
  absl::StatusOr<std::string> bytes = SerializeModule(Parsed(text));
  if (!bytes.ok()) return bytes.status().ToString();
  absl::StatusOr<xla::HloModuleProto> module = ReadModule(*bytes);
  return module.ok() ? Printed(*module) : module.status().ToString();
}

// Each as XLA prints it: what is read is printed the same, through a message too.
TEST(PassThrough, InstructionsOfEveryKind) {
  const std::string signature =
      "\nENTRY %e (x: f32[8], y: f32[4,4], i: s32[]) -> f32[8] {\n"
      "  %x = f32[8]{0} parameter(0)\n  %y = f32[4,4]{1,0} parameter(1)\n"
      "  %i = s32[] parameter(2)\n";
  // clang-format off
  const char* const lines[] = {
      "bitcast = s32[8]{0} bitcast-convert(%x)",
      "slice = f32[3]{0} slice(%x), slice={[1:8:2]}",
      "dynamic-slice = f32[2]{0} dynamic-slice(%x, %i), dynamic_slice_sizes={2}",
      "update = f32[8]{0} dynamic-update-slice(%x, %dynamic-slice, %i)",
      "pad = f32[12]{0} pad(%x, %i), padding=1_3",
      "pad.1 = f32[20]{0} pad(%x, %i), padding=1_4_1",
      "iota = s32[8]{0} iota(), iota_dimension=0",
      "reverse = f32[8]{0} reverse(%x), dimensions={0}",
      "transpose = f32[4,4]{0,1} transpose(%y), dimensions={1,0}",
      "concatenate = f32[16]{0} concatenate(%x, %x), dimensions={0}",
      "reduce = f32[4]{0} reduce(%y, %i), dimensions={1}, to_apply=%sum",
      "sort = f32[8]{0} sort(%x), dimensions={0}, is_stable=true, to_apply=%less",
      "map = f32[8]{0} map(%x, %x), dimensions={0}, to_apply=%sum",
      "dot = f32[4,4]{1,0} dot(%y, %y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "dot.1 = f32[4]{0} dot(%y, %y), lhs_batch_dims={0}, lhs_contracting_dims={1}, "
      "rhs_batch_dims={0}, rhs_contracting_dims={1}, operand_precision={highest,default}",
      "gather = f32[2]{0} gather(%x, %i), offset_dims={}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=0, slice_sizes={1}, indices_are_sorted=true",
      "scatter = f32[8]{0} scatter(%x, %i, %x), update_window_dims={0}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=0, unique_indices=true, to_apply=%sum",
      "reduce-window = f32[7]{0} reduce-window(%x, %i), window={size=2}, to_apply=%sum",
      "select = f32[8]{0} select-and-scatter(%x, %x, %i), window={size=2}, select=%less, scatter=%sum",
      "fft = c64[5]{0} fft(%x), fft_type=RFFT, fft_length={8}",
      "cholesky = f32[4,4]{1,0} cholesky(%y), lower=true",
      "solve = f32[4,4]{1,0} triangular-solve(%y, %y), left_side=true, lower=true, transpose_a=NO_TRANSPOSE",
      "precision = f32[8]{0} reduce-precision(%x), exponent_bits=5, mantissa_bits=10",
      "norm = f32[8]{0} batch-norm-inference(%x, %x), epsilon=0.001, feature_index=0",
      "rng = f32[8]{0} rng(%i, %i), distribution=rng_uniform",
      "bits = (u64[2]{0}, u32[8]{0}) rng-bit-generator(%i), algorithm=rng_three_fry",
      "while = f32[8]{0} while(%x), condition=%goes, body=%one",
      "cond = f32[8]{0} conditional(%i, %x, %x), branch_computations={%one, %one}",
      "fusion = f32[8]{0} fusion(%x), kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, calls=%one",
      "all-reduce = f32[8]{0} all-reduce(%x), channel_id=1, replica_groups={{0,1},{2,3}}, "
      "use_global_device_ids=true, to_apply=%sum",
      "gathered = f32[16]{0} all-gather(%x), channel_id=2, replica_groups=[2,2]<=[2,2]T(1,0), dimensions={0}",
      "permuted = f32[8]{0} collective-permute(%x), source_target_pairs={{0,1},{1,0}}",
      "start = ((f32[8]{0}), f32[8]{0}, s32[]) async-start(%x), async_execution_thread=\"t\", calls=%one",
      "done = f32[8]{0} async-done(%start)",
      "many = (f32[8]{0}, f32[8]{0}, f32[8]{0}, f32[8]{0}, f32[8]{0}, /*index=5*/f32[8]{0}) "
      "tuple(%x, %x, %x, %x, %x, /*index=5*/%x)",
      "infeed = (f32[8]{0}, token[]) infeed(%i), infeed_config=\"c\\001\"",
      "outfeed = token[] outfeed(%x, %i), outfeed_shape=f32[8]{0}, outfeed_config=\"c\"",
      "placed = f32[8]{0} copy(%x), sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dims={manual}}, "
      "metadata={op_name=\"n\" source_file=\"f\" source_line=1 source_end_line=2 source_column=3 "
      "source_end_column=4 stack_frame_id=5}",
      "grouped = f32[8]{0} copy(%x), sharding={replicated shard_like 3 metadata={op_name=\"n\"}}",
      "tomorrow = f32[8]{0} of-tomorrow(%x, %i)",
  };
  // clang-format on
  std::string body;
  for (const char* line : lines) absl::StrAppend(&body, "  %", line, "\n");
  const std::string text = absl::StrCat(
      "HloModule m, buffer_donor={ (0, {}) }, entry_computation_layout={(f32[8]{0}, "
      "f32[4,4]{1,0}, s32[])->f32[8]{0}}, frontend_attributes={a=\"b\"}\n\n"
      "FileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n1 {file_name_id=1 "
      "function_name_id=1 line=3 end_line=3 column=4 end_column=8}\n\nStackFrames\n"
      "1 {file_location_id=1 parent_frame_id=1}\n\n",
      // The computations' own signatures name their parameters.
      R"(
%less (a: f32[], b: f32[]) -> pred[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = pred[] compare(%a, %b), direction=LT, type=TOTALORDER
}

%sum (a.1: f32[], b.1: f32[]) -> f32[] {
  %a.1 = f32[] parameter(0)
  %b.1 = f32[] parameter(1)
  ROOT %s = f32[] add(%a.1, %b.1)
}

%one (p.1: f32[8]) -> f32[8] {
  %p.1 = f32[8]{0} parameter(0)
  ROOT %k = f32[8]{0} custom-call(%p.1), custom_call_target="k"
}

%goes (p.2: f32[8]) -> pred[] {
  %p.2 = f32[8]{0} parameter(0)
  ROOT %t = pred[] constant(true)
}
)",
      signature, body, "  ROOT %r = f32[8]{0} copy(%x)\n}\n");
  EXPECT_EQ(Printed(Parsed(text)), text);
  EXPECT_EQ(ThroughProto(text), text);
}

TEST(PassThrough, ShapesOfEveryKind) {
  for (const char* shape :
       {"f32[2,3]{1,0:T(8,128)(2,1)}", "bf16[8]{0:T(*,128)L(4)E(16)S(1)}", "f32[<=2,3]{1,0}",
        "f32[?,3]{1,0}", "b(f32[2]{0})", "opaque[]", "token[]", "f32[]", "f32[]{:S(5)}",
        "f6e3m2fn[4]{0}", "f6e2m3fn[4]{0}", "s4[4]{0:E(4)}", "f32[4,2]{1,0:SC(0:64,128)(1:1)}",
        "f32[4]{0:P(u8[16]{0})M(4)}", "f32[4,2]{1,0:D(D,C+~)#(u8)*(s32)}",
        "(f32[2]{0}, (b(f32[2]{0}), f32[<=4]{0}))"}) {
    const std::string text =
        absl::StrCat("HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n  i = ", shape,
                     " of-tomorrow(p)\n  ROOT r = f32[] copy(p)\n}\n");
    EXPECT_THAT(Printed(Parsed(text)), HasSubstr(absl::StrCat(" %i = ", shape, " of-")));
    EXPECT_THAT(ThroughProto(text), HasSubstr(absl::StrCat(" %i = ", shape, " of-")));
  }
}

// Text without a field comes back as text, and says so where a message is wanted.
TEST(PassThrough, WhatHasNoFieldStaysText) {
  const struct {
    std::string line, refused;
  } cases[] = {
      {"%i = f32[] abs(%p), of_tomorrow={{\"}\"}, [1]}", "the attribute \"of_tomorrow\" of"},
      {"%i = f32[] abs(%p), of_tomorrow=[2,4]<=[8] {x}", "the attribute \"of_tomorrow\" of"},
      {"%i = f32[] copy(%p), sharding={mesh['x'=2], [{'x'}]}", "\"sharding\" of instruction i"},
      {"%i = f32[] all-reduce(%p), replica_groups=@mesh {x,y}", "\"replica_groups\" of"},
      {"%i = f32[4]{0} constant({...})", "instruction i has elements that callbridge keeps as"},
      {"%i = f6e3m2fn[2]{0} constant({1, 2})", "instruction i has elements that callbridge"},
      {"%i = custom-call(%p), custom_call_target=\"t\"", "instruction i: the text does not state"},
  };
  for (const auto& [line, refused] : cases) {
    const std::string text = absl::StrCat("HloModule m\nENTRY e {\n  %p = f32[] parameter(0)\n  ",
                                          line, "\n  ROOT r = f32[] copy(p)\n}\n");
    EXPECT_THAT(Printed(Parsed(text)), HasSubstr(absl::StrCat("  ", line, "\n")));
    EXPECT_THAT(ThroughProto(text), AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr(refused))) << line;
  }
}

TEST(PassThrough, FieldsWithoutTextAreNamedInAComment) {
  xla::HloModuleProto module = Parsed(Entry("  p = f32[] parameter(0)\n  ROOT r = f32[] abs(p)"));
  xla::HloInstructionProto* root = module.mutable_computations(0)->mutable_instructions(1);
  root->set_delta(3);
  ASSERT_TRUE(root->MergeFromString("\xc2\x3e\x01x"));  // field 1000
  EXPECT_THAT(Printed(module), HasSubstr("abs(%p) /*fields without text: 1000, delta (66)*/\n"));
  EXPECT_TRUE(ParseHloText(Printed(module)).ok());
}

TEST(PassThrough, GroupsByAxesOfAMesh) {
  for (const char* groups : {
           "mesh['x'=2,'y'=2] {'y'}",
           "mesh['x'=2,'y'=2] {'x','y'}",
           "mesh['x'=8] {'x':(2)2}",
           "mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'y'}",
           "mesh['x'=4], device_ids=(3,2,1,0) {'x'}",
       }) {
    const std::string attribute = absl::StrCat("replica_groups=", groups);
    const xla::HloModuleProto module = Parsed(Entry(
        absl::StrCat("  p = f32[] parameter(0)\n  ROOT r = f32[] all-to-all(p), ", attribute)));
    const xla::HloInstructionProto& root = module.computations(0).instructions(1);
    EXPECT_TRUE(root.has_mesh_axes_replica_group_list()) << groups;
    EXPECT_THAT(Printed(module), HasSubstr(absl::StrCat("all-to-all(%p), ", attribute, "\n")));
  }
}

TEST(PassThrough, DevicesOfLaterMessages) {
  xla::HloModuleProto module =
      Parsed(Entry("  p = f32[] parameter(0)\n  ROOT r = f32[] all-to-all(p), replica_groups={}"));
  xla::HloInstructionProto* root = module.mutable_computations(0)->mutable_instructions(1);
  xla::IotaReplicaGroupList* list = root->mutable_iota_collective_device_list();
  list->set_num_replica_groups(1);
  list->set_num_devices_per_group(2);
  list->add_iota_reshape_dims(2);
  list->add_iota_transpose_perm(0);
  EXPECT_THAT(Printed(module), HasSubstr("all-to-all(%p), replica_groups=[1,2]<=[2]\n"));
  root->clear_iota_collective_device_list();
  xla::MeshAxesReplicaGroupListProto* mesh = root->mutable_mesh_axes_replica_group_list();
  mesh->add_axes()->set_mesh_axis_index(1);
  EXPECT_EQ(PrintHloText(module).status().message(), "replica_groups: axis 1 of a mesh of 0 axes");
}

TEST(PassThrough, OperandsMayBeInstructionsWithoutNames) {
  const std::string text = Printed(Parsed(Entry("  ROOT t = tuple(abs(f32[2] parameter(0)))")));
  EXPECT_THAT(text, HasSubstr("  %parameter.anon = f32[2]{0} parameter(0)\n"
                              "  %abs.anon = abs(%parameter.anon)\n"
                              "  ROOT %t = tuple(%abs.anon)\n"));
  std::string deep = "f32[] parameter(0)";
  for (int i = 0; i < 200; ++i) deep = absl::StrCat("abs(", deep, ")");
  EXPECT_THAT(ParseHloText(Entry(absl::StrCat("  a = f32[] ", deep))).status().message(),
              HasSubstr("operands nested at most 128 deep"));
}

TEST(PassThrough, CallsAreUpgradedWhereverTheyStand) {
  const std::string text = R"(HloModule m

f { p = f32[2] parameter(0)
  ROOT k = f32[2] custom-call(p), custom_call_target="in_f", sharding={replicated} }
g { p = f32[2] parameter(0)
  ROOT t = pred[] custom-call(p), custom_call_target="in_g", custom_call_has_side_effect=true }

ENTRY e {
  p = f32[2] parameter(0)
  w = f32[2] while(p), condition=g, body=f
  s = ((f32[2]), f32[2], s32[]) async-start(w), calls=f
  d = f32[2] async-done(s)
  u = ((f32[2]), f32[2], s32[]) custom-call-start(d), custom_call_target="sugar"
  v = f32[2] custom-call-done(u)
  ROOT r = f32[2] custom-call(v), custom_call_target="in_e", control-predecessors={w}, origin={{}}
}
)";
  std::vector<CallLeftAlone> left;
  const absl::StatusOr<xla::HloModuleProto> upgraded = Upgrade(Parsed(text), &left);
  ASSERT_TRUE(upgraded.ok()) << upgraded.status();
  EXPECT_TRUE(left.empty());
  const std::string printed = Printed(*upgraded);
  for (const char* target : {"in_f", "in_g", "sugar", "in_e"}) {
    const size_t begin = printed.find(absl::StrCat("custom_call_target=\"", target));
    ASSERT_NE(begin, std::string::npos) << target;
    const std::string line = printed.substr(begin, printed.find('\n', begin) - begin);
    EXPECT_THAT(line, AllOf(HasSubstr("api_version=API_VERSION_TYPED_FFI"),
                            HasSubstr("operand_layout_constraints={f32[2]{0}}")));
  }
  EXPECT_THAT(printed, HasSubstr("origin={{}}, control-predecessors={%w}"));
}

TEST(PassThrough, CallsThatCannotBeUpgradedAreLeftWithAReason) {
  const struct {
    std::string line, reason;
  } cases[] = {
      {"c = f32[2] custom-call(x), custom_call_target=\"t\"",
       "operand 0 is an array with dynamic dimensions, which callbridge cannot pass"},
      {"c = f32[2]{0:T(2)} custom-call(p), custom_call_target=\"t\"",
       "its result is a tiled layout"},
      {"c = b(f32[2]) custom-call(p), custom_call_target=\"t\"", "its result is a buffer shape"},
      {"c = f32[2] custom-call(p), custom_call_target=\"t\", called_computations={f, f}",
       "it calls 2 computations"},
      {"c = f32[2] custom-call(abs(p)), custom_call_target=\"t\"",
       "operand 0 has no shape in the text"},
      {"c = ((f32[2]), (f32[2]), s32[]) custom-call-start(p), custom_call_target=\"t\"",
       "it is asynchronous, and has a tuple"},
      {"c = f32[2] custom-call-start(p), custom_call_target=\"t\"",
       "its shape is not that of an async-start"},
  };
  for (const auto& [line, reason] : cases) {
    const xla::HloModuleProto module = Parsed(absl::StrCat(
        "HloModule m\nf { ROOT p = f32[2] parameter(0) }\nENTRY e {\n  p = f32[2] parameter(0)\n"
        "  x = f32[<=2] parameter(1)\n  ",
        line, "\n  ROOT k = f32[2] custom-call(p), custom_call_target=\"u\"\n}\n"));
    std::vector<CallLeftAlone> left;
    const absl::StatusOr<xla::HloModuleProto> upgraded = Upgrade(module, &left);
    ASSERT_TRUE(upgraded.ok()) << upgraded.status();
    ASSERT_EQ(left.size(), 1) << line;
    EXPECT_EQ(left[0].instruction, "c");
    EXPECT_EQ(left[0].target, "t");
    EXPECT_THAT(left[0].reason, HasSubstr(reason));
    const std::string printed = Printed(*upgraded);
    const size_t begin = printed.find("%c = ");
    EXPECT_THAT(printed.substr(begin, printed.find('\n', begin) - begin),
                Not(HasSubstr("api_version")));
    EXPECT_THAT(printed, HasSubstr("api_version=API_VERSION_TYPED_FFI"));
  }
}

}  // namespace
}  // namespace callbridge::hlo
