// Calls exported C functions with each of their pointers null in turn, from a table that must have
// a row for each exported function.
#ifndef CALLBRIDGE_TESTS_C_API_NULL_POINTERS_H_
#define CALLBRIDGE_TESTS_C_API_NULL_POINTERS_H_

#include <cstddef>
#include <fstream>
#include <functional>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"

namespace callbridge::null_pointers {

struct Parameter {
  std::string name;
  bool is_nullable;
  bool is_unchecked;
};

inline void Check(const Parameter& parameter, callbridge_error* error) {
  const std::string text = ErrorText(error);
  const std::string refused = "INVALID_ARGUMENT: " + parameter.name + " is null";
  if (parameter.is_nullable) {
    EXPECT_NE(text, refused);
  } else {
    EXPECT_EQ(text, refused);
  }
}
// Counts are 0 and texts null.
template <typename Result>
void Check(const Parameter& parameter, Result result) {
  if (!parameter.is_nullable) {
    EXPECT_EQ(result, Result()) << parameter.name;
  }
}

// One function.
struct Row {
  std::string symbol;
  std::function<void()> call_with_nulls;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.symbol; }
};

template <size_t kIndex, typename Result, typename... Types>
void CallWithNull(Result (*function)(Types...), std::tuple<Types...> arguments,
                  const std::vector<Parameter>& parameters) {
  if constexpr (std::is_pointer_v<std::tuple_element_t<kIndex, std::tuple<Types...>>>) {
    if (parameters[kIndex].is_unchecked) return;
    SCOPED_TRACE(parameters[kIndex].name);
    std::get<kIndex>(arguments) = nullptr;
    if constexpr (std::is_void_v<Result>) {
      std::apply(function, arguments);
    } else {
      Check(parameters[kIndex], std::apply(function, arguments));
    }
  }
}

template <typename Result, typename... Types, size_t... kIndexes>
void CallWithEachNull([[maybe_unused]] Result (*function)(Types...),
                      const std::tuple<Types...>& arguments,
                      const std::vector<Parameter>& parameters, std::index_sequence<kIndexes...>) {
  (CallWithNull<kIndexes>(function, arguments, parameters), ...);
}

// `names` are the parameters' names, in order; a question mark behind one says that it may be null,
// an exclamation mark that the function does not look whether it is. `valid` are arguments of which
// each is good.
template <typename Result, typename... Types>
Row Of(const std::string& symbol, Result (*function)(Types...), const std::string& names,
       std::common_type_t<Types>... valid) {
  std::vector<Parameter> parameters;
  std::istringstream words(names);
  for (std::string word; words >> word;) {
    const bool is_nullable = word.back() == '?';
    const bool is_unchecked = word.back() == '!';
    if (is_nullable || is_unchecked) word.pop_back();
    parameters.push_back({word, is_nullable, is_unchecked});
  }
  const std::tuple<Types...> arguments(valid...);
  return {symbol, [=] {
            ASSERT_EQ(parameters.size(), sizeof...(Types)) << "a name for each parameter";
            CallWithEachNull(function, arguments, parameters, std::index_sequence_for<Types...>());
          }};
}

// The symbols of a list of exported ones, but for C++'s, which take references.
inline std::set<std::string> ExportedC(const std::string& path) {
  std::set<std::string> symbols;
  std::ifstream list(path);
  EXPECT_TRUE(list.is_open()) << path;
  for (std::string line; std::getline(list, line);) {
    const bool is_c = line.rfind("callbridge_", 0) == 0 || line.rfind("XlaCustomCall", 0) == 0;
    if (is_c) symbols.insert(line);
  }
  return symbols;
}

inline std::set<std::string> Symbols(const std::vector<Row>& rows) {
  std::set<std::string> symbols;
  for (const Row& row : rows) symbols.insert(row.symbol);
  return symbols;
}

}  // namespace callbridge::null_pointers

#endif  // CALLBRIDGE_TESTS_C_API_NULL_POINTERS_H_
