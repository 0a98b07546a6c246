// data_file.h: a file of data as its bytes.
#ifndef BASE_DATA_DATA_FILE_H_
#define BASE_DATA_DATA_FILE_H_

#include <cstdint>
#include <filesystem>
#include <string>

namespace base {

/// The file's size in bytes; a data Error if it is missing, a folder or not to be read.
std::int64_t data_file_size(const std::filesystem::path& path);

/// All of it. Read, not mapped: a mapped file that another program cuts short would end the process.
std::string read_data_file(const std::filesystem::path& path);

}  // namespace base

#endif  // BASE_DATA_DATA_FILE_H_
