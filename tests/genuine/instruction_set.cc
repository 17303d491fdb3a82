// Has genuine XLA compile for a lesser processor than this one: LLVM then uses other instructions,
// and contracts other products, as it does on that processor. The environment variable
// GENUINE_XLA_WITHOUT lists the features that it lacks, by the beginnings of LLVM's names:
// "avx512,fma". XLA of TensorFlow 2.13.1 has no flag for it.
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace {

// What xla::cpu::SimpleOrcJIT::InferTargetMachineForJIT(const llvm::TargetOptions&,
// llvm::CodeGenOpt::Level) is in the ABI: it returns a std::unique_ptr<llvm::TargetMachine>. The
// library's own calls reach the definition in the executable.
constexpr char kInferTargetMachine[] =
    "_ZN3xla3cpu12SimpleOrcJIT24InferTargetMachineForJITERKN4llvm13TargetOptionsENS2_10CodeGenOpt5"
    "LevelE";
using InferTargetMachine = void**(void** machine, const void* options, int level);
// Of the std::string TargetFS, "+sse2,+avx,-fma4": the wheel has no header of LLVM's.
constexpr size_t kFeaturesOffset = 552;

}  // namespace

extern "C" void** InferLesserMachine(void** machine, const void* options, int level) asm(
    "_ZN3xla3cpu12SimpleOrcJIT24InferTargetMachineForJITERKN4llvm13TargetOptionsENS2_10CodeGenOpt5"
    "LevelE");

void** InferLesserMachine(void** machine, const void* options, int level) {
  static auto* const infer =
      reinterpret_cast<InferTargetMachine*>(dlsym(RTLD_NEXT, kInferTargetMachine));
  infer(machine, options, level);
  const char* lacking = std::getenv("GENUINE_XLA_WITHOUT");
  if (lacking == nullptr) return machine;
  auto& features = *reinterpret_cast<std::string*>(static_cast<char*>(*machine) + kFeaturesOffset);
  if (!absl::StrContains(features, "+sse2")) {
    std::cerr << "GENUINE_XLA_WITHOUT: TargetMachine's features are not where they were\n";
    std::exit(1);
  }
  const std::vector<std::string_view> prefixes = absl::StrSplit(lacking, ',');
  std::string kept;
  for (std::string_view feature : absl::StrSplit(features, ',')) {
    bool is_lacking = false;
    for (std::string_view prefix : prefixes) {
      if (absl::StartsWith(feature.substr(1), prefix)) is_lacking = true;
    }
    kept.append(kept.empty() ? "" : ",").append(is_lacking ? "-" : feature.substr(0, 1));
    kept.append(feature.substr(1));
  }
  features = kept;  // of the same size, so in the same memory
  return machine;
}
