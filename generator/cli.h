// cli.h: the command line of `scaffold`. The only user of CLI11 in this folder.
#ifndef GENERATOR_CLI_H_
#define GENERATOR_CLI_H_

#include <string>

namespace generator {

enum class Command {
  kPrint,   // the text below: help or the version
  kDoctor,  // look at this machine
};

/// What the user asked for.
struct Invocation {
  Command command = Command::kPrint;
  std::string text = {};
};

/// A wrong command line is a base::Error of the usage kind. No arguments at all ask for help.
Invocation parse(int argc, const char* const* argv);

}  // namespace generator

#endif  // GENERATOR_CLI_H_
