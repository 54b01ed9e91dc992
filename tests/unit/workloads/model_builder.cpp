// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/workloads/model_builder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace npulab::test {
namespace {

int onnx_type(graph::ElementType type) {
  static const int types[] = {onnx::TensorProto::INT8, onnx::TensorProto::UINT8, onnx::TensorProto::INT32, onnx::TensorProto::INT64,
                              onnx::TensorProto::FLOAT};
  return types[static_cast<int>(type)];
}

graph::Tensor bare(const std::string& name, graph::ElementType type, const graph::Shape& shape) {
  graph::Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.shape = shape;
  tensor.data.resize(static_cast<std::size_t>(graph::element_count(shape) * graph::size_of(type)));
  return tensor;
}

}  // namespace

graph::Tensor random_tensor(const std::string& name, graph::ElementType type, const graph::Shape& shape, std::mt19937& random) {
  graph::Tensor tensor = bare(name, type, shape);
  if (type == graph::ElementType::fp32) {
    for (std::size_t i = 0; i < tensor.data.size(); i += 4) {
      const float value = (static_cast<float>(random() % 20001) - 10000.0f) / 1000.0f;
      std::memcpy(tensor.data.data() + i, &value, 4);
    }
  } else {
    for (std::uint8_t& byte : tensor.data) byte = static_cast<std::uint8_t>(random());
  }
  return tensor;
}

graph::Tensor integers(const std::string& name, graph::ElementType type, const graph::Shape& shape,
                       const std::vector<std::int64_t>& values) {
  graph::Tensor tensor = bare(name, type, shape);
  const auto size = static_cast<std::size_t>(graph::size_of(type));
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(tensor.data.data() + i * size, &values[i], size);
  return tensor;
}

graph::Tensor reals(const std::string& name, const graph::Shape& shape, const std::vector<float>& values) {
  graph::Tensor tensor = bare(name, graph::ElementType::fp32, shape);
  std::memcpy(tensor.data.data(), values.data(), values.size() * 4);
  return tensor;
}

ModelBuilder::ModelBuilder() {
  model_.set_ir_version(8);
  model_.add_opset_import()->set_version(13);
  model_.mutable_graph()->set_name("made");
}

void ModelBuilder::input(const std::string& name, graph::ElementType type, const graph::Shape& shape) {
  auto* value = model_.mutable_graph()->add_input();
  value->set_name(name);
  auto* tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx_type(type));
  for (std::int64_t extent : shape) tensor->mutable_shape()->add_dim()->set_dim_value(extent);
}

std::string ModelBuilder::constant(const graph::Tensor& tensor) {
  auto* proto = model_.mutable_graph()->add_initializer();
  proto->set_name(tensor.name);
  proto->set_data_type(onnx_type(tensor.type));
  for (std::int64_t extent : tensor.shape) proto->add_dims(extent);
  proto->set_raw_data(tensor.data.data(), tensor.data.size());
  return tensor.name;
}

onnx::NodeProto& ModelBuilder::node(const std::string& op, const Strings& inputs, const Strings& outputs,
                                    const std::string& domain) {
  auto* node = model_.mutable_graph()->add_node();
  node->set_op_type(op);
  node->set_domain(domain);
  node->set_name(op + std::to_string(model_.graph().node_size()));
  for (const std::string& input : inputs) node->add_input(input);
  for (const std::string& output : outputs) node->add_output(output);
  return *node;
}

void ModelBuilder::output(const std::string& name) { model_.mutable_graph()->add_output()->set_name(name); }

std::string ModelBuilder::save(const std::string& name) const {
  const std::string file = temporary_file(name);
  write_bytes(file, bytes());
  return file;
}

void set(onnx::NodeProto& node, const std::string& attribute, std::int64_t value) {
  auto* proto = node.add_attribute();
  proto->set_name(attribute);
  proto->set_type(onnx::AttributeProto::INT);
  proto->set_i(value);
}

void set(onnx::NodeProto& node, const std::string& attribute, const Integers& values) {
  auto* proto = node.add_attribute();
  proto->set_name(attribute);
  proto->set_type(onnx::AttributeProto::INTS);
  for (std::int64_t value : values) proto->add_ints(value);
}

void set(onnx::NodeProto& node, const std::string& attribute, const std::string& value) {
  auto* proto = node.add_attribute();
  proto->set_name(attribute);
  proto->set_type(onnx::AttributeProto::STRING);
  proto->set_s(value);
}

namespace {

/// A folder of this process, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::path(testing::TempDir()) / ("npulab_workloads_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

std::string temporary_file(const std::string& name) {
  static const TemporaryFolder folder;
  return (folder.path() / name).string();
}

void write_bytes(const std::string& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

}  // namespace npulab::test
