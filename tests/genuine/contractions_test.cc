// The list of contractions, by which client_elementwise.cc judges genuine XLA: neither too short
// nor too long.
#include "tests/genuine/contractions.h"

#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace callbridge {
namespace {

using ::testing::Contains;
using ::testing::Not;
using Complex = std::complex<double>;

TEST(Contractions, AQuotientHasTheResultOfEachProcessor) {
  if (!contractions::HasFusedMultiplyAdd()) GTEST_SKIP() << "this processor contracts nothing";
  const std::vector<Complex> results =
      contractions::Quotients(Complex(1.5, 0.5), Complex(1.5, 0.5));
  // With AVX-512, and with AVX2.
  EXPECT_EQ(results[0], Complex(1, 0x1.3333333333333p-56));
  EXPECT_THAT(results, Contains(Complex(1, 0)));
  EXPECT_THAT(results, Not(Contains(Complex(1, 0x1.3333333333332p-56))));
  EXPECT_THAT(results, Not(Contains(Complex(std::nextafter(1, 2), 0))));
  EXPECT_THAT(results, Not(Contains(Complex(1, -0x1.3333333333333p-56))));
}

TEST(Contractions, AProductHasTheResultOfEachProcessor) {
  if (!contractions::HasFusedMultiplyAdd()) GTEST_SKIP() << "this processor contracts nothing";
  const double huge = std::numeric_limits<double>::max();
  const double infinity = std::numeric_limits<double>::infinity();
  // huge^2 - huge^2: infinite where one of the products is not rounded, else NaN.
  const std::vector<Complex> results =
      contractions::Products(Complex(huge, huge), Complex(huge, huge));
  std::vector<double> real;
  for (Complex result : results) {
    EXPECT_EQ(result.imag(), infinity);
    if (!std::isnan(result.real())) real.push_back(result.real());
  }
  EXPECT_EQ(results[0].real(), -infinity);
  EXPECT_THAT(real, Contains(infinity));
  EXPECT_LT(real.size(), results.size());
}

}  // namespace
}  // namespace callbridge
