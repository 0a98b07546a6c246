// predictor: the answers of an exported model, without LibTorch.
//
//     predictor exports/400 < questions.jsonl > answers.jsonl    one JSON object a line: {"image": [[0.1, ...], ...]}
//     predictor exports/400 --input questions.safetensors --output answers.csv
//     predictor exports/400 --describe                           what it takes and gives
//
// Given the folder of several exports it takes the best.
#include "base/infer/infer_command.h"
#include "base/log/error.h"

int main(int argc, char** argv) {
  return base::run_main([&] {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && !arguments[0].starts_with("-")) arguments.insert(arguments.begin(), "--export");
    return base::run_infer_command(arguments, "predictor EXPORT",
                                   "The answers of an exported model, without LibTorch.");
  });
}
