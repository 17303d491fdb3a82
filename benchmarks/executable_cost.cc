// What a custom call costs in the embedded runtime: a chain of calls in one module. Run as
//   executable_cost --calls LENGTH COUNT
// it executes a chain of LENGTH calls COUNT times and nothing else, for callgrind; without
// arguments it is a Google Benchmark program, with the direct call beside it.
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
  for (auto _ : state) chain.Run();
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(MeasureChain)->Name("chain")->Arg(1)->Arg(64)->Arg(512);

void MeasureDirectCall(benchmark::State& state) {
  void (*volatile target)(void*, const void**) = &measured_target;
  float in = 1;
  float out = 0;
  for (auto _ : state) {
    const void* operands[2] = {&in, &in};
    benchmark::DoNotOptimize(operands);
    target(&out, operands);
  }
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
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
