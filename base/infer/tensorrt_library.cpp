#include "base/infer/tensorrt_library.h"

#include <NvInfer.h>
#include <NvOnnxParser.h>
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "base/log/format.h"
#include "base/log/log.h"

static_assert(NV_TENSORRT_MAJOR == 10 || NV_TENSORRT_MAJOR == 11, "TensorRT 10 and 11 are known");

namespace base {
namespace {

/// Null if it is not there; `reasons` then says why.
void* open_library(const std::string& name, std::string& reasons) {
  std::string path = name;
  if (const char* root = std::getenv("TENSORRT_ROOT"); root != nullptr && *root != '\0') {
    for (const char* folder : {"lib", "lib64", "."}) {
      const std::filesystem::path candidate = std::filesystem::path(root) / folder / name;
      std::error_code ignored;
      if (std::filesystem::exists(candidate, ignored)) {
        path = candidate.string();
        break;
      }
    }
  }
  // Local: what this library brings must not stand in for what others of the process were linked with.
  if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const char* reason = ::dlerror();
  reasons += format("{}{}", reasons.empty() ? "" : "; ", reason != nullptr ? reason : path);
  return nullptr;
}

template <typename Function>
Function entry_point(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));  // NOLINT(*-reinterpret-cast): how dlsym() is used
}

}  // namespace

int TensorRtLibrary::major_version() {
  return NV_TENSORRT_MAJOR;
}

const TensorRtLibrary& TensorRtLibrary::get() {
  static const TensorRtLibrary library;
  return library;
}

std::string TensorRtLibrary::why_not() {
  try {
    get();
  } catch (const Error& error) {
    return error.problem();
  }
  return {};
}

TensorRtLibrary::TensorRtLibrary() {
  std::string reasons;
  void* library = nullptr;
  for (const char* name : {"libnvinfer.so", "libnvinfer_lean.so"}) {
    library = open_library(format("{}.{}", name, NV_TENSORRT_MAJOR), reasons);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    throw Error(ErrorKind::kDevice, format("TensorRT {} is not on this machine", NV_TENSORRT_MAJOR), reasons,
                "install NVIDIA's package libnvinfer, or set TENSORRT_ROOT to the folder of its archive");
  }
  create_runtime_ = entry_point<Create>(library, "createInferRuntime_INTERNAL");
  create_builder_ = entry_point<Create>(library, "createInferBuilder_INTERNAL");
  using Number = int (*)();
  const auto number = [library](const char* name) {
    const auto function = entry_point<Number>(library, name);
    return function != nullptr ? function() : 0;
  };
  version_ = format("{}.{}.{}.{}", number("getInferLibMajorVersion"), number("getInferLibMinorVersion"),
                    number("getInferLibPatchVersion"), number("getInferLibBuildVersion"));
  if (create_runtime_ == nullptr) {
    throw Error(ErrorKind::kBackend, "the library is not TensorRT's runtime", version_, "install TensorRT again");
  }
  log::debug("TensorRT {}{}", version_, is_lean() ? ", the lean runtime" : "");
}

void* TensorRtLibrary::create_runtime(TensorRtLog& log) const {
  void* runtime = create_runtime_(log.handle(), NV_TENSORRT_VERSION);
  if (runtime == nullptr) throw log.error("TensorRT does not start", version_, "see nvidia-smi");
  return runtime;
}

void* TensorRtLibrary::create_builder(TensorRtLog& log) const {
  if (create_builder_ == nullptr) {
    throw Error(ErrorKind::kBackend, "the lean runtime of TensorRT builds no plans", version_,
                "give it a version-compatible plan that was built elsewhere, or install all of TensorRT");
  }
  void* builder = create_builder_(log.handle(), NV_TENSORRT_VERSION);
  if (builder == nullptr) throw log.error("TensorRT's builder does not start", version_, "see nvidia-smi");
  return builder;
}

void* TensorRtLibrary::create_parser(void* network, TensorRtLog& log) {
  std::string reasons;
  static void* const library = open_library(format("libnvonnxparser.so.{}", NV_TENSORRT_MAJOR), reasons);
  using CreateParser = void* (*)(void* network, void* logger, int version);
  const auto create = library != nullptr ? entry_point<CreateParser>(library, "createNvOnnxParser_INTERNAL") : nullptr;
  if (create == nullptr) {
    throw Error(ErrorKind::kBackend, "TensorRT's parser for ONNX is not on this machine", reasons,
                "install NVIDIA's package libnvonnxparsers");
  }
  void* parser = create(network, log.handle(), NV_ONNX_PARSER_VERSION);
  if (parser == nullptr) throw log.error("TensorRT's parser for ONNX does not start", "", "install TensorRT again");
  return parser;
}

}  // namespace base
