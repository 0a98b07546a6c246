// torch.h: LibTorch as the runtime and the projects on it see it. Include it first in a .cpp file: it is precompiled,
// here and in the installed package, and g++ takes a precompiled header only as the first thing in a file. Anywhere
// else it is an ordinary header, about four times as slow (benchmarks/compile_time measures it).
#ifndef BASE_TORCH_H_
#define BASE_TORCH_H_

#include <torch/nn.h>
#include <torch/types.h>
#include <torch/utils.h>

// Every layer that a file has in sight would be compiled again in that file, used or not; the runtime holds one copy of
// each (torch.cpp), and the files that include this header only refer to it.
// clang-format off
#define BASE_TORCH_LAYERS(X) \
  X(AdaptiveAvgPool1d) X(AdaptiveAvgPool2d) X(AdaptiveAvgPool3d) X(AdaptiveLogSoftmaxWithLoss) X(AdaptiveMaxPool1d) \
  X(AdaptiveMaxPool2d) X(AdaptiveMaxPool3d) X(AlphaDropout) X(AvgPool1d) X(AvgPool2d) X(AvgPool3d) X(BatchNorm1d) \
  X(BatchNorm2d) X(BatchNorm3d) X(Bilinear) X(CELU) X(ConstantPad1d) X(ConstantPad2d) X(ConstantPad3d) X(Conv1d) \
  X(Conv2d) X(Conv3d) X(ConvTranspose1d) X(ConvTranspose2d) X(ConvTranspose3d) X(CosineSimilarity) X(CrossMapLRN2d) \
  X(Dropout) X(Dropout2d) X(Dropout3d) X(ELU) X(Embedding) X(EmbeddingBag) X(FeatureAlphaDropout) X(Flatten) X(Fold) \
  X(FractionalMaxPool2d) X(FractionalMaxPool3d) X(Functional) X(GELU) X(GLU) X(GRU) X(GRUCell) X(GroupNorm) \
  X(Hardshrink) X(Hardtanh) X(Identity) X(InstanceNorm1d) X(InstanceNorm2d) X(InstanceNorm3d) X(LPPool1d) \
  X(LPPool2d) X(LPPool3d) X(LSTM) X(LSTMCell) X(LayerNorm) X(LeakyReLU) X(Linear) X(LocalResponseNorm) X(LogSigmoid) \
  X(LogSoftmax) X(MaxPool1d) X(MaxPool2d) X(MaxPool3d) X(MaxUnpool1d) X(MaxUnpool2d) X(MaxUnpool3d) X(Mish) \
  X(ModuleDict) X(ModuleList) X(MultiheadAttention) X(PReLU) X(PairwiseDistance) X(ParameterDict) X(ParameterList) \
  X(RNN) X(RNNCell) X(RReLU) X(ReLU) X(ReLU6) X(ReflectionPad1d) X(ReflectionPad2d) X(ReflectionPad3d) \
  X(ReplicationPad1d) X(ReplicationPad2d) X(ReplicationPad3d) X(SELU) X(Sequential) X(SiLU) X(Sigmoid) X(Softmax) \
  X(Softmax2d) X(Softmin) X(Softplus) X(Softshrink) X(Softsign) X(Tanh) X(Tanhshrink) X(Threshold) X(Transformer) \
  X(TransformerDecoder) X(TransformerDecoderLayer) X(TransformerEncoder) X(TransformerEncoderLayer) X(Unflatten) \
  X(Unfold) X(Upsample) X(ZeroPad1d) X(ZeroPad2d) X(ZeroPad3d)
// clang-format on

#define BASE_TORCH_DECLARE_LAYER(Layer) extern template class torch::nn::Cloneable<torch::nn::Layer##Impl>;
BASE_TORCH_LAYERS(BASE_TORCH_DECLARE_LAYER)
#undef BASE_TORCH_DECLARE_LAYER

#endif  // BASE_TORCH_H_
