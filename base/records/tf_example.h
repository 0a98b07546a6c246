// tf_example.h: tf.train.Example, what TensorFlow's tools put into the records of a TFRecord file: named lists of byte
// strings, floats or integers.
#ifndef BASE_RECORDS_TF_EXAMPLE_H_
#define BASE_RECORDS_TF_EXAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace base {

using Feature = std::variant<std::vector<std::string>, std::vector<float>, std::vector<std::int64_t>>;
using TfExample = std::map<std::string, Feature>;

/// The bytes of the message; features are sorted by name, so that equal examples give equal bytes. Names are to be
/// UTF-8.
std::string encode_example(const TfExample& example);

/// Lists may be packed or not; of a feature that comes twice the last one counts; a feature with no list at all is left
/// out, as TensorFlow does. Bytes that are no such message are an Error of the data kind, which shows `where` they come
/// from ("train.tfrecord at byte 1234") if it is given.
TfExample decode_example(std::span<const std::byte> bytes, std::string_view where = {});

}  // namespace base

#endif  // BASE_RECORDS_TF_EXAMPLE_H_
