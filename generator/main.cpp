// scaffold: what was asked for is parsed, then done. Errors are reported here and nowhere else; see docs/errors.md.
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "base/log/console.h"
#include "base/log/error.h"
#include "generator/add.h"
#include "generator/catalog.h"
#include "generator/cli.h"
#include "generator/doctor.h"
#include "generator/probe.h"

namespace generator {
namespace {

int print(base::Console& output, const std::string& text) {
  if (!text.empty()) output.write_line(text);
  return 0;
}

int print(base::Console& output, const UpdateResult& result) {
  print(output, result.text);
  return result.exit_code;
}

int run(const Invocation& invocation) {
  base::Console output(STDOUT_FILENO);
  const std::filesystem::path here = std::filesystem::current_path();
  switch (invocation.command) {
    case Command::kPrint:
      return print(output, invocation.text);
    case Command::kNewProject: {
      Prompt prompt(std::cin, std::cout);
      const bool is_terminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
      return print(output, new_project(invocation.project, is_terminal ? &prompt : nullptr));
    }
    case Command::kAdd:
      return print(output, add_to_project(here, {invocation.kind, invocation.name, invocation.templates}));
    case Command::kUpdate:
      return print(output, update_project(here, invocation.update));
    case Command::kCheck:
      return print(output, check_project(here, invocation.update));
    case Command::kDiff:
      return print(output, diff_project(here, invocation.update));
    case Command::kList:
      return print(output, list_tasks(load_templates(invocation.templates)));
    case Command::kShow:
      return print(output, show_task(load_templates(invocation.templates), invocation.name));
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
