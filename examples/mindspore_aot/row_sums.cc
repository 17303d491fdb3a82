// An AOT operator of MindSpore: (f32[m,n]) -> f32[m], each row's sum, times the attribute "scale".
//
// It runs under MindSpore, and through callbridge without it:
//   callbridge run row_sums.cc:RowSums x.npy --attribute scale=0.5:f32
#include <cstdint>
#include <cstring>
#include <vector>

#include "custom_aot_extra.h"

// What Init keeps for the calls.
struct RowSumsData : AotKernelData {
  float scale;
};

// Called once for a call site: reads attributes, asks for workspaces.
extern "C" int RowSumsInit(int*, int64_t** shapes, const char**, AotExtra* extra) {
  auto* data = new RowSumsData;
  data->scale = extra->Attr<float>("scale");
  extra->SetKernelData(data);
  const size_t columns = static_cast<size_t>(shapes[0][1]);
  extra->SetWorkSpace({columns * sizeof(double)});
  return 0;
}

// Says what it returns. A size that is not known yet is -1, a rank that is not known {-2}.
extern "C" std::vector<int64_t> RowSumsInferShape(int*, int64_t** shapes, AotExtra*) {
  return {shapes[0][0]};
}

// Parameters are the inputs, the outputs, then the workspaces. Returns 0, or a number of its own.
extern "C" int RowSums(int nparam, void** params, int* ndims, int64_t** shapes, const char** dtypes,
                       void*, void* extra) {
  if (nparam != 3 || ndims[0] != 2) return 1;
  if (std::strcmp(dtypes[0], "float32") != 0 || std::strcmp(dtypes[1], "float32") != 0) return 2;
  const auto* data = static_cast<const RowSumsData*>(static_cast<AotExtra*>(extra)->KernelData());
  const auto* in = static_cast<const float*>(params[0]);
  auto* out = static_cast<float*>(params[1]);
  auto* row = static_cast<double*>(params[2]);
  const int64_t columns = shapes[0][1];
  for (int64_t i = 0; i < shapes[0][0]; ++i) {
    for (int64_t j = 0; j < columns; ++j) row[j] = in[i * columns + j];
    double sum = 0;
    for (int64_t j = 0; j < columns; ++j) sum += row[j];
    out[i] = static_cast<float>(data->scale * sum);
  }
  return 0;
}
