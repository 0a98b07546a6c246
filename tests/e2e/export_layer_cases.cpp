#include "base/torch.h"

#include "base/model/conv_autoencoder.h"
#include "base/model/mlp.h"
#include "base/model/mnist_cnn.h"
#include "base/model/resnet.h"
#include "tests/e2e/export_cases.h"

namespace export_cases {
namespace {

using torch::Tensor;
using Tensors = std::vector<Tensor>;
using Axes = std::vector<base::Model::DynamicAxis>;
using Shape = std::vector<std::int64_t>;
namespace F = torch::nn::functional;
namespace nn = torch::nn;

class Table {
 public:
  /// A layer whose forward takes one tensor and gives one.
  template <typename Impl>
  void layer(const std::string& name, Shape shape, const nn::ModuleHolder<Impl>& layer, Axes axes = {}) {
    auto module = layer.ptr();
    cases.push_back({name,
                     {torch::randn(shape)},
                     [module](const Tensors& x) { return Tensors{module->forward(x[0])}; },
                     module,
                     std::move(axes)});
  }
  template <typename Network>
  void network(const std::string& name, Shape shape, const typename Network::Options& options, Axes axes = {}) {
    torch::manual_seed(1);  // the same network, whatever cases come before it
    auto module = std::make_shared<Network>(options);
    const torch::NoGradGuard no_grad;
    for (int batch = 0; batch < 10; ++batch) module->forward(torch::randn(shape));  // batch norms as if trained
    cases.push_back({name,
                     {torch::randn(shape)},
                     [module](const Tensors& x) { return Tensors{module->forward(x[0])}; },
                     module,
                     std::move(axes)});
  }
  void of(const std::string& name, Tensors inputs, std::shared_ptr<nn::Module> layer, Compute compute, Axes axes = {}) {
    cases.push_back({name, std::move(inputs), std::move(compute), std::move(layer), std::move(axes)});
  }
  void function(const std::string& name, Shape shape, Tensor (*compute)(const Tensor&), Axes axes = {}) {
    cases.push_back(
        {name, {torch::randn(shape)}, [=](const Tensors& x) { return Tensors{compute(x[0])}; }, {}, std::move(axes)});
  }

  std::vector<Case> cases;
};

void add_convolutions(Table& t) {
  t.layer("linear", {3, 4}, nn::Linear(4, 5));
  t.layer("linear_no_bias", {3, 4}, nn::Linear(nn::LinearOptions(4, 5).bias(false)));
  t.layer("linear_sequence", {3, 7, 4}, nn::Linear(4, 5));
  t.layer("conv1d", {3, 4, 9}, nn::Conv1d(nn::Conv1dOptions(4, 6, 3).stride(2).padding(1)),
          {{"a", 0, "batch"}, {"a", 2, "time"}});
  t.layer("conv1d_unbatched", {4, 9}, nn::Conv1d(nn::Conv1dOptions(4, 6, 3)), {{"a", 1, "time"}});
  t.layer("conv2d", {3, 4, 9, 8},
          nn::Conv2d(nn::Conv2dOptions(4, 6, {3, 2}).stride({2, 1}).padding({1, 0}).dilation({1, 2})));
  t.layer("conv2d_groups", {3, 4, 9, 8}, nn::Conv2d(nn::Conv2dOptions(4, 8, 3).groups(2).bias(false)));
  t.layer("conv2d_depthwise", {3, 4, 9, 8}, nn::Conv2d(nn::Conv2dOptions(4, 4, 3).groups(4).padding(1)));
  t.layer("conv2d_same", {3, 4, 9, 8}, nn::Conv2d(nn::Conv2dOptions(4, 6, 4).padding(torch::kSame).dilation(2)));
  t.layer("conv2d_valid", {3, 4, 9, 8}, nn::Conv2d(nn::Conv2dOptions(4, 6, 3).padding(torch::kValid)));
  t.layer("conv2d_reflect", {3, 4, 9, 8},
          nn::Conv2d(nn::Conv2dOptions(4, 6, 3).padding(1).padding_mode(torch::kReflect)));
  t.layer("conv3d", {3, 2, 5, 6, 7}, nn::Conv3d(nn::Conv3dOptions(2, 3, 3).stride(2).padding(1)));
  t.layer("conv_transpose1d", {3, 4, 9},
          nn::ConvTranspose1d(nn::ConvTranspose1dOptions(4, 6, 3).stride(2).padding(1).output_padding(1)));
  t.layer(
      "conv_transpose2d", {3, 4, 5, 6},
      nn::ConvTranspose2d(nn::ConvTranspose2dOptions(4, 6, 3).stride({2, 3}).padding({1, 0}).groups(2).dilation(2)));
  t.layer("conv_transpose3d", {3, 2, 4, 3, 3},
          nn::ConvTranspose3d(nn::ConvTranspose3dOptions(2, 3, 2).stride(2).bias(false)));
  auto bilinear = nn::Bilinear(4, 5, 6).ptr();
  t.of("bilinear", {torch::randn({3, 4}), torch::randn({3, 5})}, bilinear,
       [bilinear](const Tensors& x) { return Tensors{bilinear->forward(x[0], x[1])}; });
}

void add_pools(Table& t) {
  t.layer("max_pool1d", {3, 4, 9}, nn::MaxPool1d(nn::MaxPool1dOptions(3).stride(2).padding(1)));
  t.layer("max_pool2d", {3, 4, 9, 8}, nn::MaxPool2d(nn::MaxPool2dOptions({3, 2}).stride(2).padding({1, 0})));
  t.layer("max_pool2d_ceil", {3, 4, 9, 8}, nn::MaxPool2d(nn::MaxPool2dOptions(2).stride(2).padding(1).ceil_mode(true)));
  t.layer("max_pool2d_ceil_wide", {3, 4, 10, 7}, nn::MaxPool2d(nn::MaxPool2dOptions(2).stride(3).ceil_mode(true)));
  t.layer("max_pool2d_dilated", {3, 4, 9, 8}, nn::MaxPool2d(nn::MaxPool2dOptions(2).stride(1).dilation(3)));
  t.layer("max_pool3d", {3, 2, 6, 6, 6}, nn::MaxPool3d(nn::MaxPool3dOptions(2)));
  t.layer("avg_pool1d", {3, 4, 9}, nn::AvgPool1d(nn::AvgPool1dOptions(3).stride(2).padding(1)));
  t.layer("avg_pool2d", {3, 4, 9, 8}, nn::AvgPool2d(nn::AvgPool2dOptions(3).stride(2).padding(1)));
  t.layer("avg_pool2d_no_padding_counted", {3, 4, 9, 8},
          nn::AvgPool2d(nn::AvgPool2dOptions(3).stride(2).padding(1).count_include_pad(false)));
  t.layer("avg_pool2d_ceil", {3, 4, 9, 8}, nn::AvgPool2d(nn::AvgPool2dOptions(2).stride(2).padding(1).ceil_mode(true)));
  t.layer("avg_pool2d_ceil_no_padding_counted", {3, 4, 9, 8},
          nn::AvgPool2d(nn::AvgPool2dOptions(3).stride(2).padding(1).ceil_mode(true).count_include_pad(false)));
  t.layer("avg_pool2d_divisor", {3, 4, 9, 8},
          nn::AvgPool2d(nn::AvgPool2dOptions(3).stride(2).padding(1).divisor_override(4)));
  t.layer("avg_pool3d", {3, 2, 6, 6, 6}, nn::AvgPool3d(nn::AvgPool3dOptions(2)));
  t.layer("adaptive_avg_pool1d", {3, 4, 9}, nn::AdaptiveAvgPool1d(3));
  t.layer("adaptive_avg_pool2d_global", {3, 4, 9, 8}, nn::AdaptiveAvgPool2d(1),
          {{"a", 0, "batch"}, {"a", 2, "height"}, {"a", 3, "width"}});
  t.layer("adaptive_avg_pool2d", {3, 4, 9, 8}, nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({3, 4})));
  t.layer("adaptive_avg_pool2d_uneven", {3, 4, 9, 8}, nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({4, 3})));
  t.layer("adaptive_avg_pool3d", {3, 2, 4, 6, 6}, nn::AdaptiveAvgPool3d(2));
  t.layer("adaptive_max_pool2d", {3, 4, 9, 8}, nn::AdaptiveMaxPool2d(nn::AdaptiveMaxPool2dOptions({3, 4})));
  t.layer("adaptive_max_pool2d_uneven", {3, 4, 9, 8}, nn::AdaptiveMaxPool2d(nn::AdaptiveMaxPool2dOptions({4, 3})));
  t.layer("adaptive_max_pool1d_global", {3, 4, 9}, nn::AdaptiveMaxPool1d(1));
  t.layer("lp_pool2d", {3, 4, 8, 8}, nn::LPPool2d(nn::LPPool2dOptions(2, 2)));
}

/// As if trained: scales, shifts and statistics that do something.
template <typename Layer>
Layer trained(Layer layer) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : layer->parameters()) parameter.uniform_(0.2, 1.5);
  for (auto& buffer : layer->named_buffers())
    if (buffer.value().is_floating_point()) buffer.value().uniform_(0.2, 1.5);
  return layer;
}

void add_norms(Table& t) {
  t.layer("batch_norm1d", {3, 4}, trained(nn::BatchNorm1d(4)));
  t.layer("batch_norm2d", {3, 4, 5, 6}, trained(nn::BatchNorm2d(4)));
  t.layer("batch_norm3d_plain", {3, 2, 3, 4, 5}, trained(nn::BatchNorm3d(nn::BatchNorm3dOptions(2).affine(false))));
  t.layer("batch_norm_own_statistics", {3, 4, 5, 6},
          nn::BatchNorm2d(nn::BatchNorm2dOptions(4).track_running_stats(false)));
  t.layer("layer_norm", {3, 4, 6}, trained(nn::LayerNorm(nn::LayerNormOptions({6}))));
  t.layer("layer_norm_two_axes", {3, 4, 6}, trained(nn::LayerNorm(nn::LayerNormOptions({4, 6}))));
  t.layer("layer_norm_plain", {3, 4, 6}, nn::LayerNorm(nn::LayerNormOptions({6}).elementwise_affine(false)));
  t.layer("group_norm", {3, 6, 5, 4}, trained(nn::GroupNorm(nn::GroupNormOptions(3, 6))));
  t.layer("group_norm_sequence", {3, 6, 5}, nn::GroupNorm(nn::GroupNormOptions(2, 6).affine(false)),
          {{"a", 0, "batch"}, {"a", 2, "time"}});
  t.layer("instance_norm2d", {3, 4, 5, 6}, trained(nn::InstanceNorm2d(nn::InstanceNorm2dOptions(4).affine(true))));
  t.layer("instance_norm1d_tracked", {3, 4, 5},
          trained(nn::InstanceNorm1d(nn::InstanceNorm1dOptions(4).track_running_stats(true))));
  t.function("rms_norm", {3, 4, 6},
             [](const Tensor& x) { return torch::rms_norm(x, {6}, torch::linspace(0.5, 2, 6)); });
  t.layer("local_response_norm", {3, 6, 5, 4}, nn::LocalResponseNorm(3));
  t.layer("prelu", {3, 4, 5}, nn::PReLU(nn::PReLUOptions().num_parameters(4).init(0.3)));
  t.layer("prelu_one", {3, 4}, nn::PReLU());
  t.layer("dropout", {3, 4}, nn::Dropout(0.5));
  t.layer("dropout2d", {3, 4, 5, 5}, nn::Dropout2d(0.5));
  auto embedding = nn::Embedding(nn::EmbeddingOptions(7, 4).padding_idx(0)).ptr();
  t.of("embedding", {torch::tensor({{1, 0, 5}, {6, 2, 2}})}, embedding,
       [embedding](const Tensors& x) { return Tensors{embedding->forward(x[0])}; },
       {{"a", 0, "batch"}, {"a", 1, "time"}});
}

template <typename Layer>
void add_recurrent(Table& t, const std::string& name, Layer holder, Shape shape, Axes axes) {
  auto layer = holder.ptr();
  constexpr bool kIsLstm = std::is_same_v<Layer, nn::LSTM>;
  t.of(
      name, {torch::randn(shape)}, layer,
      [layer](const Tensors& x) {
        const auto [output, state] = layer->forward(x[0]);
        if constexpr (kIsLstm)
          return Tensors{output, std::get<0>(state), std::get<1>(state)};
        else
          return Tensors{output, state};
      },
      std::move(axes));
}

void add_sequences(Table& t) {
  const Axes time_first = {{"a", 0, "time"}, {"a", 1, "batch"}};
  const Axes batch_first = {{"a", 0, "batch"}, {"a", 1, "time"}};
  add_recurrent(t, "lstm", nn::LSTM(4, 5), {6, 3, 4}, time_first);
  add_recurrent(t, "lstm_two_layers",
                nn::LSTM(nn::LSTMOptions(4, 5).num_layers(2).batch_first(true).bidirectional(true)), {3, 6, 4},
                batch_first);
  add_recurrent(t, "lstm_no_bias",
                nn::LSTM(nn::LSTMOptions(4, 5).bias(false).batch_first(true).num_layers(3).dropout(0.5)), {3, 6, 4},
                batch_first);
  add_recurrent(t, "lstm_batch_alone", nn::LSTM(nn::LSTMOptions(4, 5).batch_first(true)), {3, 6, 4}, {});
  add_recurrent(t, "gru", nn::GRU(4, 5), {6, 3, 4}, time_first);
  add_recurrent(t, "gru_two_layers", nn::GRU(nn::GRUOptions(4, 5).num_layers(2).batch_first(true).bidirectional(true)),
                {3, 6, 4}, batch_first);
  add_recurrent(t, "rnn", nn::RNN(nn::RNNOptions(4, 5).nonlinearity(torch::kTanh)), {6, 3, 4}, time_first);
  add_recurrent(t, "rnn_relu",
                nn::RNN(nn::RNNOptions(4, 5).nonlinearity(torch::kReLU).num_layers(2).bidirectional(true)), {6, 3, 4},
                time_first);
  auto given = nn::LSTM(nn::LSTMOptions(4, 5).batch_first(true)).ptr();
  t.of("lstm_given_state", {torch::randn({3, 6, 4}), torch::randn({3, 5})}, given, [given](const Tensors& x) {
    const Tensor h = x[1].unsqueeze(0);
    return Tensors{std::get<0>(given->forward(x[0], std::make_tuple(h, h * 2)))};
  });
  auto cell = nn::LSTMCell(4, 5).ptr();
  t.of("lstm_cell", {torch::randn({3, 4})}, cell, [cell](const Tensors& x) {
    const auto [h, c] = cell->forward(x[0]);
    return Tensors{h, c};
  });
  auto gru_cell = nn::GRUCell(4, 5).ptr();
  t.of("gru_cell", {torch::randn({3, 4})}, gru_cell,
       [gru_cell](const Tensors& x) { return Tensors{gru_cell->forward(x[0])}; });

  auto attention = nn::MultiheadAttention(nn::MultiheadAttentionOptions(8, 2)).ptr();
  t.of("multihead_attention", {torch::randn({5, 3, 8}), torch::randn({6, 3, 8})}, attention,
       [attention](const Tensors& x) {
         const auto [output, weights] = attention->forward(x[0], x[1], x[1]);
         return Tensors{output, weights};
       },
       {{"a", 0, "queries"}, {"a", 1, "batch"}, {"b", 0, "keys"}, {"b", 1, "batch"}});
  t.layer("transformer_encoder_layer", {5, 3, 8},
          nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16)), time_first);
  t.layer("transformer_encoder", {5, 3, 8},
          nn::TransformerEncoder(nn::TransformerEncoderOptions(
              nn::TransformerEncoderLayer(
                  nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16).activation(torch::kGELU)),
              2)),
          time_first);
  auto transformer = nn::Transformer(nn::TransformerOptions(8, 2, 1, 1).dim_feedforward(16)).ptr();
  t.of("transformer", {torch::randn({5, 3, 8}), torch::randn({4, 3, 8})}, transformer,
       [transformer](const Tensors& x) { return Tensors{transformer->forward(x[0], x[1])}; },
       {{"a", 1, "batch"}, {"b", 1, "batch"}});
}

void add_resizes(Table& t) {
  using Options = F::InterpolateFuncOptions;
  t.function("nearest1d", {3, 4, 5}, [](const Tensor& x) {
    return F::interpolate(x, Options().scale_factor(std::vector<double>{2.5}).mode(torch::kNearest));
  });
  t.function("nearest2d", {3, 4, 5, 6},
             [](const Tensor& x) {
               return F::interpolate(x, Options().scale_factor(std::vector<double>{2, 3}).mode(torch::kNearest));
             },
             {{"a", 0, "batch"}, {"a", 2, "height"}});
  t.function("nearest2d_size", {3, 4, 5, 6}, [](const Tensor& x) {
    return F::interpolate(x, Options().size(std::vector<std::int64_t>{7, 4}).mode(torch::kNearest));
  });
  t.function("nearest3d", {3, 2, 3, 4, 5}, [](const Tensor& x) {
    return F::interpolate(x, Options().scale_factor(std::vector<double>{2, 2, 2}).mode(torch::kNearest));
  });
  t.function("nearest_exact", {3, 4, 5, 6}, [](const Tensor& x) {
    return F::interpolate(x, Options().size(std::vector<std::int64_t>{7, 4}).mode(torch::kNearestExact));
  });
  t.function("linear1d", {3, 4, 5}, [](const Tensor& x) {
    return F::interpolate(x, Options().size(std::vector<std::int64_t>{8}).mode(torch::kLinear).align_corners(true));
  });
  t.function("bilinear2d", {3, 4, 5, 6}, [](const Tensor& x) {
    return F::interpolate(
        x, Options().scale_factor(std::vector<double>{2, 1.5}).mode(torch::kBilinear).align_corners(false));
  });
  t.function("bilinear_size", {3, 4, 5, 6}, [](const Tensor& x) {
    return F::interpolate(x,
                          Options().size(std::vector<std::int64_t>{3, 11}).mode(torch::kBilinear).align_corners(false));
  });
  t.function("bilinear_corners", {3, 4, 5, 6}, [](const Tensor& x) {
    return F::interpolate(x,
                          Options().size(std::vector<std::int64_t>{7, 9}).mode(torch::kBilinear).align_corners(true));
  });
  t.function("bilinear_double", {3, 4, 5, 6},
             [](const Tensor& x) {
               return F::interpolate(x, Options()
                                            .size(std::vector<std::int64_t>{x.size(2) * 2, x.size(3)})
                                            .mode(torch::kBilinear)
                                            .align_corners(false));
             },
             {{"a", 0, "batch"}, {"a", 2, "height"}});
  t.function("bicubic", {3, 4, 5, 6}, [](const Tensor& x) {
    return F::interpolate(x,
                          Options().size(std::vector<std::int64_t>{7, 9}).mode(torch::kBicubic).align_corners(false));
  });
  t.function("bicubic_corners", {3, 4, 5, 6}, [](const Tensor& x) {
    return F::interpolate(x,
                          Options().scale_factor(std::vector<double>{2, 2}).mode(torch::kBicubic).align_corners(true));
  });
  t.function("trilinear", {3, 2, 3, 4, 5}, [](const Tensor& x) {
    return F::interpolate(
        x, Options().size(std::vector<std::int64_t>{5, 6, 7}).mode(torch::kTrilinear).align_corners(false));
  });
  t.function("pixel_shuffle", {3, 8, 3, 4}, [](const Tensor& x) { return torch::pixel_shuffle(x, 2); });
  t.function("pixel_unshuffle", {3, 2, 4, 6}, [](const Tensor& x) { return torch::pixel_unshuffle(x, 2); });
}

void add_networks(Table& t) {
  t.network<base::Mlp>("network_mlp", {3, 1, 8, 8}, {.inputs = 64, .hidden = {16, 16}, .outputs = 4, .dropout = 0.3});
  t.network<base::MnistCnn>("network_mnist_cnn", {3, 1, 28, 28}, {});
  const Axes pictures = {{"a", 0, "batch"}, {"a", 2, "height"}, {"a", 3, "width"}};
  t.network<base::ResNet>("network_resnet18", {2, 3, 64, 64}, {.depth = 18, .classes = 10}, pictures);
  t.network<base::ResNet>("network_resnet34", {2, 3, 64, 64}, {.depth = 34, .classes = 10});
  t.network<base::ResNet>("network_resnet50", {2, 3, 64, 64}, {.depth = 50, .classes = 10});
  t.network<base::CifarResNet>("network_cifar_resnet20", {2, 3, 32, 32}, {.depth = 20}, pictures);
  t.network<base::CifarResNet>("network_cifar_resnet32", {2, 3, 32, 32}, {.depth = 32});
  t.network<base::CifarResNet>("network_cifar_resnet56", {2, 3, 32, 32}, {.depth = 56});
  t.network<base::ConvAutoencoder>("network_conv_autoencoder", {3, 2, 37}, {.channels = 2},
                                   {{"a", 0, "batch"}, {"a", 2, "time"}});
  t.network<base::ConvAutoencoder>("network_conv_autoencoder_fixed", {3, 2, 40}, {.channels = 2});
}

}  // namespace

std::vector<Case> layer_cases() {
  Table table;
  add_convolutions(table);
  add_pools(table);
  add_norms(table);
  add_sequences(table);
  add_resizes(table);
  add_networks(table);
  return std::move(table.cases);
}

}  // namespace export_cases
