#include "base/torch.h"

#include "base/data/sample_data.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <system_error>

#include "base/data/image_writer.h"
#include "base/data/part.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/records/bytes.h"
#include "base/records/output_file.h"
#include "base/tensor/random.h"

namespace base {
namespace {

namespace fs = std::filesystem;

constexpr std::array kParts{Part::kTraining, Part::kValidation, Part::kTest};

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  OutputFile file(path);
  file.append(bytes_of(bytes));
  file.close();
}

/// Of several processes that come at once, such as the ranks of a training, one at a time.
class Turn {
 public:
  explicit Turn(fs::path file)
      : file_(std::move(file)), number_(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (number_ >= 0) ::flock(number_, LOCK_EX);  // where that does not work, both write, and one is renamed
  }
  ~Turn() {
    if (number_ < 0) return;
    ::unlink(file_.c_str());
    ::close(number_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  fs::path file_;
  int number_;
};

/// Fills a hidden folder and renames it: nobody sees half of the data.
void make_folder(const fs::path& folder, const std::string& what, const std::function<void(const fs::path&)>& fill) {
  if (fs::exists(folder)) return;
  const fs::path target = folder.has_filename() ? folder : folder.parent_path();
  const fs::path partial = target.parent_path() / format(".{}.partial-{}", target.filename(), ::getpid());
  const Turn turn(target.parent_path() / format(".{}.lock", target.filename()));
  if (fs::exists(folder)) return;  // by now
  std::error_code problem;
  try {
    fs::remove_all(partial, problem);
    fill(partial);
    fs::rename(partial, target, problem);
    if (problem && !fs::exists(target)) throw fs::filesystem_error("rename", partial, target, problem);
    if (problem) return static_cast<void>(fs::remove_all(partial, problem));  // another one was first
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(partial, problem);
    throw Error(ErrorKind::kData, "sample data cannot be written", format("{} ({})", folder, error.code().message()),
                "give a folder that may be written, or one with data in it");
  } catch (...) {
    fs::remove_all(partial, problem);
    throw;
  }
  fs::remove_all(partial, problem);
  log::info("there are no data in {} yet: samples were written, {}", folder, what);
}

// ---- pictures
// --------------------------------------------------------------------------------------------------------

constexpr std::array kShapes{"circle", "cross", "square", "triangle"};

/// Whether a point is in the shape of radius 1 around zero.
bool covers(std::size_t shape, double x, double y) {
  switch (shape) {
    case 0:
      return x * x + y * y < 1;
    case 1:
      return std::min(std::abs(x), std::abs(y)) < 0.3 && std::max(std::abs(x), std::abs(y)) < 1;
    case 2:
      return std::max(std::abs(x), std::abs(y)) < 0.85;
    default:
      return y < 0.8 && y > -1 + 2 * std::abs(x);
  }
}

/// uint8 [channels, size, size]: a shape somewhere in it, darker or lighter than what is behind it, and noise over all.
torch::Tensor draw_shape(std::size_t shape, std::int64_t channels, std::int64_t size, Random& random) {
  torch::Tensor image = torch::empty({channels, size, size}, torch::kUInt8);
  const double radius = random.uniform(0.2, 0.35) * static_cast<double>(size);
  const double middle_x = random.uniform(radius, static_cast<double>(size) - radius);
  const double middle_y = random.uniform(radius, static_cast<double>(size) - radius);
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const double behind = random.uniform(20, 235);
    const double before = std::fmod(behind + random.uniform(80, 175), 256);
    auto* pixel = image[channel].mutable_data_ptr<std::uint8_t>();
    for (std::int64_t y = 0; y < size; ++y) {
      for (std::int64_t x = 0; x < size; ++x) {
        const bool inside =
            covers(shape, (static_cast<double>(x) - middle_x) / radius, (static_cast<double>(y) - middle_y) / radius);
        const double light = (inside ? before : behind) + random.uniform(-15, 15);
        *pixel++ = static_cast<std::uint8_t>(std::clamp(light, 0.0, 255.0));
      }
    }
  }
  return image;
}

// ---- IDX
// -------------------------------------------------------------------------------------------------------------

/// Bytes, with the header of an IDX file: their type and the length of each dimension.
std::string idx_of(const torch::Tensor& values) {
  std::string bytes{'\0', '\0', '\x08', static_cast<char>(values.dim())};
  for (const std::int64_t length : values.sizes())
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(length >> shift & 0xff);
  return bytes.append(static_cast<const char*>(values.const_data_ptr()), static_cast<std::size_t>(values.numel()));
}

// ---- tables
// ----------------------------------------------------------------------------------------------------------

std::string rides(std::int64_t count, Random& random) {
  std::string text = "distance,climb,wind,weight,power\n";
  for (std::int64_t i = 0; i < count; ++i) {
    const double distance = random.uniform(5, 120), climb = random.uniform(-0.02, 0.08);
    const double wind = random.uniform(-4, 6), weight = random.uniform(55, 105);
    const double speed = 8.5 - 40 * std::max(climb, 0.0) - 0.01 * distance;  // metres in a second
    const double air = 0.18 * (speed + wind) * std::abs(speed + wind) * speed;
    const double power = std::max(0.0, 9.81 * weight * (climb + 0.005) * speed + air) + random.uniform(-8, 8);
    text += format("{:.1f},{:.4f},{:.2f},{:.1f},{:.1f}\n", distance, climb, wind, weight, power);
  }
  return text;
}

std::string machine(std::int64_t hours, Random& random) {
  std::string text = "temperature,load\n";
  const double phase = random.uniform(0, 24), strength = random.uniform(5, 15), sharpness = random.uniform(0.5, 3);
  for (std::int64_t hour = 0; hour < hours; ++hour) {
    const double day = std::sin(2 * std::numbers::pi * (static_cast<double>(hour) + phase) / 24);
    const double load = 1 / (1 + std::exp(-sharpness * 3 * day));
    text += format("{:.2f},{:.3f}\n", 40 + strength * day + 10 * load + random.uniform(-1, 1),
                   load + random.uniform(-0.05, 0.05));
  }
  return text;
}

}  // namespace

void write_sample_pictures(const fs::path& folder) {
  make_folder(folder, "circles, crosses, squares and triangles", [](const fs::path& partial) {
    for (const Part part : kParts) {
      const std::int64_t count = part == Part::kTraining ? 300 : 75;
      for (std::size_t shape = 0; shape < kShapes.size(); ++shape) {
        for (std::int64_t i = 0; i < count; ++i) {
          Random random(static_cast<std::uint64_t>(part), shape, static_cast<std::uint64_t>(i));
          write(partial / part_name(part) / kShapes[shape] / format("{:03}.png", i),
                encode_png(draw_shape(shape, 3, 32, random)));
        }
      }
    }
  });
}

void write_sample_idx(const fs::path& folder) {
  make_folder(folder, "circles, crosses, squares and triangles", [](const fs::path& partial) {
    for (const auto& [part, count] : {std::pair("train", 2000), std::pair("t10k", 400)}) {
      std::vector<torch::Tensor> images;
      const torch::Tensor labels = torch::arange(count, torch::kLong).remainder(4).to(torch::kUInt8);
      for (std::int64_t i = 0; i < count; ++i) {
        Random random(static_cast<std::uint64_t>(count), 0, static_cast<std::uint64_t>(i));
        images.push_back(draw_shape(static_cast<std::size_t>(i % 4), 1, 28, random)[0]);
      }
      write(partial / format("{}-images-idx3-ubyte", part), idx_of(torch::stack(images)));
      write(partial / format("{}-labels-idx1-ubyte", part), idx_of(labels));
    }
  });
}

void write_sample_table(const fs::path& folder) {
  make_folder(folder, "the power that rides on a bicycle take", [](const fs::path& partial) {
    for (const Part part : kParts) {
      Random random(static_cast<std::uint64_t>(part));
      write(partial / format("{}.csv", part_name(part)), rides(part == Part::kTraining ? 2000 : 400, random));
    }
  });
}

void write_sample_series(const fs::path& folder) {
  make_folder(folder, "temperature and load of machines by the hour", [](const fs::path& partial) {
    for (const Part part : kParts) {
      for (std::int64_t i = 0; i < (part == Part::kTraining ? 12 : 3); ++i) {
        Random random(static_cast<std::uint64_t>(part), 0, static_cast<std::uint64_t>(i));
        write(partial / part_name(part) / format("machine_{:02}.csv", i), machine(24 * 28, random));
      }
    }
  });
}

}  // namespace base
