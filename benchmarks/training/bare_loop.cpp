// The training loop as one writes it by hand with LibTorch: what the Trainer is measured against, and the flags that
// its program takes too.
//
//     bare_loop --network cnn --optimizer adamw --batch_size 64 --examples 9600 --epochs 2 --warmup 30 --threads 2
//               --data /usr/share/datasets/fashion-mnist
#include <base/torch.h>  // first, since it is precompiled

#include <base/log/error.h>
#include <base/log/format.h>
#include <torch/optim.h>
#include <zlib.h>

#include <chrono>
#include <iostream>
#include <map>

namespace {

torch::Tensor read_bytes(const std::string& path, std::int64_t header, std::int64_t size) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  auto bytes = torch::empty({header + size}, torch::kUInt8);
  if (!file || gzread(file.get(), bytes.data_ptr(), static_cast<unsigned>(bytes.numel())) != bytes.numel()) {
    throw base::Error(base::ErrorKind::kData, "the data file cannot be read", path, "give --data FOLDER");
  }
  return bytes.slice(0, header);
}

struct Pictures {
  Pictures(const std::string& folder, const std::string& name, std::int64_t size)
      : images(read_bytes(folder + "/" + name + "-images-idx3-ubyte.gz", 16, size * 784)
                   .view({size, 1, 28, 28})
                   .to(torch::kFloat)
                   .div(255)),
        labels(read_bytes(folder + "/" + name + "-labels-idx1-ubyte.gz", 8, size).to(torch::kLong)) {}
  torch::Tensor images, labels;
};

torch::nn::Sequential make_network(const std::string& name) {
  using namespace torch::nn;  // NOLINT: the names of the layers
  if (name == "cnn") {
    return Sequential(Conv2d(1, 32, 3), ReLU(), Conv2d(32, 64, 3), ReLU(), MaxPool2d(2), Dropout(0.25), Flatten(),
                      Linear(9216, 128), ReLU(), Dropout(0.5), Linear(128, 10));
  }
  return Sequential(Flatten(), Linear(784, 64), ReLU(), Linear(64, 64), ReLU(), Linear(64, 10));
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const std::string& name, std::vector<torch::Tensor> weights) {
  if (name == "adamw")
    return std::make_unique<torch::optim::AdamW>(std::move(weights), torch::optim::AdamWOptions(0.001));
  return std::make_unique<torch::optim::SGD>(std::move(weights), torch::optim::SGDOptions(0.01).momentum(0.9));
}

double test_loss(torch::nn::Sequential& network, const Pictures& test) {
  const torch::NoGradGuard no_grad;
  network->eval();
  double sum = 0;
  for (std::int64_t first = 0; first < test.labels.size(0); first += 1000) {
    sum += torch::nn::functional::cross_entropy(network->forward(test.images.slice(0, first, first + 1000)),
                                                test.labels.slice(0, first, first + 1000),
                                                torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum))
               .item<double>();
  }
  return sum / static_cast<double>(test.labels.size(0));
}

int run(int argc, char** argv) {
  std::map<std::string, std::string> flags;
  for (int i = 1; i + 1 < argc; i += 2) flags[argv[i]] = argv[i + 1];
  const auto text = [&](const char* flag) {
    if (!flags.contains(flag)) throw base::Error(base::ErrorKind::kUsage, "a flag is missing", flag, "give all flags");
    return flags[flag];
  };
  const auto number = [&](const char* flag) { return std::stoll(text(flag)); };
  const auto batch_size = number("--batch_size"), examples = number("--examples"), epochs = number("--epochs"),
             warmup = number("--warmup");
  at::set_num_threads(static_cast<int>(number("--threads")));
  torch::manual_seed(1);

  const Pictures training(text("--data"), "train", examples);
  auto network = make_network(text("--network"));
  for (auto& weight : network->parameters()) {  // contiguous() would leave those with one channel as they are
    if (weight.dim() == 4)
      weight.set_data(weight.to(weight.options(), false, false, torch::MemoryFormat::ChannelsLast));
  }
  const auto optimizer = make_optimizer(text("--optimizer"), network->parameters());

  network->train();
  std::int64_t step = 0;
  auto start = std::chrono::steady_clock::now();
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& picked : torch::randperm(examples, torch::kLong).split(batch_size)) {
      optimizer->zero_grad();
      const auto loss = torch::nn::functional::cross_entropy(network->forward(training.images.index_select(0, picked)),
                                                             training.labels.index_select(0, picked));
      loss.backward();
      optimizer->step();
      ++step;
      if (step % 100 == 0) std::cout << base::format("step {} loss {:.4f}\n", step, loss.item<double>());
      if (step == warmup) start = std::chrono::steady_clock::now();
    }
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;

  const double rate = static_cast<double>(step - warmup) / time.count();
  std::cout
      << base::format(
             R"({{"name": "bare LibTorch", "work": "{}", "steps_per_second": {}, "samples_per_second": {}, "test_loss": {}}})",
             text("--network"), rate, rate * static_cast<double>(batch_size),
             test_loss(network, Pictures(text("--data"), "t10k", 10000)))
      << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return base::run_main([&] { return run(argc, argv); });
}
