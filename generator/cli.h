// cli.h: the command line of `scaffold`. With pages, the only user of CLI11 in this folder.
#ifndef GENERATOR_CLI_H_
#define GENERATOR_CLI_H_

#include <string>

#include "generator/new_project.h"
#include "generator/update.h"

namespace generator {

enum class Command {
  kPrint,       // the text below: help, the version, a completion script or the manual page
  kNewProject,  // write a project
  kAdd,         // add a class to the project around the current folder
  kUpdate,      // merge newer templates into it
  kCheck,       // see whether an update would change it
  kDiff,        // show what an update would change
  kList,        // the tasks
  kShow,        // one of them
  kDoctor,      // look at this machine
};

/// What the user asked for.
struct Invocation {
  Command command = Command::kPrint;
  std::string text = {};
  NewProjectOptions project = {};  // kNewProject
  UpdateOptions update = {};       // kUpdate, kCheck, kDiff
  std::string templates = {};      // kAdd, kList, kShow: a folder; empty: the project's, or those in this binary
  std::string kind = {};           // kAdd
  std::string name = {};           // kAdd: of the class; kShow: of the task
};

/// A wrong command line is a base::Error of the usage kind. No arguments at all ask for help.
Invocation parse(int argc, const char* const* argv);

}  // namespace generator

#endif  // GENERATOR_CLI_H_
