// data_file.h: a file of data as its bytes.
#ifndef BASE_DATA_DATA_FILE_H_
#define BASE_DATA_DATA_FILE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace base {

/// The file's size in bytes; a data Error if it is missing, a folder or not to be read.
std::int64_t data_file_size(const std::filesystem::path& path);

/// All of it. Read, not mapped: a mapped file that another program cuts short would end the process.
std::string read_data_file(const std::filesystem::path& path);

/// The files of a folder that end with `ending`, ".csv" say, sorted. A folder that cannot be read, or that has none, is
/// a data Error.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, const std::string& ending);

}  // namespace base

#endif  // BASE_DATA_DATA_FILE_H_
