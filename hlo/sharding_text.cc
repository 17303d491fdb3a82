#include "callbridge/hlo/sharding_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace callbridge::hlo {
namespace {

using xla::OpSharding;

constexpr absl::string_view kReplicateLast = "last_tile_dim_replicate";

absl::StatusOr<std::string> OneShardingText(const OpSharding& sharding) {
  switch (sharding.type()) {
    case OpSharding::REPLICATED:
      return std::string("{replicated}");
    case OpSharding::MANUAL:
      return std::string("{manual}");
    case OpSharding::UNKNOWN:
      return std::string("{unknown}");
    case OpSharding::MAXIMAL:
      if (sharding.tile_assignment_devices_size() != 1) break;
      return absl::StrCat("{maximal device=", sharding.tile_assignment_devices(0), "}");
    case OpSharding::OTHER:
      if (sharding.tile_assignment_devices_size() == 0) break;
      return absl::StrCat("{devices=[", absl::StrJoin(sharding.tile_assignment_dimensions(), ","),
                          "]", absl::StrJoin(sharding.tile_assignment_devices(), ","),
                          sharding.replicate_on_last_tile_dim() ? " " : "",
                          sharding.replicate_on_last_tile_dim() ? kReplicateLast : "", "}");
    default:
      break;
  }
  return absl::UnimplementedError(
      "a sharding over several devices that does not list them; run this module on XLA");
}

// Behind "devices=", up to the closing brace.
absl::Status ReadDevices(TextCursor* cursor, OpSharding* sharding) {
  sharding->set_type(OpSharding::OTHER);
  if (absl::Status status = cursor->Expect("["); !status.ok()) return status;
  do {
    absl::StatusOr<int64_t> dimension = cursor->ReadInteger("a number of devices");
    if (!dimension.ok()) return dimension.status();
    sharding->add_tile_assignment_dimensions(*dimension);
  } while (cursor->Consume(","));
  if (absl::Status status = cursor->Expect("]"); !status.ok()) return status;
  if (cursor->Peek("<=")) {
    return cursor->UnimplementedAt(cursor->position(),
                                   "shardings that do not list their devices are not supported; "
                                   "run this module on XLA");
  }
  do {
    absl::StatusOr<int64_t> device = cursor->ReadInteger("the number of a device");
    if (!device.ok()) return device.status();
    sharding->add_tile_assignment_devices(*device);
  } while (cursor->Consume(","));
  if (cursor->Consume(kReplicateLast)) sharding->set_replicate_on_last_tile_dim(true);
  return absl::OkStatus();
}

// Behind the opening brace.
absl::Status ReadOne(TextCursor* cursor, OpSharding* sharding) {
  const size_t begin = cursor->position();
  const absl::string_view kind = cursor->ReadWord();
  if (kind.empty()) return cursor->Expected("a sharding, such as replicated");
  if (kind == "replicated") {
    sharding->set_type(OpSharding::REPLICATED);
  } else if (kind == "manual") {
    sharding->set_type(OpSharding::MANUAL);
  } else if (kind == "unknown") {
    sharding->set_type(OpSharding::UNKNOWN);
  } else if (kind == "maximal") {
    sharding->set_type(OpSharding::MAXIMAL);
    if (absl::Status status = cursor->Expect("device"); !status.ok()) return status;
    if (absl::Status status = cursor->Expect("="); !status.ok()) return status;
    absl::StatusOr<int64_t> device = cursor->ReadInteger("the number of a device");
    if (!device.ok()) return device.status();
    sharding->add_tile_assignment_dimensions(1);
    sharding->add_tile_assignment_devices(*device);
  } else if (kind == "devices") {
    if (absl::Status status = cursor->Expect("="); !status.ok()) return status;
    if (absl::Status status = ReadDevices(cursor, sharding); !status.ok()) return status;
  } else {
    return cursor->UnimplementedAt(begin, absl::StrCat("the sharding \"", kind,
                                                       "\" is not supported; run this module on "
                                                       "XLA"));
  }
  return cursor->Expect("}");
}

}  // namespace

absl::StatusOr<std::string> ShardingText(const OpSharding& sharding) {
  if (sharding.type() != OpSharding::TUPLE) return OneShardingText(sharding);
  std::string text = "{";
  for (const OpSharding& element : sharding.tuple_shardings()) {
    absl::StatusOr<std::string> one = OneShardingText(element);
    if (!one.ok()) return one;
    absl::StrAppend(&text, text.size() > 1 ? ", " : "", *one);
  }
  return absl::StrCat(text, "}");
}

absl::StatusOr<OpSharding> ReadSharding(TextCursor* cursor) {
  OpSharding sharding;
  if (absl::Status status = cursor->Expect("{"); !status.ok()) return status;
  if (!cursor->Peek("{") && !cursor->Peek("}")) {
    if (absl::Status status = ReadOne(cursor, &sharding); !status.ok()) return status;
    return sharding;
  }
  sharding.set_type(OpSharding::TUPLE);
  if (cursor->Consume("}")) return sharding;
  do {
    if (absl::Status status = cursor->Expect("{"); !status.ok()) return status;
    absl::Status status = ReadOne(cursor, sharding.add_tuple_shardings());
    if (!status.ok()) return status;
  } while (cursor->Consume(","));
  if (absl::Status status = cursor->Expect("}"); !status.ok()) return status;
  return sharding;
}

}  // namespace callbridge::hlo
