// SPDX-License-Identifier: Apache-2.0
#include "workloads/graph/graph.h"

#include "model/base/errors.h"

namespace npulab::graph {

int size_of(ElementType type) {
  switch (type) {
    case ElementType::int8:
    case ElementType::uint8: return 1;
    case ElementType::int64: return 8;
    default: return 4;
  }
}

const char* name_of(ElementType type) {
  static const char* const names[] = {"int8", "uint8", "int32", "int64", "float"};
  return names[static_cast<int>(type)];
}

isa::DataType device_type(ElementType type) {
  switch (type) {
    case ElementType::int8: return isa::DataType::int8;
    case ElementType::uint8: return isa::DataType::uint8;
    case ElementType::int32: return isa::DataType::int32;
    case ElementType::fp32: return isa::DataType::fp32;
    default: throw InternalError("int64 tensors do not reach the device");
  }
}

std::int64_t element_count(const Shape& shape) {
  constexpr std::int64_t kMost = std::int64_t{1} << 56;
  std::int64_t count = 1;
  for (std::int64_t extent : shape) {
    if (extent > 0 && count > kMost / extent) return kMost;
    count *= extent;
  }
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

std::int64_t Tensor::integer(std::size_t index) const {
  switch (type) {
    case ElementType::int8: return at<std::int8_t>(index);
    case ElementType::uint8: return at<std::uint8_t>(index);
    case ElementType::int32: return at<std::int32_t>(index);
    case ElementType::int64: return at<std::int64_t>(index);
    default: throw InternalError(name + " is no integer tensor");
  }
}

std::int64_t Node::integer(const std::string& key, std::int64_t fallback) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? fallback : found->second.integer;
}

std::vector<std::int64_t> Node::integers(const std::string& key, const std::vector<std::int64_t>& fallback) const {
  const auto found = attributes.find(key);
  return found == attributes.end() || found->second.integers.empty() ? fallback : found->second.integers;
}

std::string Node::text(const std::string& key, const std::string& fallback) const {
  const auto found = attributes.find(key);
  return found == attributes.end() || found->second.text.empty() ? fallback : found->second.text;
}

float Node::real(const std::string& key, float fallback) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? fallback : found->second.real;
}

const std::string& Node::input(std::size_t index) const {
  static const std::string none;
  return index < inputs.size() ? inputs[index] : none;
}

}  // namespace npulab::graph
