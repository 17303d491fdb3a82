#include "callbridge/loader/content_digest.h"

#include <string>

#include "gtest/gtest.h"

namespace callbridge {
namespace {

// As sha256sum prints them.
TEST(ContentDigestTest, KnownTexts) {
  EXPECT_EQ(ContentDigest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(ContentDigest("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ContentDigest(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Around the sizes at which the end takes one block more.
TEST(ContentDigestTest, Sizes) {
  const auto zeros = [](size_t size) { return ContentDigest(std::string(size, '\0')); };
  EXPECT_EQ(zeros(55), "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
  EXPECT_EQ(zeros(56), "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
  EXPECT_EQ(zeros(63), "c7723fa1e0127975e49e62e753db53924c1bd84b8ac1ac08df78d09270f3d971");
  EXPECT_EQ(zeros(64), "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
  EXPECT_EQ(zeros(65), "98ce42deef51d40269d542f5314bef2c7468d401ad5d85168bfab4c0108f75f7");
}

}  // namespace
}  // namespace callbridge
