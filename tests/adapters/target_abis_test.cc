// The table of ABIs: its rows, and the lists that must be spelled out elsewhere.
#include "callbridge/adapters/target_abis.h"

#include <cctype>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "callbridge/adapters/untyped_abi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

constexpr ApiVersion kAll[] = {ApiVersion::kUnspecified, ApiVersion::kOriginal,
                               ApiVersion::kStatusReturning, ApiVersion::kStatusReturningUnified,
                               ApiVersion::kTypedFfi};

// xla.CustomCallApiVersion; compiled programs hold these numbers.
static_assert(static_cast<int>(ApiVersion::kUnspecified) == 0);
static_assert(static_cast<int>(ApiVersion::kOriginal) == 1);
static_assert(static_cast<int>(ApiVersion::kStatusReturning) == 2);
static_assert(static_cast<int>(ApiVersion::kStatusReturningUnified) == 3);
static_assert(static_cast<int>(ApiVersion::kTypedFfi) == 4);

TEST(ApiVersionTest, HasNames) {
  EXPECT_EQ(ApiVersionName(ApiVersion::kUnspecified), "unspecified");
  EXPECT_EQ(ApiVersionName(ApiVersion::kOriginal), "original");
  EXPECT_EQ(ApiVersionName(ApiVersion::kStatusReturning), "status_returning");
  EXPECT_EQ(ApiVersionName(ApiVersion::kStatusReturningUnified), "status_returning_unified");
  EXPECT_EQ(ApiVersionName(ApiVersion::kTypedFfi), "typed_ffi");
  EXPECT_EQ(ApiVersionName(static_cast<ApiVersion>(5)), "unknown");
}

TEST(ApiVersionTest, ParsesItsNames) {
  for (ApiVersion version : kAll) {
    const absl::StatusOr<ApiVersion> parsed = ParseApiVersion(ApiVersionName(version));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, version);
  }
}

TEST(ApiVersionTest, RefusesOtherNamesAndListsIts) {
  for (absl::string_view name : {"", "Original", "typed_ffi ", "unknown", "5"}) {
    const absl::Status status = ParseApiVersion(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    for (ApiVersion version : kAll) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(ApiVersionName(version))));
    }
  }
  EXPECT_THAT(std::string(ParseApiVersion("bad\n").status().message()), HasSubstr("\"bad\\n\""));
}

TEST(ApiVersionTest, IsANumberThatAnAbiCanHave) {
  const int64_t kPossible[] = {0, 1, 2, 3, 4, 100, 255};
  const int64_t kImpossible[] = {-1, 5, 99, 256, 1 << 30, INT64_MAX, INT64_MIN};
  for (int64_t number : kPossible) {
    EXPECT_EQ(static_cast<int64_t>(ApiVersionOfNumber(number)), number);
  }
  for (int64_t number : kImpossible) {
    EXPECT_EQ(ApiVersionOfNumber(number), ApiVersion::kUnspecified) << number;
  }
}

// ---- The rows ----

TEST(TargetAbisTest, AreByNumber) {
  ASSERT_EQ(TargetAbis().size(), 4u);
  int64_t last = 0;
  std::set<std::string> names;
  for (const TargetAbi* abi : TargetAbis()) {
    EXPECT_GT(static_cast<int64_t>(abi->number), last) << abi->name;
    last = static_cast<int64_t>(abi->number);
    EXPECT_EQ(ApiVersionOfNumber(last), abi->number);
    EXPECT_EQ(FindTargetAbi(last), abi);
    names.insert({abi->name, abi->c_name, abi->cpp_name});
  }
  EXPECT_EQ(names.size(), 3 * TargetAbis().size()) << "a name that two have";
  for (int64_t none : {int64_t{-1}, int64_t{0}, last + 1, int64_t{1} << 40}) {
    EXPECT_EQ(FindTargetAbi(none), nullptr) << none;
  }
}

// "kStatusReturning" for "status_returning".
std::string CppName(const std::string& name) {
  std::string cpp = "k";
  bool begins = true;
  for (char c : name) {
    if (c != '_') cpp += begins ? static_cast<char>(std::toupper(c)) : c;
    begins = c == '_';
  }
  return cpp;
}
std::string CName(const std::string& name) {
  std::string c_name = "CALLBRIDGE_API_VERSION_";
  for (char c : name) c_name += static_cast<char>(std::toupper(c));
  return c_name;
}

TEST(TargetAbisTest, HaveOneNameInEachLanguage) {
  for (const TargetAbi* abi : TargetAbis()) {
    EXPECT_EQ(abi->cpp_name, CppName(abi->name));
    EXPECT_EQ(abi->c_name, CName(abi->name));
  }
}

// Each is called on each platform that has it, by the code of an ABI that is called as itself.
TEST(TargetAbisTest, AreCalledAsAnAbi) {
  for (Platform platform : {Platform::kHost, Platform::kCuda, Platform::kRocm}) {
    int serve_unknown = 0;
    for (const TargetAbi* abi : TargetAbis()) {
      const PlatformAbi& here = On(platform, *abi);
      const TargetAbi* called_as = FindTargetAbi(here.called_as);
      ASSERT_NE(called_as, nullptr) << abi->name;
      EXPECT_EQ(On(platform, *called_as).called_as, called_as->number) << abi->name;
      serve_unknown += here.serves_unknown;
      Target target;
      target.platform = platform;
      target.api_version = abi->number;
      const bool is_untyped = (here.provides & provides::kAttributes) == 0;
      for (bool is_proved : {false, true}) {
        target.api_version_is_proved = is_proved;
        const absl::StatusOr<const UntypedAbi*> calls = FindUntypedAbi(target);
        ASSERT_EQ(calls.ok(), is_untyped) << abi->name;
        if (is_untyped) {
          EXPECT_EQ((*calls)->is_gpu(), IsGpu(platform));
        }
      }
    }
    EXPECT_EQ(serve_unknown, IsGpu(platform) ? 1 : 0);
  }
}

TEST(TargetAbisTest, AreProvedBySymbolsThatAreLikeNoOthers) {
  for (Platform platform : {Platform::kHost, Platform::kCuda}) {
    for (const TargetAbi* abi : TargetAbis()) {
      for (const Signature& signature : On(platform, *abi).signatures) {
        if (!IsSeenInSymbols(signature)) continue;
        std::vector<absl::string_view> types;
        for (const std::string_view parameter : signature.parameters) {
          if (parameter.empty()) break;
          const absl::string_view all(parameter.data(), parameter.size());
          types.push_back(all == "*" ? "CUstream_st*" : all.substr(0, all.find('|')));
        }
        EXPECT_EQ(ApiVersionOfSymbol(types, platform), abi->number) << abi->name;
      }
    }
  }
  EXPECT_EQ(ApiVersionOfSymbol({}, Platform::kHost), ApiVersion::kUnspecified);
}

TEST(TargetAbisTest, AreListedInErrors) {
  EXPECT_EQ(TargetAbiNames(), "original, status_returning, status_returning_unified or typed_ffi");
  for (Platform platform : {Platform::kHost, Platform::kRocm}) {
    EXPECT_EQ(UntypedAbiNames(platform), "original, status_returning or status_returning_unified");
  }
  EXPECT_EQ(ApiVersionNumbers(), "0 to 4");
}

// ---- The lists that must be spelled out ----

std::string Read(const std::string& file) {
  std::ifstream stream(std::string(SOURCE_FOLDER "/") + file);
  EXPECT_TRUE(stream.is_open()) << file;
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Numbers by name.
std::map<std::string, int> Enumerators(const std::string& text, const char* pattern) {
  std::map<std::string, int> enumerators;
  const std::regex enumerator(pattern);
  for (std::sregex_iterator i(text.begin(), text.end(), enumerator), end; i != end; ++i) {
    enumerators[(*i)[1]] = std::stoi((*i)[2]);
  }
  return enumerators;
}

TEST(TargetAbisTest, AreTheEnumeratorsOfC) {
  std::map<std::string, int> expected = {{"CALLBRIDGE_API_VERSION_UNSPECIFIED", 0}};
  for (const TargetAbi* abi : TargetAbis()) expected[abi->c_name] = static_cast<int>(abi->number);
  EXPECT_EQ(Enumerators(Read("c_api/callbridge.h"), "(CALLBRIDGE_API_VERSION_\\w+) = (\\d+),"),
            expected);
}

TEST(TargetAbisTest, AreTheEnumeratorsOfCpp) {
  const std::string text = Read("abi/api_version.h");
  const size_t begin = text.find("enum class ApiVersion");
  ASSERT_NE(begin, std::string::npos);
  std::map<std::string, int> expected = {{"kUnspecified", 0}};
  for (const TargetAbi* abi : TargetAbis()) expected[abi->cpp_name] = static_cast<int>(abi->number);
  EXPECT_EQ(Enumerators(text.substr(begin, text.find('}', begin) - begin), "(k\\w+) = (\\d+),"),
            expected);
}

}  // namespace
}  // namespace callbridge
