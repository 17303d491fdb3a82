// Every elementwise instruction on every type and on the values at their edges, by one source that
// is compiled against callbridge's headers and against genuine XLA's. Prints one line for each
// instruction: its name, the type, the result's bytes in hexadecimal. Genuine XLA's products and
// quotients of complex numbers are printed as callbridge contracts them, if it contracted others.
#include <xmmintrin.h>

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "contractions.h"
#include "executed.h"
#include "tensorflow/compiler/xla/client/xla_builder.h"
#include "tensorflow/compiler/xla/client/xla_computation.h"
#include "tensorflow/compiler/xla/literal.h"
#include "tensorflow/compiler/xla/shape_util.h"
#include "tensorflow/compiler/xla/xla_data.pb.h"

namespace {

// Little-endian bytes of one element.
using Element = std::string;

struct Type {
  const char* name;
  xla::PrimitiveType type;
  int bytes;
  enum { kPred, kSigned, kUnsigned, kFloat, kComplex } kind;
};

const Type kTypes[] = {
    {"pred", xla::PRED, 1, Type::kPred},     {"s8", xla::S8, 1, Type::kSigned},
    {"s16", xla::S16, 2, Type::kSigned},     {"s32", xla::S32, 4, Type::kSigned},
    {"s64", xla::S64, 8, Type::kSigned},     {"u8", xla::U8, 1, Type::kUnsigned},
    {"u16", xla::U16, 2, Type::kUnsigned},   {"u32", xla::U32, 4, Type::kUnsigned},
    {"u64", xla::U64, 8, Type::kUnsigned},   {"f16", xla::F16, 2, Type::kFloat},
    {"bf16", xla::BF16, 2, Type::kFloat},    {"f32", xla::F32, 4, Type::kFloat},
    {"f64", xla::F64, 8, Type::kFloat},      {"c64", xla::C64, 8, Type::kComplex},
    {"c128", xla::C128, 16, Type::kComplex},
};

Element Bytes(const void* data, size_t size) {
  return std::string(static_cast<const char*>(data), size);
}

Element FromBits(uint64_t bits, int bytes) { return Bytes(&bits, bytes); }

std::vector<Element> Integers(const Type& type) {
  const int width = type.bytes * 8;
  const uint64_t top = uint64_t{1} << (width - 1);
  std::vector<Element> values;
  for (uint64_t bits :
       {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{7}, uint64_t{100}, top - 1,
        top, top + 1, ~uint64_t{0}, ~uint64_t{1}, ~uint64_t{6}, uint64_t{0x123456789abcdef5}}) {
    values.push_back(FromBits(bits, type.bytes));
  }
  // Where integers become floats, the ties.
  for (int shift : {11, 24, 25, 53, 54, 62}) {
    for (int low : {-1, 0, 1, 2, 3}) {
      if (shift < width) values.push_back(FromBits((uint64_t{1} << shift) + low, type.bytes));
    }
  }
  return values;
}

// Of a format with so many bits of exponent and mantissa.
std::vector<Element> Floats(int bytes, int exponent_bits) {
  const int mantissa_bits = bytes * 8 - 1 - exponent_bits;
  const uint64_t one_exponent = (uint64_t{1} << (exponent_bits - 1)) - 1;
  const uint64_t top_exponent = (uint64_t{1} << exponent_bits) - 1;
  const uint64_t quiet = uint64_t{1} << (mantissa_bits - 1);
  const uint64_t all = (uint64_t{1} << mantissa_bits) - 1;
  std::vector<std::pair<uint64_t, uint64_t>> parts = {
      {0, 0},
      {0, 1},             // the smallest subnormal
      {0, all},           // the largest one
      {1, 0},             // the smallest normal number
      {1, quiet},         //
      {2, 1},             //
      {one_exponent, 0},  // 1
      {one_exponent, 1},  //
      {one_exponent, quiet},
      {one_exponent - 1, 0},
      {one_exponent + 1, quiet},
      {one_exponent + 6, all},
      {one_exponent + 7, 0},
      {one_exponent + 14, all},
      {one_exponent + 15, 0},
      {top_exponent - 1, all},
      {top_exponent, 0},
      {top_exponent, quiet},      // NaN
      {top_exponent, quiet | 5},  // NaN with a payload
  };
  for (int power : {30, 31, 32, 62, 63, 64}) {
    if (one_exponent + power < top_exponent) {
      parts.push_back({one_exponent + power - 1, all});
      parts.push_back({one_exponent + power, 0});
    }
  }
  // Ties where the format becomes a narrower one, and what overflows or underflows there.
  if (mantissa_bits > 10) {
    for (int low : {-1, 0, 1}) {
      for (int dropped : {13, 16, 29, 42, 45}) {
        if (dropped < mantissa_bits) {
          parts.push_back({one_exponent, (uint64_t{1} << (dropped - 1)) + low});
          parts.push_back({one_exponent, (uint64_t{3} << (dropped - 1)) + low});
          parts.push_back({one_exponent - 20, (uint64_t{1} << (dropped - 1)) + low});
        }
      }
    }
    for (uint64_t exponent : {one_exponent - 14, one_exponent - 15, one_exponent - 24,
                              one_exponent - 25, one_exponent - 26, one_exponent + 15}) {
      parts.push_back({exponent, 0});
      parts.push_back({exponent, all});
      parts.push_back({exponent, all ^ (all >> 10)});
    }
  }
  if (mantissa_bits > 50) {
    for (uint64_t exponent : {one_exponent - 126, one_exponent - 127, one_exponent - 149,
                              one_exponent - 150, one_exponent + 127, one_exponent + 128}) {
      parts.push_back({exponent, 0});
      parts.push_back({exponent, 1});
      parts.push_back({exponent, all});
    }
  }
  std::vector<Element> values;
  for (auto [exponent, mantissa] : parts) {
    for (uint64_t sign : {uint64_t{0}, uint64_t{1} << (bytes * 8 - 1)}) {
      values.push_back(FromBits(sign | exponent << mantissa_bits | mantissa, bytes));
    }
  }
  return values;
}

std::vector<Element> Complexes(int part_bytes) {
  const std::vector<Element> parts = Floats(part_bytes, part_bytes == 4 ? 8 : 11);
  std::vector<Element> some;
  // 0, a subnormal, the smallest, 1.5, 0.5, huge, infinite, NaN, and some of their negatives.
  for (size_t i : {0, 1, 2, 6, 16, 17, 18, 30, 32, 33, 34}) some.push_back(parts[i]);
  // One whose products with huge numbers are ordinary, and have digits to lose.
  some.push_back(FromBits(part_bytes == 4 ? 0x01db4959 : 0x008b6925b3ea1205, part_bytes));
  some.push_back(FromBits(part_bytes == 4 ? 0x754cd53a : 0x7eb3cd53a8d5a731, part_bytes));
  std::vector<Element> values;
  for (const Element& real : some) {
    for (const Element& imaginary : some) values.push_back(real + imaginary);
  }
  return values;
}

std::vector<Element> ValuesOf(const Type& type) {
  switch (type.kind) {
    case Type::kPred:
      return {FromBits(0, 1), FromBits(1, 1)};
    case Type::kSigned:
    case Type::kUnsigned:
      return Integers(type);
    case Type::kFloat:
      return Floats(type.bytes, type.type == xla::F16 ? 5 : type.type == xla::F64 ? 11 : 8);
    case Type::kComplex:
      return Complexes(type.bytes / 2);
  }
  abort();
}

xla::Literal Array(const Type& type, const std::vector<Element>& values) {
  xla::Literal literal(xla::ShapeUtil::MakeShape(type.type, {static_cast<int64_t>(values.size())}));
  std::string bytes;
  for (const Element& value : values) bytes += value;
  memcpy(literal.untyped_data(), bytes.data(), bytes.size());
  return literal;
}

int ExponentBits(const Type& type) {
  const int bytes = type.kind == Type::kComplex ? type.bytes / 2 : type.bytes;
  return type.type == xla::F16 ? 5 : bytes == 8 ? 11 : 8;
}

// The bits of a float's exponent and mantissa.
std::pair<uint64_t, uint64_t> Parts(const char* data, int bytes, int exponent_bits) {
  uint64_t bits = 0;
  memcpy(&bits, data, bytes);
  const int mantissa_bits = bytes * 8 - 1 - exponent_bits;
  return {bits >> mantissa_bits & ((uint64_t{1} << exponent_bits) - 1),
          bits & ((uint64_t{1} << mantissa_bits) - 1)};
}

bool IsNan(const char* data, int bytes, int exponent_bits) {
  const auto [exponent, mantissa] = Parts(data, bytes, exponent_bits);
  return exponent == (uint64_t{1} << exponent_bits) - 1 && mantissa != 0;
}

// NaNs are equal: which one comes out depends on the order in which a compiler puts the operands.
void ReplaceNans(const Type& type, std::string& data) {
  if (type.kind != Type::kFloat && type.kind != Type::kComplex) return;
  const int bytes = type.kind == Type::kComplex ? type.bytes / 2 : type.bytes;
  for (size_t i = 0; i < data.size(); i += bytes) {
    if (IsNan(&data[i], bytes, ExponentBits(type))) data.replace(i, bytes, bytes, '\xff');
  }
}

// TensorFlow has XLA compute maximum and minimum, which the absolute value of a complex number is
// made of, without regard to NaNs and to the signs of zeros; those are left out.
void RemoveWhatTensorFlowDisregards(const Type& type, std::vector<Element>& values) {
  if (type.kind != Type::kFloat && type.kind != Type::kComplex) return;
  const int bytes = type.kind == Type::kComplex ? type.bytes / 2 : type.bytes;
  std::vector<Element> kept;
  for (const Element& value : values) {
    bool keep = true;
    for (int at = 0; at < type.bytes; at += bytes) {
      if (IsNan(&value[at], bytes, ExponentBits(type))) keep = false;
      const bool is_zero = Parts(&value[at], bytes, ExponentBits(type)).first == 0;
      if (is_zero && type.kind == Type::kFloat) keep = false;
    }
    if (keep) kept.push_back(value);
  }
  values = kept;
}

const Type& FindType(xla::PrimitiveType primitive_type) {
  for (const Type& type : kTypes) {
    if (type.type == primitive_type) return type;
  }
  abort();
}

#ifdef GENUINE_XLA
constexpr bool kIsGenuine = true;
#else
constexpr bool kIsGenuine = false;
#endif

template <typename T>
std::complex<T> Complex(const Element& bytes) {
  std::complex<T> value;
  memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

// Replaces each element of `results` that a contraction gives by the one that callbridge's gives.
template <typename T>
void ReplaceContractions(bool is_quotient, const Type& type, const std::vector<Element>& left,
                         const std::vector<Element>& right, std::string& results) {
  // XLA's: results and operands that are subnormal are zero.
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);
  for (size_t i = 0; i < left.size(); ++i) {
    const auto a = Complex<T>(left[i]);
    const auto b = Complex<T>(right[i]);
    Element first;
    for (const std::complex<T>& value :
         is_quotient ? contractions::Quotients(a, b) : contractions::Products(a, b)) {
      Element bytes = Bytes(&value, sizeof(value));
      ReplaceNans(type, bytes);
      if (first.empty()) first = bytes;
      if (results.compare(i * sizeof(value), sizeof(value), bytes) == 0) {
        results.replace(i * sizeof(value), sizeof(value), first);
        break;
      }
    }
  }
  _mm_setcsr(mode);
}

// The operands' elements are those of a binary operation.
void Print(const std::string& name, const xla::Literal& literal, const std::vector<Element>& left,
           const std::vector<Element>& right) {
  const Type& type = FindType(literal.shape().element_type());
  std::string data(static_cast<const char*>(literal.untyped_data()), literal.size_bytes());
  ReplaceNans(type, data);
  const bool is_quotient = name.rfind("divide ", 0) == 0;
  if (kIsGenuine && type.kind == Type::kComplex &&
      (is_quotient || name.rfind("multiply ", 0) == 0)) {
    (type.type == xla::C64 ? ReplaceContractions<float>
                           : ReplaceContractions<double>)(is_quotient, type, left, right, data);
  }
  static const char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : data) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  std::cout << name << ' ' << text << '\n';
}

void Run(const std::string& name, xla::XlaBuilder& builder,
         const std::vector<const xla::Literal*>& arguments, const std::vector<Element>& left = {},
         const std::vector<Element>& right = {}) {
  auto computation = builder.Build();
  if (!computation.ok()) {
    std::cout << name << " not built\n";
    return;
  }
  auto result = Executed(computation.value(), arguments);
  if (!result.ok()) {
    std::cout << name << " not run: " << static_cast<int>(result.status().code()) << '\n';
    return;
  }
  Print(name, result.value(), left, right);
}

using Binary = xla::XlaOp (*)(xla::XlaOp, xla::XlaOp, absl::Span<const int64_t>);
using Unary = xla::XlaOp (*)(xla::XlaOp);

void RunBinary(const std::string& name, Binary operation, const Type& type) {
  std::vector<Element> left;
  std::vector<Element> right;
  std::vector<Element> values = ValuesOf(type);
  if (name == "maximum" || name == "minimum") RemoveWhatTensorFlowDisregards(type, values);
  for (const Element& a : values) {
    for (const Element& b : values) {
      left.push_back(a);
      right.push_back(b);
    }
  }
  const xla::Literal left_literal = Array(type, left);
  const xla::Literal right_literal = Array(type, right);
  xla::XlaBuilder builder(name);
  operation(xla::Parameter(&builder, 0, left_literal.shape(), "left"),
            xla::Parameter(&builder, 1, right_literal.shape(), "right"), {});
  Run(name + " " + type.name, builder, {&left_literal, &right_literal}, left, right);
}

void RunUnary(const std::string& name, Unary operation, const Type& type) {
  std::vector<Element> values = ValuesOf(type);
  if (name == "abs" && type.kind == Type::kComplex) RemoveWhatTensorFlowDisregards(type, values);
  const xla::Literal literal = Array(type, values);
  xla::XlaBuilder builder(name);
  operation(xla::Parameter(&builder, 0, literal.shape(), "x"));
  Run(name + " " + type.name, builder, {&literal});
}

void RunConvert(const Type& from, const Type& to) {
  // XLA's builder makes this an instruction `real` first.
  if (from.kind == Type::kComplex && to.kind != Type::kComplex) return;
  const xla::Literal literal = Array(from, ValuesOf(from));
  xla::XlaBuilder builder("convert");
  xla::ConvertElementType(xla::Parameter(&builder, 0, literal.shape(), "x"), to.type);
  Run(std::string("convert ") + from.name + " to " + to.name, builder, {&literal});
}

}  // namespace

#define BINARY(function) \
  [](xla::XlaOp a, xla::XlaOp b, absl::Span<const int64_t>) { return function(a, b); }

int main() {
  for (const Type& type : kTypes) {
    RunBinary("add", BINARY(xla::Add), type);
    RunBinary("subtract", BINARY(xla::Sub), type);
    RunBinary("multiply", BINARY(xla::Mul), type);
    RunBinary("divide", BINARY(xla::Div), type);
    RunBinary("maximum", BINARY(xla::Max), type);
    RunBinary("minimum", BINARY(xla::Min), type);
    RunUnary(
        "negate", [](xla::XlaOp x) { return xla::Neg(x); }, type);
    RunUnary(
        "abs", [](xla::XlaOp x) { return xla::Abs(x); }, type);
    for (const Type& to : kTypes) RunConvert(type, to);
  }
}
