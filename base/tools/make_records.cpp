// make_records: rewrites CSV files, pictures and IDX files as TFRecord shards.
//
//     make_records --kind csv --input iris.csv --label species --label_kind name --output records
//     make_records --kind images --input pictures --output records      a folder with one folder for each class
//     make_records --kind images --input list.csv --output records      or a list of paths and labels
//     make_records --kind idx --input train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz --output records
#include "base/torch.h"

#include "base/config/settings.h"
#include "base/data/make_records.h"
#include "base/log/error.h"
#include "base/log/log.h"

namespace {

struct Settings {
  std::string kind;
  std::filesystem::path input;
  std::filesystem::path labels;
  std::filesystem::path output;
  std::string name = "data";
  std::vector<std::string> features;
  std::string path = "path";
  std::string label;
  std::string label_kind = "number";
  std::int64_t classes = 0;
  std::string separator = ",";
  std::int64_t shard_size = 256;
  std::int64_t shard_count = 0;
  bool check = true;

  void declare(base::Knobs& knobs) {
    knobs.add("kind", kind, "what the input is", {.choices = {"csv", "images", "idx"}, .required = true});
    knobs.add("input", input, "a CSV file, a folder of pictures (folder/class/file) or a CSV list of them, an IDX file",
              {.exists = true, .required = true});
    knobs.add("labels", labels, "idx: the file of the labels", {.exists = true});
    knobs.add("output", output, "folder for the shards", {.required = true});
    knobs.add("name", name, "of the shards, as in data-00000-of-00003.tfrecord");
    knobs.add("features", features, "csv: columns to store; none: all but the label");
    knobs.add("path", path, "images from a list: its column of paths");
    knobs.add("label", label, "column of the label; of a list of pictures it is \"label\", if none is given");
    knobs.add("label_kind", label_kind, "what the label is: the number or name of a class, or a value to predict",
              {.choices = {"number", "name", "value"}});
    knobs.add("classes", classes, "labels go from 0 to one less; 0: not checked", {.min = 0});
    knobs.add("separator", separator, "of the fields of a CSV file: a character, or tab");
    knobs.add("shard_size", shard_size, "MiB, before which a shard ends; 0: any size", {.min = 0, .max = 1 << 20});
    knobs.add("shard_count", shard_count, "instead: at most so many shards of equally many records", {.min = 0});
    knobs.add("check", check, "images: decode each of them, to find damaged ones now");
  }
};

char separator_of(const std::string& text) {
  if (text == "tab") return '\t';
  if (text.size() == 1) return text.front();
  throw base::Error(base::ErrorKind::kUsage, "a separator is one character", text, "give a character, or tab");
}

base::LabelOptions label_of(const Settings& settings) {
  return {.column = settings.label,
          .kind = settings.label_kind == "name"    ? base::LabelKind::kName
                  : settings.label_kind == "value" ? base::LabelKind::kValue
                                                   : base::LabelKind::kNumber,
          .classes = settings.classes};
}

std::vector<std::filesystem::path> make_records(const Settings& settings) {
  const base::MakeRecordsOptions options{.folder = settings.output,
                                         .name = settings.name,
                                         .shard_bytes = static_cast<std::uint64_t>(settings.shard_size) << 20,
                                         .shard_count = settings.shard_count,
                                         .check = settings.check};
  const base::CsvOptions csv{.separator = separator_of(settings.separator)};
  if (settings.kind == "csv") {
    return base::make_csv_records(settings.input,
                                  {.features = settings.features, .label = label_of(settings), .csv = csv}, options);
  }
  if (settings.kind == "idx") {
    if (settings.labels.empty())
      throw base::Error(base::ErrorKind::kUsage, "idx needs the file of the labels", "", "give --labels FILE");
    return base::make_idx_records(settings.input, settings.labels, options);
  }
  if (std::filesystem::is_directory(settings.input))
    return base::make_image_records(base::read_image_folders(settings.input), options);
  base::LabelOptions label = label_of(settings);
  if (label.column.empty()) label.column = "label";
  return base::make_image_records(
      base::read_image_list(settings.input, {.path_column = settings.path, .label = label, .csv = csv}), options);
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] {
    Settings settings;
    const auto origins =
        base::load_settings(settings, argc, argv, {.description = "Makes TFRecord shards of other data."});
    if (!origins) return 0;
    const auto files = make_records(settings);
    base::log::info("{} shards, from {} on", files.size(), files.front());
    return 0;
  });
}
