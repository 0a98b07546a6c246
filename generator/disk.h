// disk.h: what the standard library does not do with files: to sync them, and to say why it did not work.
#ifndef GENERATOR_DISK_H_
#define GENERATOR_DISK_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "base/log/error.h"

namespace generator {

/// A file that could not be written, from an errno: of the device kind if the disk is full, else of the usage kind.
base::Error disk_error(const std::filesystem::path& path, int error);

/// Writes a file that must not be there yet.
void write_new_file(const std::filesystem::path& path, std::string_view text, bool is_executable);

/// Makes a folder whose name begins so, and that only its maker may read.
std::filesystem::path make_temporary_folder(const std::filesystem::path& parent, const std::string& prefix);

/// All that was written to the file system of this folder: one wait for a whole tree instead of one for each file.
void sync_file_system(const std::filesystem::path& folder);

}  // namespace generator

#endif  // GENERATOR_DISK_H_
