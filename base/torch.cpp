#include "base/torch.h"

#define BASE_TORCH_DEFINE_LAYER(Layer) template class torch::nn::Cloneable<torch::nn::Layer##Impl>;
BASE_TORCH_LAYERS(BASE_TORCH_DEFINE_LAYER)
