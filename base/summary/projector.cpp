#include "base/torch.h"

#include "base/summary/projector.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "base/log/error.h"
#include "base/log/format.h"
#include "base/records/bytes.h"
#include "base/records/output_file.h"
#include "base/summary/picture.h"
#include "base/tensor/tensors.h"

namespace base {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostSpriteSide = 8192;  // what a browser takes as a texture

void write_text(const fs::path& path, const std::string& text) {
  OutputFile file(path);
  file.append(bytes_of(text));
  file.close();
}

/// A name that is good for a folder: other letters than these may mean something to the system.
std::string folder_name(const std::string& name) {
  std::string result = name;
  for (char& c : result) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!is_plain) c = '_';
  }
  return result.empty() ? "embedding" : result;
}

std::string points_as_text(const torch::Tensor& points) {
  std::string text;
  const auto values = points.accessor<float, 2>();
  for (std::int64_t row = 0; row < points.size(0); ++row) {
    for (std::int64_t column = 0; column < points.size(1); ++column)
      text += format("{}{:.9g}", column == 0 ? "" : "\t", values[row][column]);
    text += '\n';
  }
  return text;
}

/// A label is a line of a table: no tabs, no further lines.
std::string labels_as_text(const std::vector<std::string>& labels) {
  std::string text;
  for (std::string label : labels) {
    std::ranges::replace_if(
        label, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    text += label + '\n';
  }
  return text;
}

/// All pictures in one, as the projector wants them: a square number of them, from left to right and down.
torch::Tensor sprite_of(const torch::Tensor& pictures) {
  const std::int64_t count = pictures.size(0);
  const auto side = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const std::int64_t height = pictures.size(2);
  const std::int64_t width = pictures.size(3);
  torch::Tensor sprite = torch::zeros({pictures.size(1), side * height, side * width}, torch::kUInt8);
  for (std::int64_t i = 0; i < count; ++i)
    sprite.narrow(1, i / side * height, height).narrow(2, i % side * width, width).copy_(pictures[i]);
  return sprite;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// The entries of a configuration that are not about this folder.
std::string without(const std::string& configuration, const std::string& folder) {
  std::string kept;
  std::istringstream lines(configuration);
  for (std::string line; std::getline(lines, line);) {  // one entry a line, as written below
    if (line.find(quoted(folder + "/points.tsv")) == std::string::npos) kept += line + '\n';
  }
  return kept;
}

}  // namespace

Embedding make_embedding(const std::string& name, const torch::Tensor& points, const std::vector<std::string>& labels,
                         const torch::Tensor& pictures) {
  if (points.dim() != 2 || points.size(0) == 0 || points.size(1) == 0) {
    throw Error(ErrorKind::kUsage, "an embedding is points in rows, [n, dimensions]", describe(points),
                "flatten each to one row");
  }
  if (!labels.empty() && static_cast<std::int64_t>(labels.size()) != points.size(0)) {
    throw Error(ErrorKind::kUsage, "an embedding needs a label for each point, or none",
                format("{} labels for {} points", labels.size(), points.size(0)), "give as many");
  }
  Embedding result{name, points.detach().to(torch::kCPU, torch::kFloat).contiguous().clone(), labels, {}};
  if (!pictures.defined()) return result;
  if (pictures.dim() != 4 || pictures.size(0) != points.size(0)) {
    throw Error(ErrorKind::kUsage, "an embedding needs a picture for each point, or none",
                format("{} for {} points", describe(pictures), points.size(0)), "give [n, 1 or 3, height, width]");
  }
  const auto side = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(pictures.size(0)))));
  if (side * std::max(pictures.size(2), pictures.size(3)) > kMostSpriteSide) return result;  // no browser would show it
  std::vector<torch::Tensor> drawn;
  for (std::int64_t i = 0; i < pictures.size(0); ++i) drawn.push_back(picture_of(pictures[i]));
  result.pictures = torch::stack(drawn);
  return result;
}

void write_embedding(const fs::path& folder, const Embedding& embedding) {
  const std::string name = folder_name(embedding.name);
  const fs::path own = folder / name;
  fs::create_directories(own);
  write_text(own / "points.tsv", points_as_text(embedding.points));
  std::string entry =
      format("embeddings {{ tensor_name: {} tensor_path: {}", quoted(embedding.name), quoted(name + "/points.tsv"));
  if (!embedding.labels.empty()) {
    write_text(own / "labels.tsv", labels_as_text(embedding.labels));
    entry += format(" metadata_path: {}", quoted(name + "/labels.tsv"));
  }
  if (embedding.pictures.defined()) {
    write_text(own / "pictures.png", encode_picture(sprite_of(embedding.pictures)).bytes);
    entry += format(" sprite {{ image_path: {} single_image_dim: {} single_image_dim: {} }}",
                    quoted(name + "/pictures.png"), embedding.pictures.size(3), embedding.pictures.size(2));
  }
  const fs::path configuration = folder / "projector_config.pbtxt";
  std::ostringstream before;
  if (std::ifstream file(configuration); file) before << file.rdbuf();
  const fs::path partial = folder / "projector_config.pbtxt.partial";
  write_text(partial, without(before.str(), name) + entry + " }\n");
  fs::rename(partial, configuration);
}

}  // namespace base
