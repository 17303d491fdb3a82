// An interpreter of PTX for the stand-in of the CUDA driver: scalar kernels of integers, f32 and
// f64, one block at a time.
//
// What it runs has the bits that the PTX ISA defines. Where the ISA allows an error (`.approx`,
// `div.full`), it returns the correctly rounded result. What it does not know (tensor cores,
// textures, f16 arithmetic, asynchronous copies) is UNIMPLEMENTED, names the instruction and its
// line, and refuses a kernel before the kernel's first instruction runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace standin::ptx {

struct Function;

// A variable of the module in `.global` or `.const` memory.
struct Global {
  std::string name;
  uint64_t size = 0;  // bytes
  uint64_t alignment = 1;
  bool constant = false;
  // The driver must set the device address of each global before the first launch.
  uint64_t address = 0;
};

struct Parameter {
  uint64_t offset = 0;  // bytes from the start of the parameter buffer
  uint64_t size = 0;    // bytes
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  uint64_t parameter_bytes = 0;
  uint64_t static_shared_bytes = 0;
  uint64_t local_bytes = 0;     // for each thread, without the functions that it calls
  uint32_t register_count = 0;  // virtual registers
  uint32_t max_threads = 1024;  // in a block: .maxntid, .reqntid
  const Function* code = nullptr;
};

class Module {
 public:
  Module();
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Returns null if the module has no kernel `name`.
  const Kernel* FindKernel(absl::string_view name) const;
  const std::vector<std::unique_ptr<Kernel>>& kernels() const { return kernels_; }
  std::vector<Global>& globals() { return globals_; }
  const std::vector<Global>& globals() const { return globals_; }
  // The initial contents of globals()[index], `size` bytes. Initialisers may hold addresses of
  // other globals, so call it after all addresses are set.
  std::string InitialBytes(size_t index) const;

 private:
  friend class ModuleParser;
  struct Initialiser;

  std::vector<Global> globals_;
  std::vector<Initialiser> initialisers_;  // of each global
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<std::unique_ptr<Function>> functions_;
};

// Reads the text up to its first NUL. Returns INVALID_ARGUMENT with the line if the text is
// malformed. An unknown instruction is no error here; Launch refuses the kernels that it is in.
absl::StatusOr<std::unique_ptr<Module>> Parse(absl::string_view text);

// The device memory, as the driver knows it. Kernels on several streams may call it from several
// threads.
class Memory {
 public:
  virtual ~Memory() = default;
  // Returns where the host finds `bytes` bytes at a device address; null if any of them is no
  // device memory.
  virtual void* Translate(uint64_t address, size_t bytes) = 0;
};

struct Dimensions {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
};

struct LaunchConfig {
  Dimensions grid;
  Dimensions block;
  uint64_t dynamic_shared_bytes = 0;
  // Instructions of all threads together, after which the kernel is taken for an endless loop.
  uint64_t instruction_budget = uint64_t{20'000'000'000};
};

// What a kernel did, if Launch returns an error that the driver has to tell as an error of the
// context.
enum class Fault {
  kNone,  // refused before it ran
  kIllegalAddress,
  kMisalignedAddress,
  kTrap,     // `trap`, or the stack overflows
  kTimeout,  // the budget is used up, or the threads of a block wait for each other
};
Fault FaultOf(const absl::Status& status);

// Runs the kernel to its end, on the calling thread. `parameters` has a pointer to the value of
// each of the kernel's parameters, as cuLaunchKernel's kernelParams; it may be null if there are
// none. Thread-safe.
absl::Status Launch(const Kernel& kernel, const LaunchConfig& config, const void* const* parameters,
                    Memory& memory);

}  // namespace standin::ptx
