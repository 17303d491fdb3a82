#include "callbridge/runtime/gpu_code.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <typename T>
void Append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string Entry(uint16_t kind, uint32_t architecture, uint64_t size) {
  std::string entry;
  Append<uint16_t>(entry, kind);
  Append<uint16_t>(entry, 0x0101);
  Append<uint32_t>(entry, 64);
  Append<uint64_t>(entry, size);
  entry.resize(28);
  Append<uint32_t>(entry, architecture);
  entry.resize(64 + size);
  return entry;
}

std::string FatBinary(const std::string& entries) {
  std::string bytes;
  Append<uint32_t>(bytes, 0xBA55ED50);
  Append<uint16_t>(bytes, 1);
  Append<uint16_t>(bytes, 16);
  Append<uint64_t>(bytes, entries.size());
  return bytes + entries;
}

TEST(GpuCodeTest, NamesArchitectures) {
  const std::string first = FatBinary(Entry(2, 90, 128) + Entry(1, 90, 8));
  const std::string second = FatBinary(Entry(2, 50, 16));
  EXPECT_THAT(FatBinaryArchitectures(first), ElementsAre("compute_90", "sm_90"));
  EXPECT_THAT(FatBinaryArchitectures(first + std::string(8, '\0') + second),
              ElementsAre("compute_90", "sm_50", "sm_90"));
  EXPECT_THAT(FatBinaryArchitectures(""), IsEmpty());
}

TEST(GpuCodeTest, StopsWhereItIsDamaged) {
  const std::string whole = FatBinary(Entry(2, 90, 128) + Entry(1, 80, 8));
  for (size_t size = 0; size < whole.size(); ++size) FatBinaryArchitectures(whole.substr(0, size));
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0xFF);
    FatBinaryArchitectures(flipped);
  }
}

}  // namespace
}  // namespace callbridge
