// pages.h: what the command line says of itself in other forms, made from it, so that they never drift apart.
#ifndef GENERATOR_PAGES_H_
#define GENERATOR_PAGES_H_

#include <string>

namespace CLI {
class App;
}

namespace generator {

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
/// In roff, for man(1).
std::string manual_page(const CLI::App& app, const std::string& version);

}  // namespace generator

#endif  // GENERATOR_PAGES_H_
