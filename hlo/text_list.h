// Lists in HLO text: elements with commas between them.
#ifndef CALLBRIDGE_HLO_TEXT_LIST_H_
#define CALLBRIDGE_HLO_TEXT_LIST_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {

// Reads "{", elements with commas between them, and "}".
template <typename ReadElement>
absl::Status ReadList(TextCursor* cursor, ReadElement read_element) {
  if (absl::Status status = cursor->Expect("{"); !status.ok()) return status;
  if (cursor->Consume("}")) return absl::OkStatus();
  do {
    if (absl::Status status = read_element(); !status.ok()) return status;
  } while (cursor->Consume(","));
  return cursor->Expect("}");
}

// Reads "1,2" and `end`: what follows the opening bracket.
template <typename Add>
absl::Status ReadNumbers(absl::string_view end, TextCursor* cursor, Add add) {
  do {
    absl::StatusOr<int64_t> number = cursor->ReadInteger("an integer");
    if (!number.ok()) return number.status();
    add(*number);
  } while (cursor->Consume(","));
  return cursor->Expect(end);
}

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_TEXT_LIST_H_
