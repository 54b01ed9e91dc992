// SPDX-License-Identifier: Apache-2.0
// A network as the passes see it: named tensors, constants with their bytes, nodes in topological order.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "model/isa/instruction.h"

namespace npulab::graph {

using Shape = std::vector<std::int64_t>;

/// Element types that networks use here; int64 occurs only in constants such as shapes.
enum class ElementType : std::uint8_t { int8, uint8, int32, int64, fp32 };
int size_of(ElementType type);
const char* name_of(ElementType type);
/// InternalError for int64, which never reaches the device.
isa::DataType device_type(ElementType type);

/// Product of the extents; saturates far above anything that fits a device.
std::int64_t element_count(const Shape& shape);
std::string to_string(const Shape& shape);

struct Tensor {
  std::string name;
  ElementType type = ElementType::fp32;
  Shape shape;
  bool known = false;  // type and shape are final
  bool constant = false;
  std::vector<std::uint8_t> data;  // constants, row-major

  template <typename T>
  T at(std::size_t index) const {
    T value;
    std::memcpy(&value, data.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  /// Integer element of any integer type, as a number.
  std::int64_t integer(std::size_t index) const;
  float real(std::size_t index) const { return at<float>(index); }
};

struct Attribute {
  enum class Kind : std::uint8_t { integer, integers, real, text, other };
  Kind kind = Kind::other;
  std::int64_t integer = 0;
  float real = 0;
  std::string text;
  std::vector<std::int64_t> integers;
};

struct Node {
  std::string name;  // never empty: made from the operator and its number if the file gives none
  std::string op;
  std::string domain;               // "" or com.microsoft
  std::vector<std::string> inputs;  // "" where an optional one is left out
  std::vector<std::string> outputs;
  std::map<std::string, Attribute> attributes;

  std::int64_t integer(const std::string& key, std::int64_t fallback) const;
  std::vector<std::int64_t> integers(const std::string& key, const std::vector<std::int64_t>& fallback) const;
  std::string text(const std::string& key, const std::string& fallback) const;
  float real(const std::string& key, float fallback) const;
  /// Name of input `index`, "" when it is left out.
  const std::string& input(std::size_t index) const;
};

struct Graph {
  std::string name;
  std::string file;
  std::map<std::string, Tensor> tensors;
  std::vector<Node> nodes;
  std::vector<std::string> inputs;  // without initialisers
  std::vector<std::string> outputs;

  Tensor& tensor(const std::string& tensor_name) { return tensors[tensor_name]; }
  const Tensor& tensor(const std::string& tensor_name) const { return tensors.at(tensor_name); }
};

}  // namespace npulab::graph
