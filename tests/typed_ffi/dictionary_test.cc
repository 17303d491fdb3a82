// How a Dictionary finds names: of every length, alike but for one byte, sorted as XLA hands them
// over or not. Compiled with XLA's genuine headers too, GENUINE, less what only callbridge's bear.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;

// Attributes of these names, in this order; the value of each is its index.
class Attributes {
 public:
  explicit Attributes(const std::vector<std::string>& names) : names_(names) {
    for (size_t i = 0; i < names_.size(); ++i) {
      // So that what reads past a name's end is seen by the address sanitizer.
      bytes_.push_back(std::vector<char>(names_[i].begin(), names_[i].end()));
      bytes_.back().shrink_to_fit();
      spans_.push_back({bytes_.back().empty() ? "" : bytes_.back().data(), bytes_.back().size()});
      values_.push_back(static_cast<int64_t>(i));
    }
    for (size_t i = 0; i < names_.size(); ++i) {
      scalars_.push_back({XLA_FFI_DataType_S64, &values_[i]});
      pointers_.push_back(&spans_[i]);
      types_.push_back(XLA_FFI_AttrType_SCALAR);
      attrs_.push_back(&scalars_[i]);
    }
    all_ = {
        XLA_FFI_Attrs_STRUCT_SIZE, nullptr,      static_cast<int64_t>(names_.size()), types_.data(),
        pointers_.data(),          attrs_.data()};
  }

  ffi::Dictionary dictionary() const { return ffi::Dictionary(&all_); }
  std::vector<XLA_FFI_ByteSpan*>& pointers() { return pointers_; }

 private:
  const std::vector<std::string> names_;
  std::deque<std::vector<char>> bytes_;
  std::deque<XLA_FFI_ByteSpan> spans_;
  std::deque<int64_t> values_;
  std::deque<XLA_FFI_Scalar> scalars_;
  std::vector<XLA_FFI_ByteSpan*> pointers_;
  std::vector<XLA_FFI_AttrType> types_;
  std::vector<void*> attrs_;
  XLA_FFI_Attrs all_;
};

void ExpectAllAreFound(const std::vector<std::string>& names, const std::string& absent) {
  const Attributes attributes(names);
  for (size_t i = 0; i < names.size(); ++i) {
    auto value = attributes.dictionary().get<int64_t>(names[i]);
    ASSERT_TRUE(value.has_value()) << names[i] << " among " << testing::PrintToString(names);
    EXPECT_EQ(*value, static_cast<int64_t>(i)) << names[i];
  }
  EXPECT_FALSE(attributes.dictionary().contains(absent)) << absent;
}

// Up to 40 names of `length` bytes that differ in the byte at `place` alone.
std::vector<std::string> Alike(size_t length, size_t place, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    names.emplace_back(length, 'a');
    names.back()[place] = static_cast<char>('!' + i);
  }
  return names;
}

TEST(DictionaryTest, FindsNamesThatDifferInOneByte) {
  for (size_t length = 1; length <= 35; ++length) {
    for (size_t place = 0; place < length; ++place) {
      for (int count : {1, 8, 16, 17, 40}) {
        std::vector<std::string> names = Alike(length, place, count);
        std::string absent = names[0];
        absent[place] = 'z';
        ExpectAllAreFound(names, absent);
        ExpectAllAreFound(names, absent.substr(1));
        ExpectAllAreFound(names, absent + "a");
      }
    }
  }
}

TEST(DictionaryTest, FindsTheEmptyName) { ExpectAllAreFound({"", "a", "b"}, "c"); }

#ifndef GENUINE

// XLA's headers search by halves, and trust the frame.
TEST(DictionaryTest, FindsNamesThatAreNotSorted) {
  for (int count : {2, 8, 16, 17, 40}) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back(std::string(i % 7, 'x') + std::to_string(i));
    ExpectAllAreFound(names, "absent");
    std::sort(names.begin(), names.end());
    ExpectAllAreFound(names, "absent");
    std::reverse(names.begin(), names.end());
    ExpectAllAreFound(names, "absent");
    std::rotate(names.begin(), names.begin() + count / 2, names.end());
    ExpectAllAreFound(names, "absent");
  }
}

// As a broken frame may have.
TEST(DictionaryTest, PassesNullNames) {
  for (int count : {4, 20}) {
    std::vector<std::string> names = Alike(9, 8, count);
    Attributes attributes(names);
    attributes.pointers()[1] = nullptr;
    XLA_FFI_ByteSpan null_text = {nullptr, 9};
    attributes.pointers()[2] = &null_text;
    EXPECT_TRUE(attributes.dictionary().contains(names[3]));
    EXPECT_FALSE(attributes.dictionary().contains(names[1]));
    EXPECT_FALSE(attributes.dictionary().contains(names[2]));
  }
}

#endif  // GENUINE

}  // namespace
