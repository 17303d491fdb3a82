// Fat binaries made here, compressed in each way that nvcc has, and damaged ones.
#include "tests/gpu/driver/fat_binary.h"

#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace standin {
namespace {

using ::testing::HasSubstr;

template <typename T>
void Put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

enum class Packing : uint64_t { kNone = 0x11, kLz4 = 0x2011, kZstd = 0x8011 };

std::string Packed(const std::string& text, Packing packing) {
  if (packing == Packing::kNone) {
    return text;
  }
  std::string packed(text.size() + 1024, '\0');
  if (packing == Packing::kLz4) {
    packed.resize(static_cast<size_t>(LZ4_compress_default(text.data(), packed.data(),
                                                           static_cast<int>(text.size()),
                                                           static_cast<int>(packed.size()))));
  } else {
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  }
  return packed;
}

// A part as nvcc writes it: a header of 72 bytes, data padded to 8.
std::string Part(bool ptx, uint32_t architecture, const std::string& text,
                 Packing packing = Packing::kNone) {
  std::string data = Packed(text, packing);
  const auto compressed = static_cast<uint32_t>(packing == Packing::kNone ? 0 : data.size());
  data.resize((data.size() + 7) / 8 * 8);
  std::string part;
  Put<uint16_t>(part, ptx ? 1 : 2);
  Put<uint16_t>(part, 0x101);
  Put<uint32_t>(part, 72);
  Put<uint64_t>(part, data.size());
  Put<uint32_t>(part, compressed);
  Put<uint32_t>(part, 64);
  Put<uint32_t>(part, 8 << 16 | 2);
  Put<uint32_t>(part, architecture);
  Put<uint64_t>(part, 0);
  Put<uint64_t>(part, static_cast<uint64_t>(packing));
  Put<uint64_t>(part, 0);
  Put<uint64_t>(part, packing == Packing::kNone ? 0 : text.size());
  Put<uint64_t>(part, 0);
  return part + data;
}

std::string FatBinary(const std::string& parts) {
  std::string binary;
  Put<uint32_t>(binary, 0xBA55ED50);
  Put<uint16_t>(binary, 1);
  Put<uint16_t>(binary, 16);
  Put<uint64_t>(binary, parts.size());
  return binary + parts;
}

const char kText[] =
    ".version 8.2\n.target sm_75\n.address_size 64\n// a comment, a comment, a comment, a "
    "comment\n";

TEST(FatBinary, PtxOfEachPacking) {
  for (const Packing packing : {Packing::kNone, Packing::kLz4, Packing::kZstd}) {
    const std::string binary =
        FatBinary(Part(false, 80, "machine code") + Part(true, 75, kText, packing));
    ASSERT_TRUE(IsFatBinary(binary.data()));
    const auto ptx = PtxOf(binary.data(), 90);
    ASSERT_TRUE(ptx.ok()) << ptx.status();
    EXPECT_EQ(std::string(ptx->c_str()), kText);
  }
}

TEST(FatBinary, TheNewestThatTheDeviceHas) {
  const std::string binary = FatBinary(Part(true, 75, "old.....") + Part(true, 90, "newer...") +
                                       Part(true, 100, "tooNew.."));
  EXPECT_EQ(*PtxOf(binary.data(), 90), "newer...");
  EXPECT_EQ(*PtxOf(binary.data(), 89), "old.....");
}

TEST(FatBinary, SaysWhatItHasIfThereIsNoPtx) {
  const auto none =
      PtxOf(FatBinary(Part(false, 80, "a") + Part(true, 100, "b")).data(), 90).status();
  EXPECT_EQ(none.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(none.message(),
            "fat binary: no PTX for compute_90 or older in it, only PTX for compute_100, machine "
            "code for sm_80");
  EXPECT_THAT(std::string(PtxOf(FatBinary("").data(), 90).status().message()),
              HasSubstr("only nothing"));
}

TEST(FatBinary, DamagedOnesAreErrors) {
  const std::string whole = FatBinary(Part(true, 75, kText, Packing::kLz4));
  for (size_t i = 0; i < whole.size(); ++i) {
    if (i >= 6 && i < 16) {
      continue;  // How long the whole is: nothing but these bytes says it.
    }
    for (const char bits : {'\1', '\x80', '\xff'}) {
      std::string binary = whole;
      binary[i] = static_cast<char>(binary[i] ^ bits);
      const auto ptx = PtxOf(binary.data(), 90);
      if (!ptx.ok()) {
        EXPECT_THAT(std::string(ptx.status().message()), HasSubstr("fat binary: "));
      }
    }
  }
  std::string cut = whole;
  cut.resize(whole.size() - 8);
  const uint64_t bytes = cut.size() - 16;
  std::memcpy(&cut[8], &bytes, sizeof bytes);
  EXPECT_EQ(PtxOf(cut.data(), 90).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace standin
