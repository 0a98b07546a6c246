#include "base/records/safetensors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/text.h"
#include "base/records/bytes.h"
#include "base/records/crc32c.h"
#include "base/records/output_file.h"

namespace base {
namespace {

using Json = nlohmann::json;
using Event = Json::parse_event_t;

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMostHeaderBytes = 100'000'000;  // Python's reader takes no more either
constexpr std::size_t kMostDimensions = 64;            // as many as LibTorch and NumPy have
constexpr std::string_view kMetadata = "__metadata__";

struct DTypeInfo {
  std::string_view name;
  std::size_t size;
};
constexpr std::array kDTypes{
    DTypeInfo{"BOOL", 1}, DTypeInfo{"U8", 1},   DTypeInfo{"I8", 1},  DTypeInfo{"I16", 2}, DTypeInfo{"U16", 2},
    DTypeInfo{"F16", 2},  DTypeInfo{"BF16", 2}, DTypeInfo{"I32", 4}, DTypeInfo{"U32", 4}, DTypeInfo{"F32", 4},
    DTypeInfo{"F64", 8},  DTypeInfo{"I64", 8},  DTypeInfo{"U64", 8},
};

std::optional<DType> dtype_named(std::string_view name) {
  const auto found = std::ranges::find(kDTypes, name, &DTypeInfo::name);
  if (found == kDTypes.end()) return std::nullopt;
  return static_cast<DType>(found - kDTypes.begin());
}

// A name out of a file, fit for a message.
std::string in_quotes(std::string_view name) {
  const std::string visible = visible_line(name);
  const std::string_view start = cut_text(visible, 80);
  return format("'{}{}'", start, start.size() < visible.size() ? "..." : "");
}

// What a tensor of this shape takes; nothing if that is more than any file can hold.
std::optional<std::uint64_t> bytes_needed(DType dtype, std::span<const std::int64_t> shape) {
  std::uint64_t bytes = size_of(dtype);
  for (const std::int64_t length : shape) {
    if (length < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(length), &bytes)) return std::nullopt;
  }
  return bytes;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (const std::int64_t length : shape) text += format("{}{}", text.size() > 1 ? "," : "", length);
  return text + "]";
}

struct Entry {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin;  // both counted from the end of the header
  std::uint64_t end;
};

// Takes the header apart while it is parsed, an entry at a time: however large it is, no tree of it comes to be.
class HeaderParser {
 public:
  HeaderParser(const std::filesystem::path& path, std::string_view text) : path_(path), text_(text) {}

  void parse() {
    try {
      const auto take_it = [this](int depth, Event event, Json& value) { return take(depth, event, value); };
      [[maybe_unused]] const Json emptied = Json::parse(text_, take_it);
    } catch (const Json::parse_error& error) {
      const std::size_t at = kLengthBytes + std::max<std::size_t>(error.byte, 1) - 1;
      throw refused(format("its header is not valid JSON at byte {}", at));
    } catch (const Json::exception&) {  // a number that no double holds
      throw refused("its header holds a number that is out of range");
    }
  }

  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;

  Error refused(const std::string& why) const {
    return {ErrorKind::kData, "this is not a whole safetensors file", format("{} ({})", path_, why),
            "fetch or write the file again"};
  }

 private:
  // false: the value is dealt with and need not be kept
  bool take(int depth, Event event, Json& value) {
    const bool is_object = event == Event::object_start || event == Event::object_end;
    if ((depth < 2 && !is_object && event != Event::key) || depth > 3) {
      throw refused("its header is not an object of objects");
    }
    switch (event) {
      case Event::object_start:
        keys_.emplace_back();
        break;
      case Event::key: {
        const auto& key = value.get_ref<const std::string&>();
        if (!keys_.back().insert(key).second) throw refused(format("its header has {} twice", in_quotes(key)));
        if (depth == 1) name_ = key;
        break;
      }
      case Event::object_end:
        keys_.pop_back();
        if (depth != 1) break;
        name_ == kMetadata ? add_metadata(value) : add_tensor(value);
        return false;
      case Event::array_start:
        elements_ = 0;
        break;
      case Event::value:
        if (depth == 3 && ++elements_ > kMostDimensions) {
          throw refused(format("{} has more than {} dimensions", in_quotes(name_), kMostDimensions));
        }
        break;
      case Event::array_end:
        break;
    }
    return true;
  }

  void add_metadata(const Json& value) {
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) throw refused(format("its metadata {} is not a text", in_quotes(key)));
      metadata[key] = text.get<std::string>();
    }
  }

  void add_tensor(const Json& value) {
    const auto dtype_at = value.find("dtype");
    if (dtype_at == value.end() || !dtype_at->is_string()) throw refused(format("{} has no dtype", in_quotes(name_)));
    const auto& dtype_name = dtype_at->get_ref<const std::string&>();
    const std::optional<DType> dtype = dtype_named(dtype_name);
    if (!dtype) throw refused(format("{} has the unknown dtype {}", in_quotes(name_), in_quotes(dtype_name)));
    const std::vector<std::uint64_t> shape = numbers(value, "shape");
    const std::vector<std::uint64_t> offsets = numbers(value, "data_offsets");
    if (offsets.size() != 2) throw refused(format("{} has not two data_offsets", in_quotes(name_)));
    entries.push_back({name_, *dtype, {shape.begin(), shape.end()}, offsets[0], offsets[1]});
  }

  std::vector<std::uint64_t> numbers(const Json& value, const char* key) const {
    std::vector<std::uint64_t> result;
    const auto list = value.find(key);
    bool good = list != value.end() && list->is_array();
    for (std::size_t i = 0; good && i < list->size(); ++i) {
      const Json& number = (*list)[i];
      good = number.is_number_unsigned() && number.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
      if (good) result.push_back(number.get<std::uint64_t>());
    }
    if (!good) throw refused(format("{} of {} is not a list of sizes", key, in_quotes(name_)));
    return result;
  }

  const std::filesystem::path& path_;
  std::string_view text_;
  std::string name_;                         // of the entry that is being read
  std::vector<std::set<std::string>> keys_;  // of each object that is open
  std::size_t elements_ = 0;                 // of the list that is open
};

// {"__metadata__":{...},"name":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},...}, padded so that the data is
// aligned.
std::string make_header(std::span<const TensorView* const> tensors,
                        const std::map<std::string, std::string>& metadata) {
  std::string header = "{";
  if (!metadata.empty()) header += format(R"("{}":{},)", kMetadata, Json(metadata).dump());
  std::uint64_t offset = 0;
  for (const TensorView* tensor : tensors) {
    const std::uint64_t end = offset + tensor->bytes.size();
    header += format(R"({}:{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}},)", Json(tensor->name).dump(),
                     name_of(tensor->dtype), shape_text(tensor->shape), offset, end);
    offset = end;
  }
  if (header.back() == ',') header.pop_back();
  header += '}';
  header.resize((header.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  return header;
}

void check_tensors(const std::filesystem::path& path, std::span<const TensorView* const> tensors) {
  const auto refuse = [&](const TensorView& tensor, const std::string& why) {
    throw Error(ErrorKind::kData, format("the tensor {} cannot be written", in_quotes(tensor.name)),
                format("{} ({})", path, why), "give each tensor a name of its own and the bytes of its shape");
  };
  std::set<std::string_view> names;
  for (const TensorView* tensor : tensors) {
    if (tensor->name == kMetadata) refuse(*tensor, "the name is the metadata's");
    if (!names.insert(tensor->name).second) refuse(*tensor, "another one has its name");
    if (bytes_needed(tensor->dtype, tensor->shape) != tensor->bytes.size()) {
      refuse(*tensor, format("{} {} does not take {} bytes", name_of(tensor->dtype), shape_text(tensor->shape),
                             tensor->bytes.size()));
    }
  }
}

}  // namespace

std::size_t size_of(DType dtype) {
  return kDTypes.at(static_cast<std::size_t>(dtype)).size;
}

std::string_view name_of(DType dtype) {
  return kDTypes.at(static_cast<std::size_t>(dtype)).name;
}

bool is_floating(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kF16 || dtype == DType::kBF16;
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  const std::span<const std::byte> all = file_.bytes();
  const std::uint64_t header_bytes = all.size() < kLengthBytes ? 0 : load<std::uint64_t>(all.data());
  const std::size_t most = all.size() - std::min(all.size(), kLengthBytes);
  HeaderParser header(path, text_of(all).substr(all.size() - most, std::min<std::uint64_t>(header_bytes, most)));
  if (all.size() < kLengthBytes) throw header.refused(format("it ends after {} bytes", all.size()));
  if (header_bytes > kMostHeaderBytes) throw header.refused(format("a header of {} bytes is too long", header_bytes));
  if (header_bytes > most) {
    throw header.refused(format("its header takes {} bytes, the file has {}", header_bytes, most));
  }
  header.parse();

  // Each tensor starts where the one before ends, and the last one ends with the file.
  std::ranges::stable_sort(header.entries, {}, [](const Entry& entry) { return std::tuple(entry.begin, entry.end); });
  const std::uint64_t data_at = kLengthBytes + header_bytes;
  const std::span<const std::byte> data = all.subspan(data_at);
  std::uint64_t expected = 0;
  for (Entry& entry : header.entries) {
    const std::string name = in_quotes(entry.name);
    if (entry.begin != expected) {
      throw header.refused(format("{} starts at byte {}, the tensor before it ends at {}", name, data_at + entry.begin,
                                  data_at + expected));
    }
    if (entry.end < entry.begin || entry.end > data.size()) {
      throw header.refused(
          format("{} goes from byte {} to {} of {}", name, data_at + entry.begin, data_at + entry.end, all.size()));
    }
    if (bytes_needed(entry.dtype, entry.shape) != entry.end - entry.begin) {
      throw header.refused(format("{} at byte {} has {} bytes, which is not {} {}", name, data_at + entry.begin,
                                  entry.end - entry.begin, name_of(entry.dtype), shape_text(entry.shape)));
    }
    tensors_.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape),
                        data.subspan(entry.begin, entry.end - entry.begin)});
    expected = entry.end;
  }
  if (expected != data.size()) {
    throw header.refused(format("its tensors end at byte {}, the file at {}", data_at + expected, all.size()));
  }
  metadata_ = std::move(header.metadata);
  for (std::size_t i = 0; i < tensors_.size(); ++i) by_name_[tensors_[i].name] = i;
}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

std::uint32_t write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                                const SafetensorsWriteOptions& options) {
  std::vector<const TensorView*> ordered;
  for (const TensorView& tensor : tensors) ordered.push_back(&tensor);
  std::ranges::sort(ordered, [](const TensorView* a, const TensorView* b) {
    return std::tie(b->dtype, a->name) < std::tie(a->dtype, b->name);  // the widest types first, then by name
  });
  check_tensors(path, ordered);
  std::string header;
  try {
    header = make_header(ordered, options.metadata);
  } catch (const Json::exception&) {
    throw Error(ErrorKind::kData, "a tensor's name or the metadata is not UTF-8", path.string(), "name it in UTF-8");
  }
  if (header.size() > kMostHeaderBytes) {
    throw Error(ErrorKind::kData, format("the names and metadata take more than {} bytes", kMostHeaderBytes),
                path.string(), "write several files");
  }

  OutputFile file(path);
  std::uint32_t crc = 0;
  const auto append = [&](std::span<const std::byte> bytes) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;  // small enough to be in the cache still when it is written
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(kPiece, bytes.size()))) {
      const std::span<const std::byte> piece = bytes.first(std::min(kPiece, bytes.size()));
      crc = crc32c(piece, crc);
      file.append(piece);
    }
  };
  std::array<std::byte, kLengthBytes> length{};
  store<std::uint64_t>(length.data(), header.size());
  append(length);
  append(bytes_of(header));
  for (const TensorView* tensor : ordered) append(tensor->bytes);
  if (options.sync) file.sync();
  file.close();
  return crc;
}

}  // namespace base
