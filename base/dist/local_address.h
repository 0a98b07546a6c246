// local_address.h: by which of its addresses the others reach this machine.
#ifndef BASE_DIST_LOCAL_ADDRESS_H_
#define BASE_DIST_LOCAL_ADDRESS_H_

#include <string>

#include "base/dist/world.h"

namespace base {

/// Loopback if all processes are on one machine, else the address that this machine has towards the first one. The
/// host's own name, which is the usual choice, is an address of loopback on many machines. A distributed Error if the
/// first machine's name is unknown or no network leads there.
std::string local_address(const World& world);

}  // namespace base

#endif  // BASE_DIST_LOCAL_ADDRESS_H_
