// SPDX-License-Identifier: Apache-2.0
#include "app/commands/compare_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace npulab::commands {
namespace {

constexpr std::size_t kShownValues = 10;
constexpr std::size_t kShownDifferences = 8;

/// Element `index` as a number.
double value_at(const std::vector<std::uint8_t>& bytes, graph::ElementType type, std::size_t index) {
  switch (type) {
    case graph::ElementType::int8: return static_cast<std::int8_t>(bytes[index]);
    case graph::ElementType::uint8: return bytes[index];
    case graph::ElementType::fp32: {
      float value;
      std::memcpy(&value, bytes.data() + index * 4, 4);
      return static_cast<double>(value);
    }
    default: {
      std::int32_t value;
      std::memcpy(&value, bytes.data() + index * 4, 4);
      return value;
    }
  }
}

/// Distance in steps; floats are ordered by their bits.
std::int64_t steps_between(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b, graph::ElementType type, std::size_t index) {
  if (type != graph::ElementType::fp32) return std::llabs(static_cast<long long>(value_at(a, type, index) - value_at(b, type, index)));
  const auto ordered = [&](const std::vector<std::uint8_t>& bytes) {
    std::int32_t bits;
    std::memcpy(&bits, bytes.data() + index * 4, 4);
    return bits < 0 ? -static_cast<std::int64_t>(bits & 0x7fffffff) : static_cast<std::int64_t>(bits);
  };
  return std::llabs(ordered(a) - ordered(b));
}

std::string index_text(std::size_t flat, const graph::Shape& shape) {
  std::string text;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto extent = static_cast<std::size_t>(std::max<std::int64_t>(shape[i], 1));
    text = std::to_string(flat % extent) + (text.empty() ? "" : "," + text);
    flat /= extent;
  }
  return "[" + text + "]";
}

graph::ElementType type_of(const WorkloadTensor& tensor) {
  switch (tensor.type) {
    case isa::DataType::uint8: return graph::ElementType::uint8;
    case isa::DataType::int32: return graph::ElementType::int32;
    case isa::DataType::fp32: return graph::ElementType::fp32;
    default: return graph::ElementType::int8;
  }
}

}  // namespace

std::string describe_outputs(const LoadedModel& model, const std::vector<std::vector<std::uint8_t>>& outputs) {
  std::string text;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const WorkloadTensor& tensor = model.workload.tensors[static_cast<std::size_t>(model.workload.outputs[i])];
    const graph::ElementType type = type_of(tensor);
    const std::size_t count = outputs[i].size() / static_cast<std::size_t>(graph::size_of(type));
    text += fmt::format("output {} {}{}:", tensor.name, graph::name_of(type), graph::to_string(tensor.shape));
    std::size_t largest = 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (k < kShownValues) text += fmt::format(" {:g}", value_at(outputs[i], type, k));
      if (value_at(outputs[i], type, k) > value_at(outputs[i], type, largest)) largest = k;
    }
    text += count > kShownValues ? " ..." : "";
    text += count > 1 ? fmt::format("  (largest at {})\n", index_text(largest, tensor.shape)) : "\n";
  }
  return text;
}

bool compare_outputs(const LoadedModel& model, const std::vector<std::vector<std::uint8_t>>& outputs, int tolerance, std::ostream& out) {
  bool equal = true;
  for (std::size_t i = 0; i < model.expected.size() && i < outputs.size(); ++i) {
    const graph::Tensor& expected = model.expected[i];
    const auto count = static_cast<std::size_t>(graph::element_count(expected.shape));
    std::size_t differing = 0;
    std::string shown;
    for (std::size_t k = 0; k < count; ++k) {
      if (steps_between(outputs[i], expected.data, expected.type, k) <= tolerance) continue;
      if (differing++ < kShownDifferences) {
        shown += fmt::format("  {}: expected {:g}, found {:g}\n", index_text(k, expected.shape), value_at(expected.data, expected.type, k), value_at(outputs[i], expected.type, k));
      }
    }
    out << fmt::format("output {}: {}\n", expected.name, differing == 0 ? "equal to what was expected" : fmt::format("{} of {} elements differ", differing, count)) << shown;
    equal = equal && differing == 0;
  }
  return equal;
}

}  // namespace npulab::commands
