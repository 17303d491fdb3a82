// Floating-point numbers as the shortest text that reads back as the same number.
#ifndef CALLBRIDGE_ABI_SHORTEST_TEXT_H_
#define CALLBRIDGE_ABI_SHORTEST_TEXT_H_

#include <string>

namespace callbridge {

// Returns what std::to_chars() writes: the shorter one of fixed and scientific notation, fixed if
// both have the same length. Independent of the locale.
std::string ShortestText(float value);
std::string ShortestText(double value);

// The same without std::to_chars(), which libstdc++ has for floating-point types since GCC 11
// alone.
std::string SearchShortestText(float value);
std::string SearchShortestText(double value);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_SHORTEST_TEXT_H_
