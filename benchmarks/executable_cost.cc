// What a custom call costs in the embedded runtime: a chain of calls in one module. Run as
//   executable_cost --calls LENGTH COUNT
// it executes a chain of LENGTH calls COUNT times and nothing else, for callgrind, and run as
//   executable_cost --direct COUNT
// it calls the target itself; without arguments it is a Google Benchmark program of both.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "callbridge/client/executable.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/xla_builder.h"
#include "callbridge/hlo/xla_computation.h"

extern "C" void measured_target(void* out, const void** in);

namespace callbridge::client {
namespace {

class Chain {
 public:
  explicit Chain(int length) {
    xla::XlaBuilder builder("chain");
    const xla::Shape shape = xla::ShapeUtil::MakeShape(xla::F32, {1});
    const xla::XlaOp other = xla::Parameter(&builder, 0, shape, "other");
    xla::XlaOp value = other;
    for (int i = 0; i < length; ++i) {
      value = xla::CustomCall(&builder, "measured_target", {value, other}, shape);
    }
    auto executable =
        Executable::Compile(builder.Build().value().proto(), TargetTable::OfProcess().value());
    if (!executable.ok()) {
      std::cerr << executable.status() << std::endl;
      exit(1);
    }
    executable_ = *std::move(executable);
  }

  void Run() {
    const callbridge_array parameter = {&in_, sizeof in_};
    const callbridge_array result = {&out_, sizeof out_};
    if (!executable_->Execute({&parameter, 1}, {&result, 1}).ok()) abort();
  }

 private:
  std::unique_ptr<Executable> executable_;
  float in_ = 1;
  float out_ = 0;
};

// One item is one custom call.
void MeasureChain(benchmark::State& state) {
  Chain chain(static_cast<int>(state.range(0)));
  for ([[maybe_unused]] const auto _ : state) chain.Run();
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(MeasureChain)->Name("chain")->Arg(1)->Arg(64)->Arg(512);

class DirectCall {
 public:
  void Run() {
    const void* operands[2] = {&in_, &in_};
    benchmark::DoNotOptimize(operands);
    target_(&out_, operands);
  }

 private:
  void (*volatile target_)(void*, const void**) = &measured_target;
  float in_ = 1;
  float out_ = 0;
};

void MeasureDirectCall(benchmark::State& state) {
  DirectCall call;
  for ([[maybe_unused]] const auto _ : state) call.Run();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(MeasureDirectCall)->Name("direct call");

}  // namespace
}  // namespace callbridge::client

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--calls") {
    callbridge::client::Chain chain(atoi(argv[2]));
    for (int i = atoi(argv[3]); i > 0; --i) chain.Run();
    return 0;
  }
  if (argc == 3 && std::string(argv[1]) == "--direct") {
    callbridge::client::DirectCall call;
    for (int i = atoi(argv[2]); i > 0; --i) call.Run();
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
