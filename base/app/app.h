// app.h: the program of a project, in one line for each of its classes:
//
//     int main(int argc, char** argv) {
//       base::App<Settings> app("demo");
//       app.add_model<Model>("model");
//       app.add_data_loader<DataLoader>("data_loader");
//       app.add_trainer<Trainer>("trainer");
//       return app.run(argc, argv);
//     }
//
//     demo train                      trains; with --run FOLDER it goes on where that run stopped
//     demo validate --run FOLDER      the figures of its checkpoint on the validation data
//     demo evaluate --run FOLDER      the same on the test data
//     demo predict  --run FOLDER      the answers for the test data, to a CSV file
//     demo describe                   the network: its layers, inputs and outputs
//     demo settings                   every knob with its value, as a file for --config
//
#ifndef BASE_APP_APP_H_
#define BASE_APP_APP_H_

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/app/app_settings.h"
#include "base/app/command.h"
#include "base/config/settings.h"
#include "base/log/error.h"

namespace base {

/// `Settings` is the project's own struct of knobs. It has a TrainSettings called train, which it declares with the
/// rest.
template <SettingsStruct Settings>
class App {
 public:
  /// The name is the one of the folder in which its runs are kept.
  explicit App(std::string name) : name_(std::move(name)) {}

  // Several of a kind can be added; --model, --data_loader and --trainer then choose by name, and the first is the
  // default.

  /// T is made from the settings.
  template <typename T>
  void add_model(std::string name) {
    models_.push_back({std::move(name), [](const Settings& settings) { return std::make_shared<T>(settings); }});
  }
  /// T is made from the settings and a base::Part. Without data for a part it throws, and nobody asks for them.
  template <typename T>
  void add_data_loader(std::string name) {
    data_loaders_.push_back(
        {std::move(name), [](const Settings& settings, Part part) { return std::make_shared<T>(settings, part); }});
  }
  /// T has base::Trainer's constructor.
  template <typename T>
  void add_trainer(std::string name) {
    trainers_.push_back({std::move(name), [](const TrainSettings& settings, const AppParts& parts) {
                           return std::make_unique<T>(settings, parts.model, parts.training, parts.validation);
                         }});
  }
  /// T is made from the settings if it can be, or from nothing. callbacks.use has its name unless a file or flag says
  /// otherwise.
  template <typename T>
  void add_callback(std::string name) {
    callbacks_.push_back({std::move(name), [](const Settings& settings) -> std::unique_ptr<Callback> {
                            if constexpr (std::constructible_from<T, const Settings&>) {
                              return std::make_unique<T>(settings);
                            } else {
                              return std::make_unique<T>();
                            }
                          }});
  }

  /// Does what the command line says and returns the exit code; see docs/errors.md.
  int run(int argc, const char* const* argv) const {
    return run_main([&] {
      const std::optional<CommandLine> line = parse_command(argc, argv, name_);
      if (!line) return 0;
      Whole settings;
      settings.classes = {names_of(models_), names_of(data_loaders_), names_of(trainers_), names_of(callbacks_)};
      auto& use = settings.app.callbacks.use;
      use.insert(use.end(), settings.classes.callbacks.begin(), settings.classes.callbacks.end());
      settings.app.model = settings.classes.models.front();
      settings.app.data_loader = settings.classes.data_loaders.front();
      settings.app.trainer = settings.classes.trainers.front();
      const Whole untouched = settings;
      Sources sources{.program = line->program, .description = line->description};
      std::optional<Origins> origins = load_settings(settings, line->flags, sources);
      if (!origins) return 0;
      if (line->command != Command::kTrain && !settings.app.run.empty()) {  // the rest is as it was in that run
        sources.file = RunFolder::open(settings.app.run).config();
        origins = load_settings(settings, line->flags, sources);
      }
      return run_command(line->command, steps_for(settings, untouched, *origins));
    });
  }

 private:
  template <typename Maker>
  struct Named {
    std::string name;
    Maker make;
  };

  /// The program's knobs and the project's as one.
  struct Whole {
    AppSettings app;
    Settings own;
    AppSettings::Classes classes;
    void declare(Knobs& knobs) {
      app.declare(knobs, classes);
      own.declare(knobs);
    }
  };

  template <typename Maker>
  static std::vector<std::string> names_of(const std::vector<Named<Maker>>& classes) {
    std::vector<std::string> names;
    for (const auto& one : classes) names.push_back(one.name);
    return names;
  }

  template <typename Maker>
  static const Maker& chosen(const std::vector<Named<Maker>>& classes, const std::string& name) {
    return std::ranges::find(classes, name, &Named<Maker>::name)->make;
  }

  AppSteps steps_for(const Whole& settings, const Whole& untouched, const Origins& origins) const {
    return {.name = name_,
            .settings = settings.app,
            .train = settings.own.train,
            .make_model = [this, &settings] { return chosen(models_, settings.app.model)(settings.own); },
            .make_data = [this, &settings](
                             Part part) { return chosen(data_loaders_, settings.app.data_loader)(settings.own, part); },
            .make_trainer =
                [this, &settings](const AppParts& parts) {
                  auto trainer = chosen(trainers_, settings.app.trainer)(settings.own.train, parts);
                  std::vector<OwnCallback> own;
                  for (const auto& [name, make] : callbacks_)
                    own.push_back({name, [&make, &settings] { return make(settings.own); }});
                  add_callbacks(*trainer, settings.app.callbacks, own, settings_values(settings));
                  return trainer;
                },
            .settings_toml = [&settings, &untouched,
                              &origins] { return base::settings_toml(settings, origins, untouched); }};
  }

  std::string name_;
  std::vector<Named<std::function<std::shared_ptr<Model>(const Settings&)>>> models_;
  std::vector<Named<std::function<std::shared_ptr<const DataLoader>(const Settings&, Part)>>> data_loaders_;
  std::vector<Named<std::function<std::unique_ptr<Trainer>(const TrainSettings&, const AppParts&)>>> trainers_;
  std::vector<Named<std::function<std::unique_ptr<Callback>(const Settings&)>>> callbacks_;
};

}  // namespace base

#endif  // BASE_APP_APP_H_
