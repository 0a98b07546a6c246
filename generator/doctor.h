// doctor.h: `scaffold doctor`: what this machine has of what a project needs, and how to get the rest.
#ifndef GENERATOR_DOCTOR_H_
#define GENERATOR_DOCTOR_H_

#include <string_view>
#include <vector>

#include "base/log/console.h"
#include "generator/finding.h"
#include "generator/probe.h"

namespace generator {

/// Where `./dev install` puts a Conan of the tool's own, seen from the folder of the `scaffold` binary. One on $PATH is
/// preferred.
inline constexpr std::string_view kOwnConan = "../libexec/scaffold/venv/bin/conan";

/// Looks at everything a project may use. Asks no network.
std::vector<Finding> examine(Probe& machine);

/// Prints what examine() finds and returns the exit code.
int doctor(Probe& machine, base::Console& output);

}  // namespace generator

#endif  // GENERATOR_DOCTOR_H_
