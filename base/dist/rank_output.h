// rank_output.h: what the ranks of a machine print, on its way to their files and to the console. Internal to
// base/dist.
#ifndef BASE_DIST_RANK_OUTPUT_H_
#define BASE_DIST_RANK_OUTPUT_H_

#include <poll.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/dist/descriptor.h"

namespace base::dist {

/// On the console every line has its rank before it, "[2/4] ". The first rank's lines are shown as they come. Those of
/// the others are held back for a moment: if one of them fails, its lines are shown and what the others said meanwhile
/// is not, so that a mistake which all of them made is told once. Their files have all of it.
class RankOutput {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kHold{2000};

  /// `first` is the rank that speaks freely, `size` how many there are on all machines. An empty folder: no files. One
  /// that cannot be written to is an Error of the usage kind. `clears` is for a console where the first rank, unseen
  /// from here, may have left a progress bar.
  RankOutput(std::filesystem::path folder, int first, int size, bool clears);

  /// Starts the rank's file anew.
  void open_file(int rank);
  std::filesystem::path file_of(int rank, const char* extension) const;

  /// The end of a pipe for one more stream of a rank; its lines go on to the descriptor `console`.
  Descriptor open_pipe(int rank, int console);

  void add_to(std::vector<pollfd>& events) const;
  /// When the next line is due.
  std::optional<Clock::time_point> next() const;
  /// Takes what is there, without waiting, and shows what is due.
  void pass_on();

  /// Takes a progress bar away, before something else is written.
  void clear_line() const;

  /// From now on only this rank is shown: it has failed.
  void show_only(int rank);
  /// Takes what is left of all streams and ends them; `shown` or not what is held back. Ready for new ones then.
  void finish(bool shown = true);

 private:
  struct Stream {
    int rank;
    int console;
    Descriptor pipe;
    std::string line = {};  // its start
  };
  struct Line {
    int rank;
    int console;
    std::string text;
    Clock::time_point time;  // from which on it may be shown; of one that is, when it was
  };

  bool take(Stream& stream);
  void add(const Stream& stream, std::string text);
  void show(const Line& line) const;
  std::string prefix_of(int rank) const;

  std::filesystem::path folder_;
  int first_;
  int size_;
  bool clears_;
  std::map<int, Descriptor> files_;  // by rank
  std::vector<Stream> streams_;
  std::deque<Line> held_;
  std::deque<Line> shown_;  // of the first rank, lately
  std::optional<int> only_;
};

}  // namespace base::dist

#endif  // BASE_DIST_RANK_OUTPUT_H_
