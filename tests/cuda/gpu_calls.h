// Calls of tests/targets/gpu_targets.cc on a device, by callbridge.hpp.
#ifndef CALLBRIDGE_TESTS_CUDA_GPU_CALLS_H_
#define CALLBRIDGE_TESTS_CUDA_GPU_CALLS_H_

#include <string>
#include <utility>
#include <vector>

#include "callbridge/callbridge.hpp"
#include "gtest/gtest.h"
#include "tests/cuda/test_driver.h"

namespace callbridge {

inline Target GpuTarget(const std::string& name) {
  static auto& library = *new Library(Library::Load(GPU_TARGETS).value());
  return library.Find(name, "CUDA").value();
}

inline std::string TextOf(const Result<void>& result) {
  return result.ok() ? "OK" : result.error().ToString();
}

inline Site AddSite(size_t count) {
  const std::string shape = "f32[" + std::to_string(count) + "]";
  Site site;
  site.operands = {shape, shape};
  site.result = shape;
  site.opaque = std::to_string(count);
  return site;
}

inline Context OnDevice(const Device& device, bool synchronizes = false) {
  Context context;
  context.device = device.get();
  context.synchronizes = synchronizes;
  return context;
}

using Floats = std::vector<float>;

inline Floats Numbers(size_t count, float first) {
  Floats numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = first + 0.5F * static_cast<float>(i);
  return numbers;
}
inline Floats Sums(const Floats& a, const Floats& b) {
  Floats sums(a.size());
  for (size_t i = 0; i < a.size(); ++i) sums[i] = a[i] + b[i];
  return sums;
}

inline DeviceArray CopyOf(const Device& device, const Floats& data) {
  return DeviceArray::CopyOf(device, data.data(), sizeof(float) * data.size()).value();
}
inline Floats FloatsOf(const DeviceArray& array) {
  Floats data(array.size_bytes() / sizeof(float));
  array.CopyTo(data.data()).value();
  return data;
}

// A dictionary of s64.
inline Attributes Integers(const std::vector<std::pair<std::string, int64_t>>& values) {
  Attributes attributes = Attributes::Create().value();
  for (const auto& [name, value] : values) attributes.Set(name, value).value();
  return attributes;
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_CUDA_GPU_CALLS_H_
