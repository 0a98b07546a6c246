// world.h: which of how many processes this is.
#ifndef BASE_DIST_WORLD_H_
#define BASE_DIST_WORLD_H_

namespace base {

/// The processes that train one model together. A program that was started alone is a world of one.
struct World {
  int rank = 0;  // of this process, from 0 to size - 1
  int size = 1;

  /// One process writes files and speaks; the others keep quiet.
  bool is_first() const { return rank == 0; }
};

}  // namespace base

#endif  // BASE_DIST_WORLD_H_
