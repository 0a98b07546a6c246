#include "base/dist/slurm.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/log/format.h"
#include "tests/tensor/message_of.h"

namespace base {
namespace {

using Hosts = std::vector<std::string>;

TEST(SlurmHosts, AreReadAsSlurmWritesThem) {
  EXPECT_EQ(slurm_hosts("node1"), (Hosts{"node1"}));
  EXPECT_EQ(slurm_hosts("a,b"), (Hosts{"a", "b"}));
  EXPECT_EQ(slurm_hosts("node[003-005,9]"), (Hosts{"node003", "node004", "node005", "node9"}));
  EXPECT_EQ(slurm_hosts("login,node[8-11],last"), (Hosts{"login", "node8", "node9", "node10", "node11", "last"}));
  EXPECT_EQ(slurm_hosts("r[1-2]n[1,3]-ib"), (Hosts{"r1n1-ib", "r1n3-ib", "r2n1-ib", "r2n3-ib"}));
  EXPECT_EQ(slurm_hosts("[7-8]"), (Hosts{"7", "8"}));
}

TEST(SlurmHosts, RefusesWhatIsNoList) {
  for (const char* list : {"", "a,,b", "node[1-", "node]1", "node[]", "node[x]", "node[3-1]", "node[-1]", "two words",
                           "node[0-2000000000]", "node[1-99999999999]", "a[0-999]b[0-999]c[0-999]"}) {
    EXPECT_EQ(message_of(ErrorKind::kDistributed, [&] { slurm_hosts(list); }),
              format("distributed error: not a list as Slurm writes it{}{}\n"
                     "  fix: give one such as login,node[003-007,9]",
                     *list == 0 ? "" : ": ", list));
  }
}

RC_GTEST_PROP(SlurmHosts, ComeBackFromWhatWasWritten, ()) {
  std::string list;
  Hosts expected;
  const auto items = *rc::gen::inRange(1, 5);
  for (int item = 0; item < items; ++item) {
    const auto name = *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'z')));
    list += (list.empty() ? "" : ",") + name;
    const auto ranges = *rc::gen::inRange(0, 4);
    if (ranges == 0) expected.push_back(name);
    for (int range = 0; range < ranges; ++range) {
      const auto width = *rc::gen::inRange(1, 5);
      const auto first = *rc::gen::inRange(0, 10);
      const auto last = first + *rc::gen::inRange(0, 20);
      list += format("{}{:0{}}", range == 0 ? "[" : ",", first, width);
      if (last > first) list += format("-{:0{}}", last, width);
      if (range == ranges - 1) list += ']';
      for (int number = first; number <= last; ++number) expected.push_back(name + format("{:0{}}", number, width));
    }
  }
  RC_ASSERT(slurm_hosts(list) == expected);
}

TEST(SlurmCounts, AreReadAsSlurmWritesThem) {
  EXPECT_EQ(slurm_counts("4"), (std::vector{4}));
  EXPECT_EQ(slurm_counts("2(x3),1"), (std::vector{2, 2, 2, 1}));
  for (const char* list : {"2(x3", "(x2)", "2(x)", "a", "2(x2000000000)"}) {
    EXPECT_EQ(message_of(ErrorKind::kDistributed, [&] { slurm_counts(list); }),
              format("distributed error: not a list as Slurm writes it: {}\n"
                     "  fix: give one such as login,node[003-007,9]",
                     list));
  }
}

}  // namespace
}  // namespace base
