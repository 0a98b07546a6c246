#include "tests/log/pseudo_terminal.h"

#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <stdexcept>

namespace base {

PseudoTerminal::PseudoTerminal(int columns) {
  if (openpty(&our_side_, &program_side_, nullptr, nullptr, nullptr) != 0) throw std::runtime_error("no pty left");
  termios modes{};
  tcgetattr(program_side_, &modes);
  modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  tcsetattr(program_side_, TCSANOW, &modes);
  resize(columns);
  reader_ = std::thread([this] {
    std::array<char, 4096> bytes{};
    ssize_t count = 0;
    while ((count = read(our_side_, bytes.data(), bytes.size())) > 0) {
      output_.append(bytes.data(), static_cast<std::size_t>(count));
    }
  });
}

PseudoTerminal::~PseudoTerminal() {
  output();
  close(our_side_);
}

void PseudoTerminal::resize(int columns) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(columns);
  ioctl(program_side_, TIOCSWINSZ, &size);
}

const std::string& PseudoTerminal::output() {
  if (reader_.joinable()) {
    close(program_side_);
    reader_.join();
  }
  return output_;
}

}  // namespace base
