// run_name.h: what a run is called that got no name.
#ifndef BASE_DIST_RUN_NAME_H_
#define BASE_DIST_RUN_NAME_H_

#include <string>

namespace base {

/// "20261118-113000_5fe0a1": the time, and chance to tell apart what starts in the same second.
std::string new_run_name();

}  // namespace base

#endif  // BASE_DIST_RUN_NAME_H_
