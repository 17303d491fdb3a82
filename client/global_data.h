// xla::GlobalData: a value that the client holds: a literal it was given, or the result of an
// execution.
#ifndef CALLBRIDGE_CLIENT_GLOBAL_DATA_H_
#define CALLBRIDGE_CLIENT_GLOBAL_DATA_H_

#include <memory>
#include <utility>
#include <vector>

#include "callbridge/abi/exported.h"
#include "callbridge/hlo/literal.h"

namespace xla {
inline namespace callbridge_v1 {

// Valid as long as this object, whether or not the client exists.
class CALLBRIDGE_EXPORTED GlobalData {
 public:
  GlobalData(const GlobalData&) = delete;
  GlobalData& operator=(const GlobalData&) = delete;

  static void Release(std::vector<std::unique_ptr<GlobalData>> instances);

 private:
  friend class Client;
  explicit GlobalData(Literal literal) : literal_(std::move(literal)) {}

  Literal literal_;
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_CLIENT_GLOBAL_DATA_H_
