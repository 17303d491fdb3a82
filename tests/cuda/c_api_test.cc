// Calls on a CUDA device by the C and C++ API.
#include <array>
#include <cstdint>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cuda/gpu_calls.h"
#include "tests/cuda/test_driver.h"

namespace callbridge {
namespace {

using cuda::InProcess;
using cuda::IsSystemDriver;
using cuda::Ledger;
using cuda::OpenTestDriver;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

TEST(DeviceCallTest, RunsOnMemoryOfTheDevice) {
  const Ledger ledger;
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    for (const char* name : {"gpu_add", "gpu_typed_add"}) {
      constexpr size_t kCount = 1000;
      const Floats a = Numbers(kCount, 1), b = Numbers(kCount, -3);
      const DeviceArray in[] = {CopyOf(device, a), CopyOf(device, b)};
      const DeviceArray out = DeviceArray::Allocate(device, 4 * kCount).value();
      Site site = AddSite(kCount);
      if (name == std::string("gpu_typed_add")) site.opaque.clear();
      for (bool synchronizes : {false, true}) {
        const Call call = Call::Bind(GpuTarget(name), site, OnDevice(device, synchronizes)).value();
        void* operands[] = {in[0].data(), in[1].data()};
        void* results[] = {out.data()};
        EXPECT_EQ(TextOf(call.Execute(operands, results, OnDevice(device, synchronizes))), "OK");
        EXPECT_EQ(FloatsOf(out), Sums(a, b));
      }
    }
  });
  EXPECT_THAT(ledger.Read(), testing::Not(HasSubstr("device memory")));
  EXPECT_THAT(ledger.Read(), testing::Not(HasSubstr("stream")));
}

// The copies, the calls and the copies back are each enqueued before those before them are done.
TEST(DeviceCallTest, KeepsTheOrderOfAStreamThatIsLate) {
  InProcess([] {
    cuda::SetForDriver("CALLBRIDGE_STANDIN_DELAY_US", "500");
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    const Floats a = Numbers(64, 1);
    DeviceArray x = CopyOf(device, a);
    const Call call = Call::Bind(GpuTarget("gpu_add"), AddSite(64), OnDevice(device)).value();
    Floats expected = a;
    for (int i = 0; i < 10; ++i) {
      DeviceArray sum = DeviceArray::Allocate(device, x.size_bytes()).value();
      void* operands[] = {x.data(), x.data()};
      void* results[] = {sum.data()};
      EXPECT_EQ(TextOf(call.Execute(operands, results, OnDevice(device))), "OK");
      x = std::move(sum);
      expected = Sums(expected, expected);
    }
    EXPECT_EQ(FloatsOf(x), expected);
  });
}

TEST(DeviceCallTest, StartsToo) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    for (bool synchronizes : {false, true}) {
      const DeviceArray out = DeviceArray::Allocate(device, size_t{4} * 5).value();
      const Attributes attributes = Integers({{"bytes", 4 * 5}, {"alignment", 256}});
      Site site;
      site.result = "s32[5]";
      site.attributes = &attributes;
      const Call call = Call::Bind(GpuTarget("gpu_ordinal"), site, OnDevice(device)).value();
      void* results[] = {out.data()};
      const callbridge::Run run = call.Start({}, results, OnDevice(device, synchronizes)).value();
      EXPECT_EQ(TextOf(run.Wait()), "OK");
      std::array<int32_t, 5> ordinals;
      ordinals.fill(-1);
      EXPECT_EQ(TextOf(out.CopyTo(ordinals.data())), "OK");
      EXPECT_THAT(ordinals, Each(0));
    }
  });
}

TEST(DeviceCallTest, TakesArraysOfTheHost) {
  const Ledger ledger;
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    const Floats a = Numbers(7, 1), b = Numbers(7, 9);
    Floats c(7, -1);
    const Array operands[] = {{const_cast<float*>(a.data()), 28},
                              {const_cast<float*>(b.data()), 28}};
    const Array results[] = {{c.data(), 28}};
    EXPECT_EQ(
        TextOf(Execute(GpuTarget("gpu_add"), AddSite(7), operands, results, OnDevice(device))),
        "OK");
    EXPECT_EQ(c, Sums(a, b));
    const Array too_short[] = {{c.data(), 24}};
    EXPECT_THAT(
        TextOf(Execute(GpuTarget("gpu_add"), AddSite(7), operands, too_short, OnDevice(device))),
        StartsWith("INVALID_ARGUMENT: result 0"));
  });
  EXPECT_THAT(ledger.Read(), testing::Not(HasSubstr("device memory")));
}

TEST(DeviceCallTest, PassesTuplesAsLeavesAndTokensAsNull) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    Floats a = Numbers(3, 1), b = Numbers(3, 9), first(3), second(3);
    Site site;
    site.operands = {"f32[3]", "token[]", "(f32[3],f32[0])"};
    site.result = "(f32[3],(f32[3]))";
    site.opaque = "3";
    const Array operands[] = {{a.data(), 12}, {nullptr, 0}, {b.data(), 12}, {nullptr, 0}};
    const Array results[] = {{first.data(), 12}, {second.data(), 12}};
    EXPECT_EQ(TextOf(Execute(GpuTarget("gpu_swap"), site, operands, results, OnDevice(device))),
              "OK");
    EXPECT_EQ(first, b);
    EXPECT_EQ(second, a);
  });
}

TEST(DeviceCallTest, OneArrayOfTheHostIsOneOnTheDevice) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    Floats x = Numbers(5, 1);
    const Floats before = x;
    Site site = AddSite(5);
    site.operands.pop_back();
    const Array array[] = {{x.data(), 20}};
    EXPECT_EQ(
        TextOf(Execute(GpuTarget("gpu_double_in_place"), site, array, array, OnDevice(device))),
        "OK");
    EXPECT_EQ(x, Sums(before, before));
  });
}

TEST(DeviceCallTest, TargetsFailAsTheySay) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    Site site;
    site.opaque = "no such weather";
    for (bool synchronizes : {false, true}) {
      const Call call = Call::Bind(GpuTarget("gpu_fail"), site, OnDevice(device)).value();
      EXPECT_EQ(TextOf(call.Execute({}, {}, OnDevice(device, synchronizes))),
                "INTERNAL: CustomCall failed: no such weather");
    }
    // The kernel needs a number; std::stoul throws.
    EXPECT_THAT(
        TextOf(Call::Bind(GpuTarget("gpu_add"),
                          [] {
                            Site no_number = AddSite(1);
                            no_number.opaque = "x";
                            return no_number;
                          }())
                   .value()
                   .Execute(std::vector<void*>(2), std::vector<void*>(1), OnDevice(device))),
        StartsWith("INTERNAL: CustomCall failed: "));
  });
}

// ---- Scratch memory and the device ordinal

std::string CallOrdinal(const Device& device, int64_t bytes, int64_t alignment,
                        std::array<int32_t, 4>& ordinals) {
  const Attributes attributes = Integers({{"bytes", bytes}, {"alignment", alignment}});
  Site site;
  site.result = "s32[4]";
  site.attributes = &attributes;
  const Array results[] = {{ordinals.data(), sizeof(ordinals)}};
  return TextOf(Execute(GpuTarget("gpu_ordinal"), site, {}, results, OnDevice(device)));
}

TEST(DeviceCallTest, HandlersGetTheirDevice) {
  const Ledger ledger;
  InProcess([] {
    OpenTestDriver();
    for (int32_t ordinal : {0, 1}) {
      Result<Device> device = Device::Open(ordinal);
      if (ordinal == 1 && !device.ok()) continue;  // a machine with one device
      std::array<int32_t, 4> ordinals = {-1, -1, -1, -1};
      EXPECT_EQ(CallOrdinal(*device, 16, 256, ordinals), "OK");
      EXPECT_THAT(ordinals, Each(ordinal));
    }
  });
  EXPECT_THAT(ledger.Read(), testing::Not(HasSubstr("device memory")));
}

TEST(DeviceCallTest, ScratchMemoryThatCannotBeHadSaysWhy) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    std::array<int32_t, 4> ordinals;
    // XLA's headers drop the reason; the handler then fails by its own word.
    EXPECT_THAT(CallOrdinal(device, int64_t{1} << 50, 256, ordinals),
                HasSubstr("no scratch memory"));
    EXPECT_THAT(CallOrdinal(device, 16, 512, ordinals), HasSubstr("no scratch memory"));
    EXPECT_EQ(CallOrdinal(device, 16, 1, ordinals), "OK") << "and the next call is none the worse";
  });
}

// ---- What is checked with `synchronizes`

TEST(SynchronizedCallTest, AHostPointerIsRefusedByName) {
  InProcess([] {
    OpenTestDriver();
    if (IsSystemDriver()) return;  // whose device may use the host's memory
    const Device device = Device::Open(0).value();
    const Call call = Call::Bind(GpuTarget("gpu_add"), AddSite(2)).value();
    const DeviceArray array = CopyOf(device, {1, 2});
    Floats on_host = {1, 2};
    void* operands[] = {array.data(), on_host.data()};
    void* results[] = {array.data()};
    EXPECT_THAT(TextOf(call.Execute(operands, results, OnDevice(device, true))),
                StartsWith("INVALID_ARGUMENT: operand 1: expected memory of CUDA device 0"));
    void* device_operands[] = {array.data(), array.data()};
    void* host_results[] = {on_host.data()};
    EXPECT_THAT(TextOf(call.Execute(device_operands, host_results, OnDevice(device, true))),
                StartsWith("INVALID_ARGUMENT: result 0: "));
    EXPECT_THAT(TextOf(ToResult(callbridge_device_check_pointer(device.get(), &on_host))),
                StartsWith("INVALID_ARGUMENT: data: "));
    EXPECT_EQ(on_host, Floats({1, 2}));
  });
}

TEST(SynchronizedCallTest, AStreamOfAnotherDeviceIsRefused) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    const Result<Device> other = Device::Open(1);
    if (!other.ok()) return;  // a machine with one device
    Context context = OnDevice(device, true);
    context.stream = other->stream();
    const Call call = Call::Bind(GpuTarget("gpu_fail"), Site()).value();
    EXPECT_EQ(
        TextOf(call.Execute({}, {}, context)),
        "INVALID_ARGUMENT: expected a stream of CUDA device 0, but the stream is of device 1");
    EXPECT_THAT(
        TextOf(ToResult(callbridge_device_synchronize_stream(device.get(), other->stream()))),
        StartsWith("INVALID_ARGUMENT: expected a stream of CUDA device 0"));
    EXPECT_EQ(
        TextOf(ToResult(callbridge_device_check_stream(device.get(), other->stream()))),
        "INVALID_ARGUMENT: expected a stream of CUDA device 0, but the stream is of device 1");
    for (void* stream : {static_cast<void*>(nullptr), device.stream()}) {
      EXPECT_EQ(TextOf(ToResult(callbridge_device_check_stream(device.get(), stream))), "OK");
    }
  });
}

TEST(SynchronizedCallTest, AFaultReachesTheCallThatCausedIt) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    const Call add = Call::Bind(GpuTarget("gpu_add"), AddSite(2)).value();
    const Call fault = Call::Bind(GpuTarget("gpu_fault"), Site()).value();
    const DeviceArray array = CopyOf(device, {1, 2});
    void* operands[] = {array.data(), array.data()};
    void* results[] = {array.data()};
    EXPECT_EQ(TextOf(add.Execute(operands, results, OnDevice(device, true))), "OK");
    EXPECT_THAT(TextOf(fault.Execute({}, {}, OnDevice(device, true))),
                AllOf(StartsWith("INTERNAL: what this call enqueued on the CUDA stream failed: "
                                 "cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS"),
                      HasSubstr("The CUDA context is lost"), HasSubstr("restart the process")));
    // All later calls fail, and say why.
    void* again[] = {array.data(), array.data()};
    void* result[] = {array.data()};
    EXPECT_THAT(TextOf(add.Execute(again, result, OnDevice(device, true))),
                HasSubstr("restart the process"));
    EXPECT_THAT(TextOf(array.CopyTo(operands)), HasSubstr("restart the process"));
  });
}

TEST(SynchronizedCallTest, WithoutItAFaultComesLater) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    const Call fault = Call::Bind(GpuTarget("gpu_typed_fault"), Site()).value();
    EXPECT_EQ(TextOf(fault.Execute({}, {}, OnDevice(device))), "OK");
    EXPECT_THAT(TextOf(device.Synchronize()),
                AllOf(HasSubstr("cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS"),
                      HasSubstr("The CUDA context is lost")));
  });
}

TEST(SynchronizedCallTest, AFaultBeforeTheCallIsNotItsOwn) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    EXPECT_EQ(TextOf(Call::Bind(GpuTarget("gpu_fault"), Site())->Execute({}, {}, OnDevice(device))),
              "OK");
    EXPECT_THAT(
        TextOf(Call::Bind(GpuTarget("gpu_fail"), Site())->Execute({}, {}, OnDevice(device, true))),
        HasSubstr("what was enqueued on the CUDA stream before this call failed: "));
  });
}

TEST(SynchronizedCallTest, AStartedRunSynchronizesToo) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    const Call fault = Call::Bind(GpuTarget("gpu_typed_fault"), Site()).value();
    const callbridge::Run run = fault.Start({}, {}, OnDevice(device, true)).value();
    EXPECT_THAT(TextOf(run.Wait()), HasSubstr("what this call enqueued on the CUDA stream failed"));
  });
}

// ---- Wrong uses

TEST(DeviceCallTest, RefusesTargetsForTheHost) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    Target target = GpuTarget("gpu_fail");
    target.platform = "Host";
    target.api_version = CALLBRIDGE_API_VERSION_ORIGINAL;
    EXPECT_THAT(TextOf([&]() -> Result<void> {
                  Result<Call> call = Call::Bind(target, Site(), OnDevice(device));
                  if (!call) return std::move(call).error();
                  return {};
                }()),
                AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("is for Host")));
    const Call call = Call::Bind(target, Site()).value();
    EXPECT_THAT(TextOf(call.Execute({}, {}, OnDevice(device))),
                HasSubstr("the call's target is not for CUDA"));
    Context both = OnDevice(device);
    both.as_xla_cpu = true;
    const Result<callbridge::Run> run =
        Call::Bind(GpuTarget("gpu_fail"), Site())->Start({}, {}, both);
    ASSERT_FALSE(run.ok());
    EXPECT_THAT(run.error().ToString(), HasSubstr("as_xla_cpu"));
  });
}

TEST(DeviceCallTest, WithoutADeviceSaysWhatWasLookedFor) {
  InProcess([] {
    OpenTestDriver();
    const Result<Device> device = Device::Open(1000);
    ASSERT_FALSE(device.ok());
    EXPECT_THAT(device.error().ToString(),
                StartsWith("UNAVAILABLE: there is no CUDA device 1000: this process sees "));
  });
}

TEST(DeviceCallTest, AForkedProcessGetsAnErrorAndDoesNotHang) {
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    const Call call = Call::Bind(GpuTarget("gpu_fail"), Site()).value();
    EXPECT_EQ(InChild([&] {
                EXPECT_THAT(TextOf(call.Execute({}, {}, OnDevice(device))),
                            AllOf(StartsWith("FAILED_PRECONDITION: "), HasSubstr("fork")));
                EXPECT_FALSE(DeviceArray::Allocate(device, 8).ok());
                return testing::Test::HasFailure() ? 1 : 0;
              }),
              0);
  });
}

TEST(DeviceCallTest, ThreadsShareADevice) {
  const Ledger ledger;
  InProcess([] {
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    const Call call = Call::Bind(GpuTarget("gpu_add"), AddSite(33), OnDevice(device)).value();
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int j = 0; j < 20; ++j) {
          Floats a = Numbers(33, static_cast<float>(i)), b = Numbers(33, static_cast<float>(j));
          Floats c(33);
          const Array operands[] = {{a.data(), 132}, {b.data(), 132}};
          const Array results[] = {{c.data(), 132}};
          const callbridge_execution_context context = OnDevice(device, j % 2 == 0).ToC();
          EXPECT_EQ(TextOf(ToResult(callbridge_call_execute_with_copies(call.get(), operands, 2,
                                                                        results, 1, &context))),
                    "OK");
          EXPECT_EQ(c, Sums(a, b));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_THAT(ledger.Read(), testing::Not(HasSubstr("device memory")));
}

TEST(DeviceCallTest, OutOfMemoryIsResourceExhausted) {
  const Ledger ledger;
  InProcess([] {
    cuda::SetForDriver("CALLBRIDGE_STANDIN_MEMORY", "16777216");
    OpenTestDriver();
    const Device device = Device::Open(0).value();
    const size_t bytes = IsSystemDriver() ? size_t{1} << 50 : size_t{12} << 20;
    if (IsSystemDriver()) {
      EXPECT_THAT(DeviceArray::Allocate(device, bytes).error().ToString(),
                  StartsWith("RESOURCE_EXHAUSTED: "));
      return;
    }
    Floats x(bytes / 4), y(bytes / 4);
    const Array operands[] = {{x.data(), bytes}, {y.data(), bytes}};
    EXPECT_THAT(TextOf(Execute(GpuTarget("gpu_add"), AddSite(x.size()), operands, {operands, 1},
                               OnDevice(device))),
                AllOf(StartsWith("RESOURCE_EXHAUSTED: no 12582912 bytes on CUDA device 0: "),
                      HasSubstr("CUDA_ERROR_OUT_OF_MEMORY")));
  });
  EXPECT_THAT(ledger.Read(), testing::Not(HasSubstr("device memory")));
}

}  // namespace
}  // namespace callbridge
