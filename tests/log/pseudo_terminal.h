// pseudo_terminal.h: a terminal for tests, of a set width, that remembers every byte written to it.
#ifndef TESTS_LOG_PSEUDO_TERMINAL_H_
#define TESTS_LOG_PSEUDO_TERMINAL_H_

#include <string>
#include <thread>

#include "base/log/console.h"

namespace base {

class PseudoTerminal {
 public:
  explicit PseudoTerminal(int columns = 80);
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  /// What a program would have as its standard error.
  int descriptor() const { return program_side_; }
  void resize(int columns);

  /// Hangs up and returns all that was written, byte for byte (newlines are not turned into "\r\n").
  const std::string& output();

 private:
  int our_side_ = -1;
  int program_side_ = -1;
  std::string output_;
  std::thread reader_;  // a terminal that nobody reads makes its writer wait
};

/// The environment of somebody who sits before a modern terminal.
inline Console::Environment at_a_terminal() {
  return {.term = "xterm-256color", .locale = "en_US.UTF-8"};
}

}  // namespace base

#endif  // TESTS_LOG_PSEUDO_TERMINAL_H_
