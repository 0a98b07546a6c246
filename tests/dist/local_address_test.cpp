#include "base/dist/local_address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tensor/message_of.h"

namespace base {
namespace {

using testing::HasSubstr;

World two_machines(const std::string& master) {
  World world;
  world.size = 2;
  world.master_address = master;
  return world;
}

bool has_network() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return false;
  bool found = false;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    found |= each->ifa_addr != nullptr && each->ifa_addr->sa_family == AF_INET &&
             (each->ifa_flags & (IFF_UP | IFF_RUNNING | IFF_LOOPBACK)) == (IFF_UP | IFF_RUNNING);
  }
  freeifaddrs(all);
  return found;
}

TEST(LocalAddress, OfOneMachineStaysInIt) {
  World world = two_machines("10.0.0.1");
  world.local_size = 2;
  EXPECT_EQ(local_address(world), "127.0.0.1");
}

TEST(LocalAddress, IsLoopbackIfTheMasterIs) {
  EXPECT_EQ(local_address(two_machines("127.0.0.1")), "127.0.0.1");
}

TEST(LocalAddress, OfAMachineThatCallsItself127LeadsOut) {
  const World world = two_machines("2130706433");  // 127.0.0.1 by another name, which needs no server to be found
  EXPECT_EQ(local_address(world).starts_with("127."), !has_network());
}

TEST(LocalAddress, NeedsAMasterWhoseNameIsKnown) {
  EXPECT_THAT(message_of(ErrorKind::kDistributed, [] { local_address(two_machines("no-such-machine.invalid")); }),
              HasSubstr("the address of the first machine is unknown: no-such-machine.invalid"));
}

}  // namespace
}  // namespace base
