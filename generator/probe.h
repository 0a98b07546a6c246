// probe.h: what doctor may ask of a machine. Tests ask a machine of their own making.
#ifndef GENERATOR_PROBE_H_
#define GENERATOR_PROBE_H_

#include <optional>
#include <string>
#include <vector>

#include "generator/process.h"

namespace generator {

/// What NVIDIA's driver library says of itself.
struct CudaDriver {
  int error = 0;    // of cuInit(); 0: the rest is known
  int version = 0;  // the newest CUDA it can run, 12040 for 12.4
  int devices = 0;
};

class Probe {
 public:
  virtual ~Probe() = default;

  virtual ProcessResult run(const std::vector<std::string>& argv) = 0;
  /// The path of a program on $PATH; a name with a slash is the path, if there is a program.
  virtual std::optional<std::string> find_program(const std::string& name) = 0;
  virtual std::optional<std::string> read_file(const std::string& path) = 0;
  /// An environment variable; empty if it is not set.
  virtual std::string variable(const std::string& name) = 0;
  /// The folder of the `scaffold` binary.
  virtual std::string tool_folder() = 0;
  /// Empty if there is no driver library.
  virtual std::optional<CudaDriver> cuda_driver() = 0;
};

/// The machine this runs on.
class SystemProbe final : public Probe {
 public:
  ProcessResult run(const std::vector<std::string>& argv) override { return run_process(argv); }
  std::optional<std::string> find_program(const std::string& name) override;
  std::optional<std::string> read_file(const std::string& path) override;
  std::string variable(const std::string& name) override;
  std::string tool_folder() override;
  std::optional<CudaDriver> cuda_driver() override;
};

}  // namespace generator

#endif  // GENERATOR_PROBE_H_
