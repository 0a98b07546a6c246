#include "base/dist/local_address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/log/error.h"
#include "base/log/format.h"

namespace base {
namespace {

/// Connecting a UDP socket sends nothing: it only asks the system which way it would take.
std::string address_towards(const addrinfo& target) {
  const int socket = ::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return {};
  sockaddr_storage own = {};
  socklen_t size = sizeof own;
  std::array<char, NI_MAXHOST> text{};
  const bool known =
      connect(socket, target.ai_addr, target.ai_addrlen) == 0 &&
      getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
      getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0;
  close(socket);
  return known ? std::string(text.data()) : std::string();
}

}  // namespace

std::string local_address(const World& world) {
  if (world.local_size == world.size) return "127.0.0.1";
  addrinfo hints = {};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(world.master_address.c_str(), "9", &hints, &found);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  if (error != 0) {
    throw Error(ErrorKind::kDistributed, "the address of the first machine is unknown",
                format("{}: {}", world.master_address, gai_strerror(error)),
                "set MASTER_ADDR to a name or an address of it");
  }
  for (const addrinfo* target = all.get(); target != nullptr; target = target->ai_next) {
    const std::string own = address_towards(*target);
    if (!own.empty()) return own;
  }
  throw Error(ErrorKind::kDistributed, "no network leads to the first machine",
              format("{}: {}", world.master_address, std::strerror(errno)),
              "set MASTER_ADDR to an address that this machine reaches");
}

}  // namespace base
