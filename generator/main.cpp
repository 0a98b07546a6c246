// scaffold: what was asked for is parsed, then done. Errors are reported here and nowhere else; see docs/errors.md.
#include <unistd.h>

#include "base/log/console.h"
#include "base/log/error.h"
#include "generator/cli.h"
#include "generator/doctor.h"
#include "generator/probe.h"

namespace generator {
namespace {

int run(const Invocation& invocation) {
  base::Console output(STDOUT_FILENO);
  switch (invocation.command) {
    case Command::kPrint:
      output.write_line(invocation.text);
      return 0;
    case Command::kDoctor: {
      SystemProbe machine;
      return doctor(machine, output);
    }
  }
  throw base::Error(base::ErrorKind::kInternal, "a command that nobody runs", "", "");
}

}  // namespace
}  // namespace generator

int main(int argc, char** argv) {
  return base::run_main([&] { return generator::run(generator::parse(argc, argv)); });
}
