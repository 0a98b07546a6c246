// program.h: the program of a project as far as it is the same in all of them. app.h adds the project's own classes and
// settings; what is here is compiled once, not again with every edit of a model.
#ifndef BASE_APP_PROGRAM_H_
#define BASE_APP_PROGRAM_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/app/app_settings.h"
#include "base/callbacks/callback_settings.h"
#include "base/config/settings.h"
#include "base/data/part.h"
#include "base/train/trainer.h"

namespace base {

class Program {
 public:
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Does what the command line says, once, and returns the exit code; see docs/errors.md.
  int run(int argc, const char* const* argv);

 protected:
  /// What a Trainer is made of. Without validation data there is none.
  struct Parts {
    std::shared_ptr<Model> model;
    std::shared_ptr<const DataLoader> training;
    std::shared_ptr<const DataLoader> validation;
  };
  using MakeModel = std::function<std::shared_ptr<Model>()>;
  using MakeDataLoader = std::function<std::shared_ptr<const DataLoader>(Part)>;
  using MakeTrainer = std::function<std::unique_ptr<Trainer>(const Parts&)>;
  using MakeCallback = std::function<std::unique_ptr<Callback>()>;

  explicit Program(std::string name);
  virtual ~Program();

  void add(std::string name, MakeModel make);
  void add(std::string name, MakeDataLoader make);
  void add(std::string name, MakeTrainer make);
  void add(std::string name, MakeCallback make);

  /// The project's own settings; and as they are when nobody touched them.
  virtual void declare(Knobs& knobs) = 0;
  virtual void declare_untouched(Knobs& knobs) = 0;
  /// Makes them as they are when nobody touched them.
  virtual void forget() = 0;
  virtual const TrainSettings& train_settings() const = 0;

 private:
  using Values = std::vector<std::pair<std::string, std::string>>;
  template <typename Make>
  struct Named {
    std::string name;
    Make make;
  };

  void choose_defaults();
  bool load(const std::vector<std::string>& flags, const Sources& sources);
  std::string settings_toml();
  Values values();
  void go_on_with_run(const std::vector<std::string>& flags, Sources sources);
  Values values_of_run(const std::filesystem::path& config);

  int train();
  void check_settings_of(ProcessGroup& group);
  void tell_changes(const RunFolder& run);
  void start_log(const RunFolder& run, const World& world) const;
  int measure(Part part);
  int predict();
  int export_weights();
  int describe_model();

  std::shared_ptr<Model> seeded_model() const;
  std::shared_ptr<const DataLoader> make_data(Part part) const;
  std::unique_ptr<Trainer> make_trainer(const Parts& parts);
  std::unique_ptr<Trainer> restored_trainer(std::shared_ptr<const DataLoader> data);

  std::string name_;
  std::string called_;  // the program, as it was called
  std::vector<Named<MakeModel>> models_;
  std::vector<Named<MakeDataLoader>> data_loaders_;
  std::vector<Named<MakeTrainer>> trainers_;
  std::vector<OwnCallback> callbacks_;

  AppSettings::Classes classes_;  // the names of the above
  AppSettings settings_;
  AppSettings untouched_;
  Origins origins_;
  Values before_;                     // what the run that goes on was trained with; empty: it is new
  bool has_settings_of_run_ = false;  // all but the flags and variables are those of the run
};

}  // namespace base

#endif  // BASE_APP_PROGRAM_H_
