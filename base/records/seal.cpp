#include "base/records/seal.h"

#include <algorithm>

#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/crc32c.h"

namespace base {
namespace {

// How a sealed text ends whose bytes so far are `body`.
std::string seal_of(std::string_view body) {
  return format(",\n  \"crc32c\": \"{:08x}\"\n}}\n", crc32c(bytes_of(body)));
}

}  // namespace

std::string seal(std::string json) {
  json.resize(json.size() - std::string_view("\n}").size());
  return json + seal_of(json);
}

bool is_sealed(std::string_view text) {
  const std::size_t end = seal_of("").size();
  const std::string_view body = text.substr(0, text.size() - std::min(text.size(), end));
  return text.size() >= end && text.substr(body.size()) == seal_of(body);
}

}  // namespace base
