// app_settings.h: the knobs that the program of every project has, beside the project's own.
#ifndef BASE_APP_APP_SETTINGS_H_
#define BASE_APP_APP_SETTINGS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "base/callbacks/callback_settings.h"
#include "base/config/knobs.h"

namespace base {

struct AppSettings {
  std::filesystem::path runs = "runs";
  std::filesystem::path run;
  std::string weights = "latest";
  std::filesystem::path log;
  std::filesystem::path output = "predictions.csv";
  // Which of the project's classes are used: the first of each kind, unless a name is given.
  std::string model;
  std::string data_loader;
  std::string trainer;
  CallbackSettings callbacks;

  /// What the names above can be.
  struct Classes {
    std::vector<std::string> models;
    std::vector<std::string> data_loaders;
    std::vector<std::string> trainers;
    std::vector<std::string> callbacks;  // the project's own
  };

  // Not inline: a project would compile all of this again with every edit of its model.
  AppSettings();
  AppSettings(const AppSettings& other);
  AppSettings& operator=(const AppSettings& other);
  ~AppSettings();

  void declare(Knobs& knobs, const Classes& classes);
};

}  // namespace base

#endif  // BASE_APP_APP_SETTINGS_H_
