// Memory that a fuzzer's input is laid out in: each block is one of the heap's and as large as was
// asked for, so that the address sanitizer sees every read beyond it.
#ifndef CALLBRIDGE_TESTS_FUZZ_HOSTILE_MEMORY_H_
#define CALLBRIDGE_TESTS_FUZZ_HOSTILE_MEMORY_H_

#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace callbridge {

// What the input still has to say. When it has no more, all that is left is as it should be.
class Bytes : public FuzzedDataProvider {
 public:
  using FuzzedDataProvider::FuzzedDataProvider;

  // Whether the next thing is to be other than it should be: one in 16.
  bool Lies() { return ConsumeIntegralInRange<uint8_t>(0, 15) == 15; }

  template <typename T>
  T Any() {
    return ConsumeIntegral<T>();
  }
  // Of a list, its first where the input has no more.
  template <typename T>
  T OneOf(std::initializer_list<T> values) {
    return values.begin()[ConsumeIntegralInRange<size_t>(0, values.size() - 1)];
  }
};

class Memory {
 public:
  // Zeros. A block of no bytes is null.
  void* Block(size_t size) {
    if (size == 0) return nullptr;
    blocks_.push_back(std::make_unique<char[]>(size));
    return blocks_.back().get();
  }
  template <typename T>
  T* Array(size_t count) {
    return static_cast<T*>(Block(count * sizeof(T)));
  }
  template <typename T>
  T* New(const T& value) {
    return static_cast<T*>(memcpy(Block(sizeof(T)), &value, sizeof(T)));
  }
  char* Copy(const std::string& bytes) {
    if (bytes.empty()) return nullptr;
    return static_cast<char*>(memcpy(Block(bytes.size()), bytes.data(), bytes.size()));
  }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_FUZZ_HOSTILE_MEMORY_H_
