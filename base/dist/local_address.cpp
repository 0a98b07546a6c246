#include "base/dist/local_address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

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

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost";
}

/// The first one that leads out of this machine; empty if there is none.
std::string outward_address() {
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> all(found, freeifaddrs);
  for (const ifaddrs* each = all.get(); each != nullptr; each = each->ifa_next) {
    constexpr unsigned kUsable = IFF_UP | IFF_RUNNING;
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    if ((each->ifa_flags & (kUsable | IFF_LOOPBACK)) != kUsable) continue;
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(each->ifa_addr, sizeof(sockaddr_in), text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0)
      return text.data();
  }
  return {};
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
    if (own.empty()) continue;
    if (!is_loopback(own) || is_loopback(world.master_address)) return own;
    // A machine that calls itself 127.0.1.1, as Debian's do: the others cannot reach it there.
    const std::string outward = outward_address();
    return outward.empty() ? own : outward;
  }
  throw Error(ErrorKind::kDistributed, "no network leads to the first machine",
              format("{}: {}", world.master_address, std::strerror(errno)),
              "set MASTER_ADDR to an address that this machine reaches");
}

}  // namespace base
