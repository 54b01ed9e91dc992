// SPDX-License-Identifier: Apache-2.0
// Small ONNX files made on the spot, for tests that need a network of a certain shape.
#pragma once

#include <onnx/onnx_pb.h>

#include <random>
#include <string>
#include <vector>

#include "workloads/graph/graph.h"

namespace npulab::test {

using Strings = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;

/// Tensors with given or random contents.
graph::Tensor random_tensor(const std::string& name, graph::ElementType type, const graph::Shape& shape, std::mt19937& random);
graph::Tensor integers(const std::string& name, graph::ElementType type, const graph::Shape& shape,
                       const std::vector<std::int64_t>& values);
graph::Tensor reals(const std::string& name, const graph::Shape& shape, const std::vector<float>& values);

class ModelBuilder {
 public:
  ModelBuilder();
  void input(const std::string& name, graph::ElementType type, const graph::Shape& shape);
  /// Adds an initialiser and returns its name.
  std::string constant(const graph::Tensor& tensor);
  std::string scale(const std::string& name, float value) { return constant(reals(name, {}, {value})); }
  std::string zero(const std::string& name, graph::ElementType type, std::int64_t value) {
    return constant(integers(name, type, {}, {value}));
  }
  onnx::NodeProto& node(const std::string& op, const Strings& inputs, const Strings& outputs, const std::string& domain = "");
  void output(const std::string& name);
  onnx::ModelProto& model() { return model_; }
  std::string bytes() const { return model_.SerializeAsString(); }
  /// Writes the file into the temporary folder and returns its path.
  std::string save(const std::string& name) const;

 private:
  onnx::ModelProto model_;
};

void set(onnx::NodeProto& node, const std::string& attribute, std::int64_t value);
void set(onnx::NodeProto& node, const std::string& attribute, const Integers& values);
void set(onnx::NodeProto& node, const std::string& attribute, const std::string& value);

/// A path in a folder of this process.
std::string temporary_file(const std::string& name);
void write_bytes(const std::string& file, const std::string& bytes);

}  // namespace npulab::test
