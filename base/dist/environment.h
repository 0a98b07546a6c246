// environment.h: the variables by which a launcher tells a process of the others.
#ifndef BASE_DIST_ENVIRONMENT_H_
#define BASE_DIST_ENVIRONMENT_H_

#include <initializer_list>
#include <limits>
#include <map>
#include <string>

namespace base {

using Environment = std::map<std::string, std::string>;

Environment process_environment();

/// The variables of one launcher; an empty one counts as not set. Whatever is wrong with them is an Error of the
/// distributed kind that names them with their values.
class LauncherVariables {
 public:
  /// `sign` is the variable that shows who started the process. The environment must outlive this object.
  LauncherVariables(const Environment& environment, std::string launcher, std::string sign);

  const std::string& launcher() const { return launcher_; }
  /// Whether this launcher started the process.
  bool is_there() const { return has(sign_); }
  bool has(const std::string& name) const;
  /// The first of these that is set; "" if none is.
  std::string first_of(std::initializer_list<std::string> names) const;

  /// These must be set.
  std::string text(const std::string& name) const;
  int number(const std::string& name, int min = 0, int max = std::numeric_limits<int>::max()) const;
  int port(const std::string& name) const { return number(name, 1, 65535); }

  /// Fails with the values of `names` unless `agrees`.
  void expect(bool agrees, const std::string& otherwise, std::initializer_list<std::string> names) const;
  [[noreturn]] void fail(const std::string& what, std::initializer_list<std::string> names,
                         const std::string& fix = "") const;

 private:
  const Environment& environment_;
  std::string launcher_;
  std::string sign_;
};

}  // namespace base

#endif  // BASE_DIST_ENVIRONMENT_H_
