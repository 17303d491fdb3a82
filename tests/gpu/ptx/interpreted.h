// Runs PTX in the stand-in's interpreter, over memory that has edges.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/gpu/driver/ptx/module.h"

namespace interpreted {

namespace ptx = standin::ptx;

// Device memory whose addresses are not the host's.
class DeviceMemory : public ptx::Memory {
 public:
  uint64_t Allocate(size_t bytes) {
    const uint64_t address = next_;
    next_ += (bytes + 4096 + 255) / 256 * 256;
    blocks_[address] = std::vector<char>(bytes);
    return address;
  }
  template <typename T>
  uint64_t Copy(const std::vector<T>& values) {
    const uint64_t address = Allocate(values.size() * sizeof(T));
    if (!values.empty()) memcpy(blocks_[address].data(), values.data(), values.size() * sizeof(T));
    return address;
  }
  template <typename T>
  std::vector<T> Read(uint64_t address) const {
    const std::vector<char>& bytes = blocks_.at(address);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  void* Translate(uint64_t address, size_t bytes) override {
    auto block = blocks_.upper_bound(address);
    if (block == blocks_.begin()) return nullptr;
    --block;
    const uint64_t offset = address - block->first;
    if (offset > block->second.size() || bytes > block->second.size() - offset) return nullptr;
    return block->second.data() + offset;
  }

 private:
  uint64_t next_ = 0x7f0000000000;
  std::map<uint64_t, std::vector<char>> blocks_;
};

// The head of every module.
inline std::string ModuleText(absl::string_view body) {
  return absl::StrCat(".version 7.8\n.target sm_80\n.address_size 64\n", body);
}

// Puts the module's variables into device memory, as a driver does.
inline void PlaceGlobals(ptx::Module& module, DeviceMemory& memory) {
  for (ptx::Global& global : module.globals()) global.address = memory.Allocate(global.size);
  for (size_t i = 0; i < module.globals().size(); ++i) {
    const std::string bytes = module.InitialBytes(i);
    if (!bytes.empty())
      memcpy(memory.Translate(module.globals()[i].address, bytes.size()), bytes.data(),
             bytes.size());
  }
}

// Runs the module's first kernel. Each parameter is of 64 bits.
inline absl::Status RunKernel(absl::string_view text, DeviceMemory& memory,
                              std::vector<uint64_t> parameters,
                              const ptx::LaunchConfig& config = {}) {
  absl::StatusOr<std::unique_ptr<ptx::Module>> module = ptx::Parse(text);
  if (!module.ok()) return module.status();
  PlaceGlobals(**module, memory);
  std::vector<const void*> values;
  for (const uint64_t& parameter : parameters) values.push_back(&parameter);
  return ptx::Launch(*(*module)->kernels().front(), config, values.data(), memory);
}

// One instruction on registers d (and q), a, b, c, and what it must give.
struct Case {
  std::string instruction;  // "add.s32 d, a, b"
  std::string registers;    // of d, a, b, c: h 16 bits, r 32, d 64, p predicate
  std::function<uint64_t(uint64_t, uint64_t, uint64_t)> expected;
};

// The kernel: out[i] = instruction(in[3 * i], in[3 * i + 1], in[3 * i + 2]), all of 64 bits.
std::string CaseKernel(const Case& c, absl::string_view name);

struct Operands {
  uint64_t a, b, c;
};

// Interprets the case on all operands. `equal` compares what is expected with what came.
void Check(const Case& c, const std::vector<Operands>& operands,
           const std::function<bool(uint64_t, uint64_t)>& equal = std::equal_to<uint64_t>());

// Lets the toolkit's ptxas assemble the kernels of all cases, if there is one: so that they are
// PTX. Skips if not.
void Assemble(const std::vector<Case>& cases, absl::string_view target = "sm_80");

// Every two or three of the edges, and random ones.
std::vector<Operands> Combine(const std::vector<uint64_t>& edges, int operands, int random);

}  // namespace interpreted
