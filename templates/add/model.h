// <@ file_name @>.h
#ifndef <@ upper(identifier) @>_<@ upper(file_name) @>_H_
#define <@ upper(identifier) @>_<@ upper(file_name) @>_H_

namespace <@ namespace @> {

// TODO(1/1): what it does.
class <@ class_name @> final {};

}  // namespace <@ namespace @>

#endif  // <@ upper(identifier) @>_<@ upper(file_name) @>_H_
