// seal.h: a JSON text that ends with its own checksum, so that a change of any byte shows.
#ifndef BASE_RECORDS_SEAL_H_
#define BASE_RECORDS_SEAL_H_

#include <string>
#include <string_view>

namespace base {

/// `json` is an object, laid out over several lines; the result has one member more, "crc32c".
std::string seal(std::string json);

/// Whether it is byte for byte what seal() made.
bool is_sealed(std::string_view text);

}  // namespace base

#endif  // BASE_RECORDS_SEAL_H_
