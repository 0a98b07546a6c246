// answer EXPORT: asks an exported model of pictures about one of them, without LibTorch.
#include <base/infer/backend.h>
#include <base/infer/host_tensor.h>
#include <base/log/error.h>

#include <cstdint>
#include <iostream>
#include <span>
#include <vector>

int main(int argc, char** argv) {
  return base::run_main([&] {  // prints an Error with what to do about it, and makes its exit code the program's
    const auto backend = base::load_backend(argc > 1 ? argv[1] : "exports", "auto");
    std::cout << backend->description() << "\n";

    const std::vector<std::uint8_t> picture(3 * 32 * 32, 128);  // yours: channels, rows, columns
    const std::vector<base::TensorView> inputs = {{.name = "image",
                                                   .dtype = base::DType::kU8,
                                                   .shape = {1, 3, 32, 32},
                                                   .bytes = std::as_bytes(std::span(picture))}};
    for (const base::TensorView& output : backend->run(inputs)) {  // views of the engine's memory until the next run()
      std::cout << output.name << ":";
      for (std::size_t i = 0; i < output.bytes.size() / size_of(output.dtype); ++i)
        std::cout << " " << number_at(output, i);
      std::cout << "\n";
    }
    return 0;
  });
}
