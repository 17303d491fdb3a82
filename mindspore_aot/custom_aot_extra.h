// AotExtra and AotKernelData: what MindSpore hands to the functions of an AOT custom operator, for
// operators that are compiled without a MindSpore tree. A library compiled with this header runs
// under MindSpore 2.10 and under callbridge.
//
//   extern "C" int Add(int nparam, void** params, int* ndims, int64_t** shapes,
//                      const char** dtypes, void* stream, void* extra);
//   extern "C" int AddInit(int* ndims, int64_t** shapes, const char** dtypes, AotExtra* extra);
//   extern "C" std::vector<int64_t> AddInferShape(int* ndims, int64_t** shapes, AotExtra* extra);
//
// The layout is MindSpore's and frozen: libraries have it compiled in. Which std::string a library
// was compiled for decides which functions it calls: MindSpore takes -D_GLIBCXX_USE_CXX11_ABI=0
// alone, callbridge both.
//
// C++11. Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_MINDSPORE_AOT_CUSTOM_AOT_EXTRA_H_
#define CALLBRIDGE_MINDSPORE_AOT_CUSTOM_AOT_EXTRA_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// The base of what an operator keeps from its Init to its calls. Deleted with the call site.
class AotKernelData {
 public:
  AotKernelData() = default;
  virtual ~AotKernelData() = default;
};

// One call site of an operator. The framework makes it; it must not be copied or deleted.
class AotExtra {
 public:
  AotExtra() = default;
  virtual ~AotExtra() = default;

  // Whether the call site has an attribute of that name, of whatever type.
  virtual bool HasAttr(std::string name) = 0;

  // Returns the attribute `name`. T is bool, int64_t, float, std::string, or a std::vector of
  // int64_t or float, or of such vectors. Throws a std::exception if the call site has no such
  // attribute, or one of another type.
  template <typename T>
  T Attr(std::string name) {
    return Get(name, static_cast<T*>(nullptr));
  }

  // The sizes, in bytes, of memory that each call gets behind its outputs, uninitialised. Set by
  // Init.
  void SetWorkSpace(const std::vector<size_t>& sizes) { workspace_ = sizes; }
  const std::vector<size_t>& WorkSpace() const { return workspace_; }

  // What Init keeps for the calls; owned by the call site from then on. Calls may run on several
  // threads at a time, so they must not change it.
  void SetKernelData(AotKernelData* data) { kernel_data_ = data; }
  AotKernelData* KernelData() const { return kernel_data_; }
  void DestructKernelData() {
    delete kernel_data_;
    kernel_data_ = nullptr;
  }

 private:
  // In the order of MindSpore's table of virtual functions.
  virtual bool GetBool(std::string name) = 0;
  virtual int64_t GetInt(std::string name) = 0;
  virtual float GetFloat(std::string name) = 0;
  virtual std::string GetString(std::string name) = 0;
  virtual std::vector<int64_t> GetInts(std::string name) = 0;
  virtual std::vector<float> GetFloats(std::string name) = 0;
  virtual std::vector<std::vector<int64_t>> GetIntLists(std::string name) = 0;
  virtual std::vector<std::vector<float>> GetFloatLists(std::string name) = 0;

  bool Get(const std::string& name, bool*) { return GetBool(name); }
  int64_t Get(const std::string& name, int64_t*) { return GetInt(name); }
  float Get(const std::string& name, float*) { return GetFloat(name); }
  std::string Get(const std::string& name, std::string*) { return GetString(name); }
  std::vector<int64_t> Get(const std::string& name, std::vector<int64_t>*) { return GetInts(name); }
  std::vector<float> Get(const std::string& name, std::vector<float>*) { return GetFloats(name); }
  std::vector<std::vector<int64_t>> Get(const std::string& name,
                                        std::vector<std::vector<int64_t>>*) {
    return GetIntLists(name);
  }
  std::vector<std::vector<float>> Get(const std::string& name, std::vector<std::vector<float>>*) {
    return GetFloatLists(name);
  }

  std::vector<size_t> workspace_;
  AotKernelData* kernel_data_ = nullptr;
};

static_assert(sizeof(void*) == 8 && sizeof(std::vector<size_t>) == 24 && sizeof(AotExtra) == 40 &&
                  sizeof(AotKernelData) == 8,
              "AotExtra is not laid out as MindSpore has it");

#endif  // CALLBRIDGE_MINDSPORE_AOT_CUSTOM_AOT_EXTRA_H_
