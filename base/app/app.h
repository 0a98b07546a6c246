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
//     demo export   --run FOLDER      its model for other engines: ONNX, TorchScript, weights
//     demo infer    --export FOLDER   the answers of an exported model to questions from a file or a pipe
//     demo check    --export FOLDER   an engine's answers beside another's, and how fast it is
//     demo describe                   the network: its layers, inputs and outputs
//     demo settings                   every knob with its value, as a file for --config
//
#ifndef BASE_APP_APP_H_
#define BASE_APP_APP_H_

#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "base/app/program.h"

namespace base {

/// `Settings` is the project's own struct of knobs. It has a TrainSettings called train, which it declares with the
/// rest.
template <SettingsStruct Settings>
class App final : public Program {
 public:
  /// The name is the one of the folder in which its runs are kept.
  explicit App(std::string name) : Program(std::move(name)) {}

  // Several of a kind can be added; --model, --data_loader and --trainer then choose by name, and the first is the
  // default.

  /// T is made from the settings.
  template <typename T>
  void add_model(std::string name) {
    add(std::move(name), MakeModel([this] { return std::make_shared<T>(settings()); }));
  }
  /// T is made from the settings and a base::Part. Without data for a part it throws, and nobody asks for them.
  template <typename T>
  void add_data_loader(std::string name) {
    add(std::move(name), MakeDataLoader([this](Part part) { return std::make_shared<T>(settings(), part); }));
  }
  /// T has base::Trainer's constructor.
  template <typename T>
  void add_trainer(std::string name) {
    add(std::move(name), MakeTrainer([this](const Parts& parts) {
          return std::make_unique<T>(settings().train, parts.model, parts.training, parts.validation);
        }));
  }
  /// T is made from the settings if it can be, or from nothing. callbacks.use has its name unless a file or flag says
  /// otherwise.
  template <typename T>
  void add_callback(std::string name) {
    add(std::move(name), MakeCallback([this]() -> std::unique_ptr<Callback> {
          if constexpr (std::constructible_from<T, const Settings&>) {
            return std::make_unique<T>(settings());
          } else {
            return std::make_unique<T>();
          }
        }));
  }

 private:
  const Settings& settings() const { return settings_; }

  void declare(Knobs& knobs) override { settings_.declare(knobs); }
  void declare_untouched(Knobs& knobs) override { untouched_.declare(knobs); }
  void forget() override { settings_ = untouched_; }
  const TrainSettings& train_settings() const override { return settings_.train; }

  Settings settings_;
  Settings untouched_;
};

}  // namespace base

#endif  // BASE_APP_APP_H_
