// AOT operators as a library's targets, and what can be asked about them before a call.
#ifndef CALLBRIDGE_MINDSPORE_AOT_AOT_TARGETS_H_
#define CALLBRIDGE_MINDSPORE_AOT_AOT_TARGETS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "callbridge/abi/attributes.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/abi/shape.h"
#include "callbridge/adapters/target.h"
#include "callbridge/loader/registered_targets.h"
#include "callbridge/loader/target_library.h"

namespace callbridge {
namespace mindspore_aot {

// The evidence of an operator's targets.
inline constexpr char kEvidence[] = "AOT operator of MindSpore, by its name";

// Opens the operator "PATH:FUNCTION" as a typed target of that whole name on CUDA and on Host:
// which of them it was written for cannot be seen. Their addresses are the same again for the same
// function, by whatever path, as long as its file holds the same. Fails as ParseAotName(),
// OpenAotOperator() and MakeTypedTarget().
absl::StatusOr<std::vector<LibraryTarget>> LoadAotTargets(const std::string& name,
                                                          const LoadOptions& options = {});

// The dimensions of an array. -1 is one that is not known; {-2} a rank that is not.
using Dimensions = std::vector<int64_t>;

// Infers the dimensions of what a call of `target` returns, by the operator's FInferShape. Calls
// foreign code. Returns INVALID_ARGUMENT if `target` is not of LoadAotTargets(), and fails as
// ReadAttributes() and InferOutputShapes().
absl::StatusOr<std::vector<Dimensions>> InferDimensions(const Target& target,
                                                        const Attributes& attributes,
                                                        std::vector<Dimensions> operands,
                                                        size_t results);

// Infers the single result of a call of `target`, whatever `site.result` is: of the operands' type,
// since FInferShape returns none. Attributes that the site lacks have the defaults of its operator
// information. Returns INVALID_ARGUMENT if the operands are of several types, or
// if a dimension stays unknown, and fails as InferDimensions().
absl::StatusOr<Shape> InferResult(const Target& target, const CallSite& site);

// Returns how much scratch memory a call of `target` needs on a GPU: what the workspaces that the
// operator's FInit asks for take of one block (host::BlockScratchAllocator), 0 if it asks for none.
// Calls foreign code, on an object of its own. Returns INVALID_ARGUMENT if `target` is not of
// LoadAotTargets(), or for a type that MindSpore has no tensors of, and fails as ReadAttributes()
// and AotSite::Initialize().
absl::StatusOr<uint64_t> InferScratchBytes(const Target& target, const CallSite& site);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_AOT_TARGETS_H_
