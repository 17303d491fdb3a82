// AOT operators of every kind that MindSpore's documentation shows, and some that fail. Compiled
// for both string ABIs, and run under genuine MindSpore too.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "custom_aot_extra.h"

#define PARAMETERS                                                                            \
  int nparam, void **params, int *ndims, int64_t **shapes, const char **dtypes, void *stream, \
      void *extra
#define UNUSED(name) (void)name

static size_t Count(int ndims, const int64_t* shape) {
  size_t count = 1;
  for (int i = 0; i < ndims; ++i) count *= static_cast<size_t>(shape[i]);
  return count;
}

static bool AreFloats(int count, const char** dtypes) {
  for (int i = 0; i < count; ++i) {
    if (strcmp(dtypes[i], "float32") != 0) return false;
  }
  return true;
}

extern "C" {

// (f32[...], f32[...]) -> f32[...]
int Add(PARAMETERS) {
  UNUSED(stream);
  UNUSED(extra);
  if (nparam != 3) return 1;
  if (!AreFloats(3, dtypes)) return 2;
  const float* a = static_cast<float*>(params[0]);
  const float* b = static_cast<float*>(params[1]);
  float* sum = static_cast<float*>(params[2]);
  for (size_t i = 0; i < Count(ndims[2], shapes[2]); ++i) sum[i] = a[i] + b[i];
  return 0;
}

// (f32[n], f32[n]) -> (f32[n], f32[n], f32[n])
int AddMulDiv(PARAMETERS) {
  UNUSED(stream);
  UNUSED(extra);
  if (nparam != 5) return 1;
  if (!AreFloats(5, dtypes)) return 2;
  float* tensors[5];
  for (int i = 0; i < 5; ++i) tensors[i] = static_cast<float*>(params[i]);
  for (size_t i = 0; i < Count(ndims[2], shapes[2]); ++i) {
    tensors[2][i] = tensors[0][i] + tensors[1][i];
    tensors[3][i] = tensors[0][i] * tensors[1][i];
    tensors[4][i] = tensors[0][i] / tensors[1][i];
  }
  return 0;
}
std::vector<std::vector<int64_t>> AddMulDivInferShape(int* ndims, int64_t** shapes, AotExtra*) {
  const std::vector<int64_t> shape(shapes[0], shapes[0] + ndims[0]);
  return {shape, shape, shape};
}

// (f32[m,n], f32[m,n]) -> f32 of the sum along `axis`; the operands' sum is in a workspace. `axis`
// and `keep_dim` are attributes.
namespace {
struct Axis : AotKernelData {
  int64_t axis;
  bool keep_dim;
};
std::atomic<int> reduce_inits{0};
}  // namespace
int AddReduceInit(int* ndims, int64_t** shapes, const char** dtypes, AotExtra* extra) {
  UNUSED(dtypes);
  ++reduce_inits;
  extra->SetWorkSpace({Count(ndims[0], shapes[0]) * sizeof(float)});
  auto* data = new Axis;
  data->axis = extra->Attr<int64_t>("axis");
  data->keep_dim = extra->Attr<bool>("keep_dim");
  extra->SetKernelData(data);
  return 0;
}
std::vector<int64_t> AddReduceInferShape(int* ndims, int64_t** shapes, AotExtra* extra) {
  if (ndims[0] == 1 && shapes[0][0] == -2) return {-2};
  const int64_t axis = extra->Attr<int64_t>("axis");
  std::vector<int64_t> shape(shapes[0], shapes[0] + ndims[0]);
  if (extra->Attr<bool>("keep_dim")) {
    shape[static_cast<size_t>(axis)] = 1;
  } else {
    shape.erase(shape.begin() + axis);
  }
  return shape;
}
int AddReduce(PARAMETERS) {
  UNUSED(dtypes);
  UNUSED(stream);
  UNUSED(ndims);
  if (nparam != 4) return 1;
  const int64_t rows = shapes[0][0], columns = shapes[0][1];
  const float* a = static_cast<float*>(params[0]);
  const float* b = static_cast<float*>(params[1]);
  float* out = static_cast<float*>(params[2]);
  float* sum = static_cast<float*>(params[3]);
  for (int64_t i = 0; i < rows * columns; ++i) sum[i] = a[i] + b[i];
  const auto* data = static_cast<const Axis*>(static_cast<AotExtra*>(extra)->KernelData());
  const bool by_columns = data->axis == 0;
  for (int64_t i = 0; i < (by_columns ? columns : rows); ++i) {
    out[i] = 0;
    for (int64_t j = 0; j < (by_columns ? rows : columns); ++j) {
      out[i] += sum[by_columns ? j * columns + i : i * columns + j];
    }
  }
  return 0;
}
// -> s64[1]: how often AddReduceInit ran.
int ReduceInits(PARAMETERS) {
  UNUSED(nparam);
  UNUSED(ndims);
  UNUSED(shapes);
  UNUSED(dtypes);
  UNUSED(stream);
  UNUSED(extra);
  *static_cast<int64_t*>(params[0]) = reduce_inits;
  return 0;
}

// -> f64[8]: a number of each of eight attributes, one of each type.
int Attributes(PARAMETERS) {
  UNUSED(nparam);
  UNUSED(ndims);
  UNUSED(shapes);
  UNUSED(dtypes);
  UNUSED(stream);
  AotExtra& site = *static_cast<AotExtra*>(extra);
  double* out = static_cast<double*>(params[0]);
  out[0] = site.Attr<bool>("bool") ? 1 : 0;
  out[1] = static_cast<double>(site.Attr<int64_t>("int"));
  out[2] = site.Attr<float>("float");
  const std::string text = site.Attr<std::string>("string");
  out[3] = static_cast<double>(text.size() * 1000 + static_cast<unsigned char>(text.back()));
  out[4] = static_cast<double>(site.Attr<std::vector<int64_t>>("ints").at(1));
  out[5] = site.Attr<std::vector<float>>("floats").at(1);
  out[6] =
      static_cast<double>(site.Attr<std::vector<std::vector<int64_t>>>("int lists").at(1).at(1));
  out[7] = site.Attr<std::vector<std::vector<float>>>("float lists").at(1).at(0);
  return site.HasAttr("none") || !site.HasAttr("bool") ? 3 : 0;
}

// Fails as the attribute "way" says.
int Fails(PARAMETERS) {
  UNUSED(nparam);
  UNUSED(params);
  UNUSED(ndims);
  UNUSED(shapes);
  UNUSED(dtypes);
  UNUSED(stream);
  const std::string way = static_cast<AotExtra*>(extra)->Attr<std::string>("way");
  if (way == "code") return 77;
  if (way == "exception") throw std::runtime_error("no licence");
  if (way == "int") throw 5;
  if (way == "type") return static_cast<AotExtra*>(extra)->Attr<bool>("way") ? 1 : 0;
  if (way == "missing") return static_cast<AotExtra*>(extra)->Attr<bool>("none") ? 1 : 0;
  return 0;
}

// The first FInit fails as the attribute "way" says, the next succeeds.
namespace {
std::atomic<int> flaky_inits{0};
std::atomic<int> living{0};
struct Counted : AotKernelData {
  Counted() { ++living; }
  ~Counted() override { --living; }
};
}  // namespace
int FlakyInit(int* ndims, int64_t** shapes, const char** dtypes, AotExtra* extra) {
  UNUSED(ndims);
  UNUSED(shapes);
  UNUSED(dtypes);
  extra->SetKernelData(new Counted);
  if (flaky_inits++ % 2 == 1) return 0;
  const std::string way = extra->Attr<std::string>("way");
  if (way == "exception") throw std::runtime_error("no licence");
  if (way == "workspace") {
    // Of -1, as dimensions that are not known are.
    extra->SetWorkSpace({static_cast<size_t>(-4) * 4});
    return 0;
  }
  if (way == "memory") {
    extra->SetWorkSpace({size_t{1} << 62});
    return 0;
  }
  return 78;
}
// -> s64[1]: how many objects of FlakyInit's live.
int Flaky(PARAMETERS) {
  UNUSED(nparam);
  UNUSED(ndims);
  UNUSED(shapes);
  UNUSED(dtypes);
  UNUSED(stream);
  UNUSED(extra);
  *static_cast<int64_t*>(params[0]) = living;
  return 0;
}

// Writes what it is told of its parameters, one line each, into its last output, u8[n].
int Describe(PARAMETERS) {
  AotExtra& site = *static_cast<AotExtra*>(extra);
  const int workspaces = static_cast<int>(site.WorkSpace().size());
  const int tensors = nparam - workspaces;
  std::string text = std::to_string(tensors) + "+" + std::to_string(workspaces);
  text += stream == nullptr ? " no stream\n" : " stream\n";
  for (int i = 0; i < tensors; ++i) {
    text += dtypes[i];
    for (int j = 0; j < ndims[i]; ++j) text += " " + std::to_string(shapes[i][j]);
    text += "\n";
  }
  for (int i = tensors; i < nparam; ++i) {
    // What MindSpore has in the other lists there is not to be read.
    text += params[i] != nullptr ? "workspace\n" : "null\n";
    if (params[i] == nullptr) continue;
    memset(params[i], 7, site.WorkSpace()[static_cast<size_t>(i - tensors)]);
  }
  char* out = static_cast<char*>(params[tensors - 1]);
  const size_t size = Count(ndims[tensors - 1], shapes[tensors - 1]);
  memset(out, 0, size);
  for (size_t i = 0; i < size && i < text.size(); ++i) out[i] = text[i];
  return 0;
}
int DescribeInit(int* ndims, int64_t** shapes, const char** dtypes, AotExtra* extra) {
  UNUSED(ndims);
  UNUSED(shapes);
  UNUSED(dtypes);
  std::vector<size_t> sizes;
  for (int64_t size : extra->Attr<std::vector<int64_t>>("workspaces")) {
    sizes.push_back(static_cast<size_t>(size));
  }
  extra->SetWorkSpace(sizes);
  return 0;
}
// () -> s32[2], how often Init and the operator itself have been called, this call included.
namespace {
std::atomic<int> counted_inits{0}, counted_calls{0};
}  // namespace
int CountsInit(int* ndims, int64_t** shapes, const char** dtypes, AotExtra* extra) {
  UNUSED(ndims);
  UNUSED(shapes);
  UNUSED(dtypes);
  UNUSED(extra);
  ++counted_inits;
  return 0;
}
int Counts(PARAMETERS) {
  UNUSED(dtypes);
  UNUSED(stream);
  UNUSED(ndims);
  UNUSED(shapes);
  UNUSED(extra);
  auto* out = static_cast<int32_t*>(params[nparam - 1]);
  out[0] = counted_inits;
  out[1] = ++counted_calls;
  return 0;
}

// () -> u32[1 + n]: the bits of the attributes single, a float, and singles, n floats.
int FloatBits(PARAMETERS) {
  UNUSED(ndims);
  UNUSED(shapes);
  UNUSED(dtypes);
  UNUSED(stream);
  auto* attributes = static_cast<AotExtra*>(extra);
  const auto single = attributes->Attr<float>("single");
  const auto singles = attributes->Attr<std::vector<float>>("singles");
  auto* bits = static_cast<uint32_t*>(params[nparam - 1]);
  memcpy(bits, &single, sizeof(single));
  memcpy(bits + 1, singles.data(), singles.size() * sizeof(float));
  return 0;
}

// Functions that return what they should not: a list of shapes for one output, no vector, and a
// vector of other numbers, of an odd number of bytes.
std::vector<std::vector<int64_t>> ListsInferShape(int* ndims, int64_t** shapes, AotExtra*) {
  const std::vector<int64_t> shape(shapes[0], shapes[0] + ndims[0]);
  return {shape, {}, shape};
}
void NothingInferShape(int*, int64_t**, AotExtra*) {}
struct VectorOfHalves {  // as a std::vector<int32_t> of three, whose memory nobody owns
  const int32_t* begin;
  const int32_t* end;
  const int32_t* capacity;
};
VectorOfHalves HalvesInferShape(int*, int64_t**, AotExtra*) {
  static const int32_t halves[3] = {2, 3, 4};
  return {halves, halves + 3, halves + 3};
}
int Lists(PARAMETERS) { return Describe(nparam, params, ndims, shapes, dtypes, stream, extra); }
int Nothing(PARAMETERS) { return Lists(nparam, params, ndims, shapes, dtypes, stream, extra); }
int Halves(PARAMETERS) { return Lists(nparam, params, ndims, shapes, dtypes, stream, extra); }

// As the attribute "shape" says.
std::vector<int64_t> DescribeInferShape(int* ndims, int64_t** shapes, AotExtra* extra) {
  UNUSED(ndims);
  UNUSED(shapes);
  return extra->Attr<std::vector<int64_t>>("shape");
}

}  // extern "C"
