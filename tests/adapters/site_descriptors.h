// Site descriptors of call sites that are written as texts.
#ifndef CALLBRIDGE_TESTS_ADAPTERS_SITE_DESCRIPTORS_H_
#define CALLBRIDGE_TESTS_ADAPTERS_SITE_DESCRIPTORS_H_

#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/site_descriptor.h"

namespace callbridge {

inline std::string Descriptor(const std::vector<const char*>& operands, const char* result,
                              const std::string& opaque = "",
                              TupleLayout tuple_layout = TupleLayout::kNested) {
  CallSite site;
  site.tuple_layout = tuple_layout;
  for (const char* operand : operands) site.operands.push_back(*ParseShape(operand));
  site.result = *ParseShape(result);
  site.opaque = opaque;
  return EncodeSiteDescriptor(site);
}

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_ADAPTERS_SITE_DESCRIPTORS_H_
