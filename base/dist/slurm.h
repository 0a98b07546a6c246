// slurm.h: how Slurm writes lists in its variables.
#ifndef BASE_DIST_SLURM_H_
#define BASE_DIST_SLURM_H_

#include <string>
#include <string_view>
#include <vector>

namespace base {

/// The hosts of a list such as "login,node[003-005,9]": login, node003, node004, node005, node9. A name may hold
/// several brackets. Anything else is an Error of the distributed kind.
std::vector<std::string> slurm_hosts(std::string_view list);

/// The numbers of a list such as "2(x3),1": 2, 2, 2, 1.
std::vector<int> slurm_counts(std::string_view list);

}  // namespace base

#endif  // BASE_DIST_SLURM_H_
