// make_records.h: data of other formats, rewritten as TFRecord shards: a few large files instead of many small ones,
// read in any order by any number of machines.
#ifndef BASE_DATA_MAKE_RECORDS_H_
#define BASE_DATA_MAKE_RECORDS_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/data/csv_loader.h"
#include "base/data/image_list.h"
#include "base/log/console.h"

namespace base {

struct MakeRecordsOptions {
  std::filesystem::path folder = {};                     // of the shards; made if it is missing
  std::string name = "data";                             // data-00000-of-00003.tfrecord
  std::uint64_t shard_bytes = std::uint64_t{256} << 20;  // a shard ends before it would grow larger; 0: any size
  std::int64_t shard_count = 0;  // at most so many shards, with equally many records; 0: as many as their size asks for
  bool check = true;             // decode every picture, so that a damaged one is found now and not in a training
  Console* console = nullptr;    // for the progress bar; empty: Console::standard()
};

/// Each gives the shards in order. Whatever is wrong with the data is a data Error, and then no shard is left behind.

/// A record for each row: the floats "features" and "label", an integer or a float.
std::vector<std::filesystem::path> make_csv_records(const std::filesystem::path& csv, const CsvLoaderOptions& how,
                                                    const MakeRecordsOptions& options);

/// A record for each picture: the file's bytes as they are, "image", its "name", and "label", if there are labels.
std::vector<std::filesystem::path> make_image_records(const ImageList& list, const MakeRecordsOptions& options);

/// A record for each row of the first dimension: the bytes "image" with their "shape", and the integer "label". Both
/// files hold unsigned bytes.
std::vector<std::filesystem::path> make_idx_records(const std::filesystem::path& images,
                                                    const std::filesystem::path& labels,
                                                    const MakeRecordsOptions& options);

}  // namespace base

#endif  // BASE_DATA_MAKE_RECORDS_H_
