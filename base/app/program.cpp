#include "base/torch.h"

#include "base/app/program.h"

#include <algorithm>
#include <iostream>

#include "base/app/command.h"
#include "base/app/prediction_file.h"
#include "base/callbacks/stop_signal.h"
#include "base/callbacks/trial_report.h"
#include "base/dist/launch_command.h"
#include "base/infer/check_command.h"
#include "base/infer/infer_command.h"
#include "base/infer/torch_backend.h"
#include "base/log/error.h"
#include "base/log/format.h"
#include "base/log/log.h"
#include "base/tensor/device.h"
#include "base/train/environment.h"

namespace base {
namespace {

template <typename Classes>
std::vector<std::string> names_of(const Classes& classes) {
  std::vector<std::string> names;
  for (const auto& one : classes) names.push_back(one.name);
  return names;
}

template <typename Classes>
const auto& chosen(const Classes& classes, const std::string& name) {
  return std::ranges::find(classes, name, &Classes::value_type::name)->make;
}

/// Knobs that say where a command reads and writes, and not how it trains.
bool is_place(const std::string& key) {
  return key == "runs" || key == "run" || key == "weights" || key == "log" || key == "output";
}

}  // namespace

Program::Program(std::string name) : name_(std::move(name)) {}
Program::~Program() = default;

void Program::add(std::string name, MakeModel make) {
  models_.push_back({std::move(name), std::move(make)});
}
void Program::add(std::string name, MakeDataLoader make) {
  data_loaders_.push_back({std::move(name), std::move(make)});
}
void Program::add(std::string name, MakeTrainer make) {
  trainers_.push_back({std::move(name), std::move(make)});
}
void Program::add(std::string name, MakeCallback make) {
  callbacks_.push_back({std::move(name), std::move(make)});
}

int Program::run(int argc, const char* const* argv) {
  return run_main([&] {
    called_ = argc > 0 ? argv[0] : name_;
    const std::optional<CommandLine> line = parse_command(argc, argv, name_);
    if (!line) return 0;
    if (line->command == Command::kLaunch) {
      const std::string self = std::filesystem::read_symlink("/proc/self/exe");
      return run_launch_command(line->flags, line->program, line->description, {self, "train"});
    }
    if (line->command == Command::kInfer || line->command == Command::kCheck) {
      use_torch_backend();
      const auto run = line->command == Command::kInfer ? run_infer_command : run_check_command;
      return run(line->flags, line->program, line->description);
    }
    choose_defaults();
    Sources sources{.program = line->program, .description = line->description};
    if (!load(line->flags, sources)) return 0;
    const bool may_be_new = line->command == Command::kTrain || line->command == Command::kSettings;
    if (!settings_.run.empty() && (!may_be_new || std::filesystem::exists(settings_.run / "config.toml")))
      go_on_with_run(line->flags, sources);
    switch (line->command) {
      case Command::kLaunch:  // these have knobs of their own, above
      case Command::kInfer:
      case Command::kCheck:
        break;
      case Command::kTrain:
        return train();
      case Command::kValidate:
        return measure(Part::kValidation);
      case Command::kEvaluate:
        return measure(Part::kTest);
      case Command::kPredict:
        return predict();
      case Command::kExport:
        return export_weights();
      case Command::kDescribe:
        return describe_model();
      case Command::kSettings:
        std::cout << settings_toml() << std::flush;
        return 0;
    }
    throw Error(ErrorKind::kInternal, "a command that nobody runs", "", "");
  });
}

// ---- settings -------------------------------------------------------------------------------------------------------

void Program::choose_defaults() {
  classes_ = {names_of(models_), names_of(data_loaders_), names_of(trainers_), names_of(callbacks_)};
  untouched_.model = classes_.models.front();
  untouched_.data_loader = classes_.data_loaders.front();
  untouched_.trainer = classes_.trainers.front();
  auto& use = untouched_.callbacks.use;
  use.insert(use.end() - 1, classes_.callbacks.begin(), classes_.callbacks.end());  // the last one is to save them all
  settings_ = untouched_;
}

/// The program's knobs and the project's as one. False if help was asked for.
bool Program::load(const std::vector<std::string>& flags, const Sources& sources) {
  Knobs knobs;
  settings_.declare(knobs, classes_);
  declare(knobs);
  std::optional<Origins> origins = config::load(knobs, flags, sources);
  if (!origins) return false;
  origins_ = std::move(*origins);
  return true;
}

Program::Values Program::values() {
  Knobs knobs;
  settings_.declare(knobs, classes_);
  declare(knobs);
  return config::values(knobs);
}

/// What no flag, variable or --config says is as it was in the run.
void Program::go_on_with_run(const std::vector<std::string>& flags, Sources sources) {
  sources.file = RunFolder::open(settings_.run).config();
  before_ = values_of_run(sources.file);
  settings_ = untouched_;
  forget();
  load(flags, sources);
  has_settings_of_run_ = true;
}

/// Of a file that cannot be read alone there is nothing to compare with: whether that is a mistake, the flags decide.
Program::Values Program::values_of_run(const std::filesystem::path& config) {
  try {
    settings_ = untouched_;
    forget();
    load({}, {.file = config, .environment_prefix = ""});
    return values();
  } catch (const Error&) {
    return {};
  }
}

std::string Program::settings_toml() {
  Knobs knobs;
  settings_.declare(knobs, classes_);
  declare(knobs);
  Knobs defaults;
  untouched_.declare(defaults, classes_);
  declare_untouched(defaults);
  return config::toml(knobs, defaults, origins_);
}

// ---- commands -------------------------------------------------------------------------------------------------------

int Program::train() {
  const auto trainer = make_trainer(
      {.model = seeded_model(), .training = make_data(Part::kTraining), .validation = make_data(Part::kValidation)});
  trainer->add(std::make_unique<StopSignal>());
  if (auto report = TrialReport::of_process()) trainer->add(std::move(report));
  std::filesystem::path folder = settings_.run;
  if (const std::string& launch = trainer->world().launch; folder.empty() && !launch.empty())
    folder = settings_.runs / name_ / launch;  // a new one at each restart would begin anew
  const RunFolder run = RunFolder::choose(trainer->group(), folder, settings_.runs, name_);
  start_log(run, trainer->world());
  check_settings_of(trainer->group());
  const bool is_restored = trainer->set_run(run).claim_run().restore(settings_.weights);
  if (trainer->world().is_first()) {
    if (is_restored) {
      tell_changes(run);
    } else {
      config::write_file(run.config(), settings_toml());
      config::write_file(run.environment(), environment_json(trainer->device()));
    }
  }
  trainer->run();

  if (!trainer->state().validation.empty()) log::info("validation: {}", describe(trainer->state().validation));
  log::info("the run is kept in {}", run.path());
  if (!trainer->group().any(StopSignal::received())) return 0;
  const std::int64_t step = trainer->state().step;
  if (trainer->world().is_first() && std::filesystem::exists(run.checkpoints() / format("step-{}", step))) {
    const std::string how = trainer->group().is_alone() ? format("`{} train --run {}`", called_, run.path())
                                                        : format("the same command with --run {}", run.path());
    log::info("step {} is saved: {} goes on from there", step, how);
  }
  return StopSignal::kExitCode;
}

/// Other settings, of the project say, need not show in the network. Only the first rank has to see the run's folder:
/// one that does not may lack those that are kept there.
void Program::check_settings_of(ProcessGroup& group) {
  if (group.is_alone()) return;
  std::string mine;
  for (const auto& [key, value] : values())
    if (!is_place(key) && !TrainSettings::is_of_machine(key)) mine += format("{} = {}\n", key, value);
  const std::string of_first = group.from_first(mine);
  const bool first_has = group.first_says(has_settings_of_run_);
  const bool differs = first_has && !has_settings_of_run_ && mine != of_first;
  if (group.any(differs)) {
    throw Error(ErrorKind::kDistributed, "not every rank sees the settings of the run",
                (settings_.run / "config.toml").string(), "give --config FILE, with a file that all ranks see");
  }
  group.check_same("the configuration", mine, "give all ranks the same flags, variables and --config FILE");
}

/// The run's config.toml then has the settings as they are used from now on.
void Program::tell_changes(const RunFolder& run) {
  bool any = false;
  const Values now = values();
  for (const auto& [key, value] : before_) {
    const auto found = std::ranges::find(now, key, &Values::value_type::first);
    if (found == now.end() || found->second == value || is_place(key)) continue;
    log::info("changed since the run began: {} {} -> {}", key, value, found->second);
    any = true;
  }
  if (!any) return;
  std::erase_if(origins_, [&](const auto& origin) { return origin.second.starts_with(run.config().string()); });
  config::write_file(run.config(), settings_toml());
}

void Program::start_log(const RunFolder& run, const World& world) const {
  const bool given = !settings_.log.empty() && world.is_first();
  log::Options options = world.log_options();
  options.file = given ? settings_.log : run.path() / "runlogs" / format("rank-{}.log", world.rank);
  try {
    log::start(options);
  } catch (const Error&) {
    if (world.is_first()) throw;
    options.file.clear();  // only the first rank has to see the run's folder
    log::start(options);
  }
}

int Program::measure(Part part) {
  const auto data = make_data(part);
  const auto trainer = restored_trainer(data);
  std::cout << describe(trainer->evaluate(*data)) << std::endl;
  return 0;
}

int Program::predict() {
  if (settings_.output.extension() != ".csv") {
    throw Error(ErrorKind::kUsage, "the answers for the test data are a .csv file", settings_.output.string(),
                "give --output FILE.csv; `infer` answers questions of your own, and writes JSON lines too");
  }
  const auto data = make_data(Part::kTest);
  const auto trainer = restored_trainer(data);
  const std::int64_t examples = write_predictions(trainer->predict(*data), *data, settings_.output);
  log::info("{} answers with the weights of step {} are in {}", examples, trainer->state().step, settings_.output);
  return 0;
}

int Program::export_weights() {
  const auto trainer = restored_trainer(make_data(Part::kTraining));
  log::info("exported to {}", export_run(*trainer, settings_.callbacks.exporter, name_));
  return 0;
}

int Program::describe_model() {
  const auto model = seeded_model();
  model->set_mode(Model::Mode::kInfer);
  const torch::NoGradGuard no_grad;
  const Tensors inputs = model->example_inputs();
  std::int64_t parameters = 0;
  for (const auto& parameter : model->parameters()) parameters += parameter.numel();
  for (const auto& item : model->named_parameters())
    std::cout << format("  {:<40} {}\n", item.key(), describe(item.value()));
  std::cout << format("{} parameters\ninputs   {}\noutputs  {}", parameters, describe(inputs),
                      describe(model->run(inputs)))
            << std::endl;
  return 0;
}

// ---- the project's classes ------------------------------------------------------------------------------------------

/// The weights are drawn when the model is made.
std::shared_ptr<Model> Program::seeded_model() const {
  seed_everything(train_settings().seed);
  return chosen(models_, settings_.model)();
}

std::shared_ptr<const DataLoader> Program::make_data(Part part) const {
  return chosen(data_loaders_, settings_.data_loader)(part);
}

std::unique_ptr<Trainer> Program::make_trainer(const Parts& parts) {
  auto trainer = chosen(trainers_, settings_.trainer)(parts);
  Knobs knobs;
  settings_.declare(knobs, classes_);
  declare(knobs);
  settings_.callbacks.project = name_;
  add_callbacks(*trainer, settings_.callbacks, callbacks_, config::values(knobs));
  return trainer;
}

/// With the weights of the run that the settings name.
std::unique_ptr<Trainer> Program::restored_trainer(std::shared_ptr<const DataLoader> data) {
  if (settings_.run.empty()) {
    throw Error(ErrorKind::kUsage, "whose weights? no run is given", "",
                format("give --run FOLDER, such as one of those in {}", settings_.runs));
  }
  auto trainer = make_trainer({.model = seeded_model(), .training = data, .validation = data});
  const RunFolder run = RunFolder::open(settings_.run);
  if (!trainer->set_run(run).restore(settings_.weights)) RunFolder::refuse_without_checkpoint(run);
  return trainer;
}

}  // namespace base
