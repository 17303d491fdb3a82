// Windows and dimension numbers of convolutions in HLO text. Custom calls carry them for whoever
// reads them; nothing here gives them a meaning.
#ifndef CALLBRIDGE_HLO_WINDOW_TEXT_H_
#define CALLBRIDGE_HLO_WINDOW_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {

// "{size=3x3 stride=2x2 pad=0_0x1_1 lhs_dilate=2x1 rhs_dilate=1x2 rhs_reversal=1x0}"
std::string WindowText(const xla::Window& window);
absl::StatusOr<xla::Window> ReadWindow(TextCursor* cursor);

// "b01f_01io->b01f". INVALID_ARGUMENT where the dimensions are not 0 to n - 1, once each, or more
// than the ten that digits can name are spatial.
absl::StatusOr<std::string> DimLabelsText(const xla::ConvolutionDimensionNumbers& numbers);
absl::StatusOr<xla::ConvolutionDimensionNumbers> ReadDimLabels(TextCursor* cursor);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_WINDOW_TEXT_H_
