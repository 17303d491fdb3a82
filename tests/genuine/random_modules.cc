// What callbridge makes of random modules (random_module.h), for random_modules.py:
//
//   random_modules write FOLDER FIRST LAST LIBRARY...
//     Of each seed, and of "effects":
//       <seed>.pb  the module; <seed>.txt  as HLO text; <seed>.mlir  upgraded, as StableHLO text
//       <seed>.in  the bytes of the parameters' leaves; <seed>.out  those of the result's
//       <seed>.parameters, <seed>.result  the shapes; <seed>.effects  what "effects" returned then
//   random_modules reread FOLDER FIRST LAST LIBRARY...
//     Reads <seed>.again.txt and <seed>.again.pb, which another XLA wrote of these modules, runs
//     them, and writes them as HLO text: <seed>.text.txt, <seed>.text.pb.
//
// Every module is run on one thread and on three, and upgraded; the bits must be the same.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/callbridge.h"
#include "callbridge/callbridge_module.h"
#include "random_module.h"

namespace callbridge {
namespace {

std::vector<const callbridge_library*> libraries;
std::string at;  // what is being done, for messages

void Check(callbridge_error* error, const std::string& what) {
  if (error == nullptr) return;
  fprintf(stderr, "%s: %s: %s\n", at.c_str(), what.c_str(), error->message);
  exit(1);
}

callbridge_module* Read(const std::string& bytes) {
  callbridge_module* module = nullptr;
  Check(callbridge_module_read(bytes.data(), bytes.size(), &module), "read");
  return module;
}

std::string Written(const callbridge_module* module, int32_t form) {
  std::string text;
  const auto append = [](void* user, const char* bytes, size_t size) {
    static_cast<std::string*>(user)->append(bytes, size);
  };
  Check(callbridge_module_write(module, form, append, &text), "write");
  return text;
}

class Program {
 public:
  Program(const callbridge_module* module, int threads) {
    Check(
        callbridge_program_compile(module, libraries.data(), libraries.size(), threads, &program_),
        "compile");
  }
  ~Program() { callbridge_program_destroy(program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::string Parameters() const {
    std::string text = "(";
    for (size_t i = 0; i < callbridge_program_parameter_count(program_); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ",", callbridge_program_parameter(program_, i));
    }
    return text + ")";
  }
  std::string Result() const { return callbridge_program_result(program_); }

  // The leaves of the result, one after the other.
  std::string Execute(std::vector<std::string> operands, const std::vector<size_t>& sizes) const {
    std::vector<callbridge_array> in;
    for (std::string& operand : operands) in.push_back({&operand[0], operand.size()});
    std::vector<std::string> results;
    for (size_t size : sizes) results.emplace_back(size, '\x55');
    std::vector<callbridge_array> out;
    for (std::string& result : results) out.push_back({&result[0], result.size()});
    Check(callbridge_program_execute(program_, in.data(), in.size(), out.data(), out.size()),
          "execute");
    std::string all;
    for (const std::string& result : results) all += result;
    return all;
  }

 private:
  callbridge_program* program_ = nullptr;
};

std::string Effects() {
  static const Program* const program = [] {
    return new Program(Read(MakeEffectsModule().SerializeAsString()), 1);
  }();
  return program->Execute({}, {2 * sizeof(uint64_t)});
}

struct Outcome {
  std::string results;
  std::string effects;
};

Outcome Run(const callbridge_module* module, int threads, const RandomModule& made) {
  const xla::ProgramShape shape(made.module.host_program_shape());
  const Program program(module, threads);
  Outcome outcome;
  outcome.results = program.Execute(made.operands, LeafSizes({shape.result()}));
  outcome.effects = Effects();
  return outcome;
}

void CheckSame(const Outcome& expected, const Outcome& found, const std::string& what) {
  if (expected.results == found.results && expected.effects == found.effects) return;
  fprintf(stderr, "%s: %s: other %s\n", at.c_str(), what.c_str(),
          expected.results == found.results ? "effects" : "bits");
  exit(1);
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush()) {
    fprintf(stderr, "cannot write %s\n", path.c_str());
    exit(1);
  }
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fprintf(stderr, "cannot read %s\n", path.c_str());
    exit(1);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

// Writes what XLA needs to run it.
callbridge_module* WriteForms(const std::string& path, const std::string& proto) {
  callbridge_module* module = Read(proto);
  WriteFile(path + ".pb", Written(module, CALLBRIDGE_MODULE_HLO_PROTO));
  WriteFile(path + ".txt", Written(module, CALLBRIDGE_MODULE_HLO_TEXT));
  callbridge_module* upgraded = nullptr;
  Check(callbridge_module_upgrade(module, &upgraded), "upgrade");
  WriteFile(path + ".mlir", Written(upgraded, CALLBRIDGE_MODULE_STABLEHLO_TEXT));
  callbridge_module_destroy(module);
  return upgraded;
}

void Write(const std::string& path, uint64_t seed) {
  const RandomModule made = MakeRandomModule(seed);
  const std::string proto = made.module.SerializeAsString();
  callbridge_module* upgraded = WriteForms(path, proto);
  callbridge_module* module = Read(proto);
  const Outcome outcome = Run(module, 1, made);
  CheckSame(outcome, Run(module, 3, made), "three threads");
  CheckSame(outcome, Run(upgraded, 1, made), "upgraded");
  std::string operands;
  for (const std::string& operand : made.operands) operands += operand;
  const Program program(module, 1);
  WriteFile(path + ".parameters", program.Parameters());
  WriteFile(path + ".result", program.Result());
  WriteFile(path + ".in", operands);
  WriteFile(path + ".out", outcome.results);
  WriteFile(path + ".effects", outcome.effects);
  callbridge_module_destroy(module);
  callbridge_module_destroy(upgraded);
}

void Reread(const std::string& path, uint64_t seed) {
  const RandomModule made = MakeRandomModule(seed);
  const Outcome expected = {ReadFile(path + ".out"), ReadFile(path + ".effects")};
  for (const std::string form : {".txt", ".pb"}) {
    callbridge_module* module = Read(ReadFile(path + ".again" + form));
    CheckSame(expected, Run(module, 1, made), "reread from" + form);
    WriteFile(path + ".text" + form, Written(module, CALLBRIDGE_MODULE_HLO_TEXT));
    callbridge_module_destroy(module);
  }
}

int Main(const std::vector<std::string>& arguments) {
  const std::string& folder = arguments[1];
  for (size_t i = 4; i < arguments.size(); ++i) {
    callbridge_library* library = nullptr;
    Check(callbridge_library_load(arguments[i].c_str(), &library), arguments[i]);
    libraries.push_back(library);
  }
  const uint64_t last = std::stoull(arguments[3]);
  for (uint64_t seed = std::stoull(arguments[2]); seed <= last; ++seed) {
    at = absl::StrCat("seed ", seed);
    const std::string path = absl::StrCat(folder, "/", seed);
    if (arguments[0] == "write") {
      Write(path, seed);
    } else {
      Reread(path, seed);
    }
  }
  if (arguments[0] == "write") {
    callbridge_module_destroy(
        WriteForms(folder + "/effects", MakeEffectsModule().SerializeAsString()));
  }
  return 0;
}

}  // namespace
}  // namespace callbridge

int main(int argc, char** argv) {
  if (argc < 6) {
    fprintf(stderr, "usage: random_modules write|reread FOLDER FIRST LAST LIBRARY...\n");
    return 2;
  }
  return callbridge::Main({argv + 1, argv + argc});
}
