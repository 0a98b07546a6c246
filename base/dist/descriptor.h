// descriptor.h: a number that the system gave for an open file, pipe or socket. Internal to base/dist.
#ifndef BASE_DIST_DESCRIPTOR_H_
#define BASE_DIST_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace base::dist {

/// Closed in the end. -1 stands for none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

}  // namespace base::dist

#endif  // BASE_DIST_DESCRIPTOR_H_
