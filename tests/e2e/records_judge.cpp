// records_judge.cpp: reads files that Python wrote and writes them anew, for records_judges_test.py to compare.
//
//     records_judge records IN OUT        record by record, as they are
//     records_judge examples IN FOLDER    decoded and encoded again, two to a shard called "copy"; prints how many
//     values
//                                         of each kind there are, and the sums of those that can be added up
//     records_judge safetensors IN OUT    prints the type and shape of each tensor
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/record_file.h"
#include "base/records/safetensors.h"
#include "base/records/sharded_writer.h"
#include "base/records/tf_example.h"

namespace {

void copy_records(const std::string& in, const std::string& out) {
  base::RecordWriter writer(out);
  base::RecordReader reader(in);
  while (const auto record = reader.next()) writer.append(*record);
  writer.close();
}

void copy_examples(const std::string& in, const std::string& folder) {
  base::ShardedWriter writer(folder, "copy", {.max_records = 2});
  std::size_t texts = 0;
  std::size_t floats = 0;
  std::size_t integers = 0;
  double float_sum = 0;
  std::int64_t integer_sum = 0;
  const base::RecordIndex index(in);
  for (std::size_t i = 0; i < index.size(); ++i) {
    const base::TfExample example = base::decode_example(index.record(i));
    for (const auto& [name, feature] : example) {
      if (const auto* list = std::get_if<std::vector<std::string>>(&feature)) texts += list->size();
      if (const auto* list = std::get_if<std::vector<float>>(&feature)) {
        floats += list->size();
        for (const float value : *list) float_sum += value;
      }
      if (const auto* list = std::get_if<std::vector<std::int64_t>>(&feature)) {
        integers += list->size();
        for (const std::int64_t value : *list) integer_sum += value;
      }
    }
    writer.append(base::bytes_of(base::encode_example(example)));
  }
  writer.close();
  std::puts(base::format("{} {} {} {} {}", texts, floats, integers, float_sum, integer_sum).c_str());
}

void copy_safetensors(const std::string& in, const std::string& out) {
  const base::SafetensorsFile file(in);
  for (const base::TensorView& tensor : file.tensors()) {
    std::string line(base::name_of(tensor.dtype));
    for (const std::int64_t length : tensor.shape) line += base::format(" {}", length);
    std::puts(line.c_str());
  }
  std::vector<base::TensorView> tensors = file.tensors();
  std::ranges::reverse(tensors);  // so that the writer has an order to find
  base::write_safetensors(out, tensors, {.metadata = file.metadata()});
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 3 && arguments[0] == "records") {
      copy_records(arguments[1], arguments[2]);
    } else if (arguments.size() == 3 && arguments[0] == "examples") {
      copy_examples(arguments[1], arguments[2]);
    } else if (arguments.size() == 3 && arguments[0] == "safetensors") {
      copy_safetensors(arguments[1], arguments[2]);
    } else {
      throw base::Error(base::ErrorKind::kUsage, "records, examples or safetensors, then IN and OUT", "", "");
    }
    return 0;
  });
}
