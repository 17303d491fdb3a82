// xla::GlobalData: a value that was handed to the client, or that an execution left there.
#ifndef CALLBRIDGE_CLIENT_GLOBAL_DATA_H_
#define CALLBRIDGE_CLIENT_GLOBAL_DATA_H_

#include <memory>
#include <utility>
#include <vector>

#include "callbridge/abi/exported.h"
#include "callbridge/hlo/literal.h"

namespace xla {
inline namespace callbridge_v1 {

// Lives as long as whoever has it keeps it: the client does not need to be asked.
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
