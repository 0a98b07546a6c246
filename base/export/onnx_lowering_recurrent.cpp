#include "base/torch.h"

#include <limits>

#include "base/export/onnx_call.h"
#include "base/log/format.h"

namespace base {
namespace {

using Integers = std::vector<std::int64_t>;

/// One of ONNX's recurrent operators, and in which order it has LibTorch's gates.
struct Cell {
  std::string operation;
  std::vector<std::int64_t> gates;
  std::string activation = {};  // of an RNN
};

/// [gates * hidden, ...] with the gates in ONNX's order.
torch::Tensor ordered(const torch::Tensor& weight, const Cell& cell) {
  const auto parts = weight.chunk(static_cast<std::int64_t>(cell.gates.size()), 0);
  std::vector<torch::Tensor> sorted;
  for (const std::int64_t gate : cell.gates) sorted.push_back(parts.at(static_cast<std::size_t>(gate)));
  return torch::cat(sorted, 0);
}

class RecurrentLayers {
 public:
  RecurrentLayers(OnnxCall& call, Cell cell)
      : call_(call),
        cell_(std::move(cell)),
        params_(call["params"].items),
        directions_(call.truth("bidirectional") ? 2 : 1),
        layers_(call.integer("num_layers", 1)),
        biased_(call.truth("has_biases", true)) {}

  void lower() {
    if (call_.has("data") || call_.has("batch_sizes"))
      call_.refuse("packed sequences cannot be exported: give padded ones");
    const std::size_t each = biased_ ? 4 : 2;
    if (params_.size() != each * static_cast<std::size_t>(layers_ * directions_))
      call_.refuse("a projection of its state (proj_size) has no operator in ONNX");
    for (const Operand& param : params_)
      if (!param.constant.defined()) call_.refuse("its weights are computed; they must be parameters");
    if (call_.truth("train") && call_.real("dropout", 0) > 0)
      call_.refuse("it draws random numbers: is the layer in eval mode?");
    const Operand& input = call_["input"];
    const bool batched = input.rank() == 3;
    const bool batch_first = batched && call_.truth("batch_first");
    std::string x = batched ? input.name : call_.build.unsqueeze(input.name, {1});
    if (batch_first) x = call_.build.transpose(x, {1, 0, 2});
    std::vector<std::string> last_hidden;
    std::vector<std::string> last_cell;
    for (std::int64_t layer = 0; layer < layers_; ++layer) {
      const auto outputs = layer_outputs(x, layer, batched);
      x = joined(outputs[0]);
      last_hidden.push_back(outputs[1]);
      if (outputs.size() > 2) last_cell.push_back(outputs[2]);
    }
    if (batch_first) x = call_.build.transpose(x, {1, 0, 2});
    call_.give(batched ? x : call_.build.squeeze(x, {1}));
    give_states(1, last_hidden, batched);
    if (!last_cell.empty()) give_states(2, last_cell, batched);
  }

 private:
  /// Of both directions, one below the other.
  std::string weights(std::int64_t layer, const std::vector<std::size_t>& which, const char* word) {
    std::vector<torch::Tensor> stacked;
    for (std::int64_t direction = 0; direction < directions_; ++direction) {
      const std::size_t first = static_cast<std::size_t>(layer * directions_ + direction) * (biased_ ? 4 : 2);
      std::vector<torch::Tensor> parts;
      for (const std::size_t i : which) parts.push_back(ordered(params_.at(first + i).constant, cell_));
      stacked.push_back(parts.size() == 1 ? parts[0] : torch::cat(parts, 0));
    }
    const std::string& name = params_.front().name;  // "encoder.weight_ih_l0"
    const std::string path = name.substr(0, name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1);
    return call_.build.constant(torch::stack(stacked, 0), format("{}{}_l{}", path, word, layer));
  }

  std::string state(const Operand& all, std::int64_t layer, bool batched) {
    const std::string value = batched ? all.name : call_.build.unsqueeze(all.name, {1});
    if (layers_ == 1) return value;
    return call_.build.slice(value, 0, number(layer * directions_), number((layer + 1) * directions_));
  }

  std::vector<std::string> layer_outputs(const std::string& x, std::int64_t layer, bool batched) {
    const bool is_lstm = cell_.operation == "LSTM";
    const Operand& hx = call_["hx"];
    std::vector<std::string> inputs = {x, weights(layer, {0}, "W"), weights(layer, {1}, "R"),
                                       biased_ ? weights(layer, {2, 3}, "B") : "", ""};
    inputs.push_back(state(is_lstm ? hx.items.at(0) : hx, layer, batched));
    if (is_lstm) inputs.push_back(state(hx.items.at(1), layer, batched));
    const std::int64_t hidden = params_.at(1).constant.size(1);
    OnnxAttributes attributes = {{"hidden_size", hidden}};
    if (directions_ == 2) attributes["direction"] = std::string("bidirectional");
    if (cell_.operation == "GRU") attributes["linear_before_reset"] = std::int64_t{1};
    if (!cell_.activation.empty())
      attributes["activations"] = std::vector<std::string>(static_cast<std::size_t>(directions_), cell_.activation);
    return call_.build.emit_many(cell_.operation, inputs, attributes, is_lstm ? 3 : 2);
  }

  /// From [steps, directions, batch, hidden] to [steps, batch, directions * hidden].
  std::string joined(const std::string& y) {
    if (directions_ == 1) return call_.build.squeeze(y, {1});
    return call_.op("Reshape", {call_.build.transpose(y, {0, 2, 1, 3}), call_.build.integers({0, 0, -1})});
  }

  void give_states(std::size_t output, const std::vector<std::string>& states, bool batched) {
    const std::string all = states.size() == 1 ? states[0] : call_.op("Concat", states, {{"axis", std::int64_t{0}}});
    call_.give(output, batched ? all : call_.build.squeeze(all, {1}));
  }

  OnnxCall& call_;
  Cell cell_;
  const std::vector<Operand>& params_;
  std::int64_t directions_;
  std::int64_t layers_;
  bool biased_;
};

}  // namespace

void add_recurrent(OnnxTable& table) {
  // LibTorch's gates: input, forget, cell, output; reset, update, new.
  table["lstm"] = [](OnnxCall& call) { RecurrentLayers(call, {.operation = "LSTM", .gates = {0, 3, 1, 2}}).lower(); };
  table["gru"] = [](OnnxCall& call) { RecurrentLayers(call, {.operation = "GRU", .gates = {1, 0, 2}}).lower(); };
  table["rnn_tanh"] = [](OnnxCall& call) {
    RecurrentLayers(call, {.operation = "RNN", .gates = {0}, .activation = "Tanh"}).lower();
  };
  table["rnn_relu"] = [](OnnxCall& call) {
    RecurrentLayers(call, {.operation = "RNN", .gates = {0}, .activation = "Relu"}).lower();
  };
}

}  // namespace base
