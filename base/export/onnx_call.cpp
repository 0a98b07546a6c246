#include "base/torch.h"

#include "base/export/onnx_call.h"

#include "base/log/format.h"

namespace base {

const Operand& OnnxCall::operator[](std::string_view name) const {
  static const Operand kNone;
  for (const auto& [argument, operand] : arguments_)
    if (argument == name) return operand;
  return kNone;
}

std::int64_t OnnxCall::integer(std::string_view name, std::int64_t otherwise) const {
  const Operand& operand = (*this)[name];
  if (operand.is_none()) return otherwise;
  if (operand.is_computed() || operand.is_tensor()) refuse(format("its {} depends on the sizes of the inputs", name));
  return operand.kind == Operand::Kind::kReal ? static_cast<std::int64_t>(operand.real) : operand.integer;
}

double OnnxCall::real(std::string_view name, double otherwise) const {
  const Operand& operand = (*this)[name];
  if (operand.is_none()) return otherwise;
  if (operand.is_computed() || operand.is_tensor()) refuse(format("its {} depends on the inputs", name));
  return operand.kind == Operand::Kind::kReal ? operand.real : static_cast<double>(operand.integer);
}

bool OnnxCall::truth(std::string_view name, bool otherwise) const {
  return integer(name, otherwise ? 1 : 0) != 0;
}

std::vector<std::int64_t> OnnxCall::integers(std::string_view name) const {
  std::vector<std::int64_t> numbers;
  const Operand& list = (*this)[name];
  if (list.kind == Operand::Kind::kInteger) return {integer(name)};
  for (const Operand& item : list.items) {
    if (item.is_computed()) refuse(format("its {} depends on the sizes of the inputs", name));
    numbers.push_back(item.integer);
  }
  return numbers;
}

std::vector<std::int64_t> OnnxCall::integers(std::string_view name, std::size_t count) const {
  std::vector<std::int64_t> numbers = integers(name);
  if (numbers.size() == 1) numbers.resize(count, numbers.front());
  return numbers;
}

std::int64_t OnnxCall::axis(std::string_view name, std::int64_t rank, std::int64_t otherwise) const {
  const std::int64_t axis = integer(name, otherwise);
  return axis < 0 ? axis + std::max<std::int64_t>(rank, 1) : axis;
}

std::vector<std::int64_t> OnnxCall::axes(std::string_view name, std::int64_t rank) const {
  std::vector<std::int64_t> axes = integers(name);
  for (std::int64_t& axis : axes)
    if (axis < 0) axis += rank;
  return axes;
}

}  // namespace base
