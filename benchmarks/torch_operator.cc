// The measured target as an operator in C++, as one writes it by hand for one version of PyTorch.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

// As measured_target.cc, not inlined.
__attribute__((noinline)) void MeasuredTarget(void* out, const void** in) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]);
}

at::Tensor Measured(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.contiguous(), y = b.contiguous();
  at::Tensor result = at::empty_like(x);
  const void* operands[] = {x.const_data_ptr(), y.const_data_ptr()};
  MeasuredTarget(result.data_ptr(), operands);
  return result;
}

}  // namespace

TORCH_LIBRARY(callbridge_benchmark_cc, library) {
  library.def("measured(Tensor a, Tensor b) -> Tensor");
}
TORCH_LIBRARY_IMPL(callbridge_benchmark_cc, CPU, library) { library.impl("measured", &Measured); }
