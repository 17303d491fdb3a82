// All values of the rows of runtime_versions.h, which that header states by difference from the row
// before. There is no test code here: if it compiles, it passes. A newer version adds a row; those
// that are here stay as they are, but for the last release of the newest.
#include <string_view>

#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge::typed_ffi {
namespace {

constexpr bool Equal(const RuntimeVersion& a, const RuntimeVersion& b) {
  for (int i = 0; i < kApiFunctionCount; ++i) {
    if (a.slots[i] != b.slots[i]) return false;
  }
  return a.minor == b.minor && a.stated_size == b.stated_size && a.table_size == b.table_size &&
         std::string_view(a.releases) == b.releases && a.instantiate == b.instantiate &&
         a.prepare == b.prepare && a.initialize == b.initialize && a.execute == b.execute &&
         a.record == b.record && a.state == b.state && a.bundle_size == b.bundle_size &&
         a.metadata_size == b.metadata_size && a.oldest_handler == b.oldest_handler &&
         a.table_has_version == b.table_has_version && a.null_api_in_query == b.null_api_in_query &&
         a.frame_has_future == b.frame_has_future && a.has_invoke_context == b.has_invoke_context &&
         a.accepts_duplicates == b.accepts_duplicates && a.cpu_has_context == b.cpu_has_context &&
         a.looks_like_previous == b.looks_like_previous &&
         a.headers_are_ambiguous == b.headers_are_ambiguous &&
         a.headers_run_on_later == b.headers_run_on_later;
}

// clang-format off
// slots: error: create, message, details, destroy; register; stream; type: id, info; user data;
//        state: set, get; scratch: allocate, free; thread pool: schedule, number;
//        future: create, available, error; run id, ordinal, extensions, options
// stages; state; sizes: bundle, metadata; oldest handler
// table_has_version, null_api_in_query, frame_has_future, has_invoke_context, accepts_duplicates,
// cpu_has_context, looks_like_previous, headers_are_ambiguous, headers_run_on_later
constexpr RuntimeVersion kRows[] = {
    {0, 64, 96, "jaxlib 0.4.30",
     {24, 32, 0, 40, 48, 56, 64, 0, 72,   0,   0,  80,  88,   0,   0,   0,   0,   0,   0,   0,   0,   0},
     kNoStage, 0, 1, 2, kNoStage, StateLayout::kNone, 24, 0, 0,
     false,  true, false, false, false, false, false, false, false},
    {0, 88, 136, "jaxlib 0.4.31",
     {48, 56, 0, 64, 72, 80, 88, 0, 96, 104, 112, 120, 128,   0,   0,   0,   0,   0,   0,   0,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kWithDeleter, 32, 0, 0,
      true,  true, false, false, false, false, false, false, false},
    {1, 88, 144, "jaxlib 0.4.32 to 0.4.33",
     {48, 56, 0, 64, 72, 80, 88, 0, 96, 104, 112, 120, 128, 136,   0,   0,   0,   0,   0,   0,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kWithDeleter, 32, 40, 1,
      true,  true, false, false, false,  true, false,  true, false},
    {1, 88, 168, "jaxlib 0.4.34 to 0.4.37",
     {48, 56, 0, 64, 72, 80, 88, 0, 96, 104, 112, 120, 128, 136,   0, 144, 152, 160,   0,   0,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kWithDeleter, 32, 40, 1,
      true,  true,  true, false, false,  true, false,  true, false},
    {1, 88, 176, "jaxlib 0.4.38 to 0.5",
     {48, 56, 0, 64, 72, 80, 88, 0, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168,   0,   0,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kWithDeleter, 32, 40, 1,
      true,  true,  true, false,  true,  true,  true,  true, false},
    {1, 192, 192, "jaxlib 0.6 to 0.8.0",
     {48, 56, 0, 64, 72, 80, 88, 0, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kWithDeleter, 32, 40, 1,
      true,  true,  true, false,  true,  true, false,  true, false},
    {2, 192, 192, "jaxlib 0.8.1 to 0.9.0",
     {48, 56, 0, 64, 72, 80, 0, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kTypedDeleter, 32, 48, 1,
      true, false,  true, false,  true,  true, false, false,  true},
    {3, 192, 192, "jaxlib 0.9.1 to 0.11.0",
     {48, 56, 0, 64, 72, 80, 0, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184,   0,   0},
     0, 1, 2, 3, kNoStage, StateLayout::kStaged, 32, 48, 1,
      true, false,  true, false,  true,  true, false, false,  true},
    {4, 200, 200, "jaxlib 0.11.1 to 0.11.2",
     {48, 0, 56, 64, 72, 80, 0, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192,   0},
     0, 1, 2, 3, 4, StateLayout::kStaged, 40, 48, 1,
      true, false,  true,  true,  true,  true, false, false,  true},
    {5, 208, 208, "jaxlib 0.12",
     {48, 0, 56, 64, 72, 80, 0, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192, 200},
     0, 1, 2, 3, 4, StateLayout::kStaged, 40, 48, 1,
      true, false,  true,  true,  true,  true, false, false,  true},
};
// clang-format on

static_assert(sizeof(kRows) == sizeof(kRuntimeVersions));
static_assert(Equal(kRuntimeVersions[0], kRows[0]));
static_assert(Equal(kRuntimeVersions[1], kRows[1]));
static_assert(Equal(kRuntimeVersions[2], kRows[2]));
static_assert(Equal(kRuntimeVersions[3], kRows[3]));
static_assert(Equal(kRuntimeVersions[4], kRows[4]));
static_assert(Equal(kRuntimeVersions[5], kRows[5]));
static_assert(Equal(kRuntimeVersions[6], kRows[6]));
static_assert(Equal(kRuntimeVersions[7], kRows[7]));
static_assert(Equal(kRuntimeVersions[8], kRows[8]));
static_assert(Equal(kRuntimeVersions[9], kRows[9]));

}  // namespace
}  // namespace callbridge::typed_ffi
