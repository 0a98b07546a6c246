// name.h: from one NAME everything that a project is called by. Pure.
#ifndef GENERATOR_NAME_H_
#define GENERATOR_NAME_H_

#include <string>
#include <string_view>

namespace generator {

/// `MyProject`, `my-project` and `my_project` differ in `given` alone.
struct ProjectName {
  std::string given;       // also the folder
  std::string identifier;  // for C++, Python and CMake: my_project
  std::string job_name;    // as RFC 1035 wants it, with room for the time of a run: my-project
};

/// A name that does not do, for a compiler or for a cluster, is an error of the usage kind that says why.
ProjectName parse_project_name(const std::string& name);

/// Of a class that `scaffold add` writes: `ResNetTiny` and `res_net_tiny` are the same.
struct ClassName {
  std::string class_name;  // ResNetTiny
  std::string file_name;   // res_net_tiny
};
ClassName parse_class_name(const std::string& name);

/// Whether it does as a namespace: letters, digits and single underscores, no word of C++ and nothing that is taken.
bool is_identifier(std::string_view text);

}  // namespace generator

#endif  // GENERATOR_NAME_H_
