// SPDX-License-Identifier: Apache-2.0
#include "workloads/graph/onnx_import.h"

#include <onnx/onnx_pb.h>

#include <set>

#include "model/base/errors.h"
#include "workloads/graph/tensor_file.h"

namespace npulab::graph {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 33;

class Importer {
 public:
  explicit Importer(const std::string& file) { graph_.file = file; }

  Graph run() {
    const std::string bytes = read_whole_file(graph_.file, std::int64_t{1} << 31);
    onnx::ModelProto model;
    if (!model.ParseFromString(bytes) || !model.has_graph()) {
      throw UserError({{graph_.file, 0, 0, "", "expected an ONNX model, found something else or a truncated file"}});
    }
    const onnx::GraphProto& source = model.graph();
    graph_.name = source.name();
    for (const auto& tensor : source.initializer()) add_initialiser(tensor);
    for (const auto& value : source.input()) add_input(value);
    for (const auto& value : source.output()) graph_.outputs.push_back(value.name());
    for (const auto& node : source.node()) add_node(node);
    sort_nodes();
    for (const std::string& output : graph_.outputs) {
      if (produced_.count(output) == 0) problem("output " + output, "expected a node or input that produces it, found none");
    }
    if (graph_.nodes.empty()) problem("", "expected at least one node, found an empty graph");
    if (!problems_.empty()) throw UserError(problems_);
    return std::move(graph_);
  }

 private:
  void problem(const std::string& key, const std::string& message) { problems_.push_back({graph_.file, 0, 0, key, message}); }

  void add_initialiser(const onnx::TensorProto& proto) {
    Tensor tensor;
    std::string trouble;
    if (!decode_tensor(proto, tensor, trouble)) problem("initialiser " + proto.name(), trouble);
    tensor.constant = true;
    produced_.insert(proto.name());
    graph_.tensors[proto.name()] = std::move(tensor);
  }

  void add_input(const onnx::ValueInfoProto& value) {
    if (graph_.tensors.count(value.name()) > 0) return;  // an initialiser listed as input as well
    Tensor tensor;
    tensor.name = value.name();
    const auto& type = value.type().tensor_type();
    if (!element_type_of(type.elem_type(), tensor.type)) {
      problem("input " + value.name(), "expected int8, uint8, int32, int64 or float, found ONNX type " + std::to_string(type.elem_type()));
    }
    for (const auto& dimension : type.shape().dim()) {
      if (dimension.dim_value() <= 0) problem("input " + value.name(), "expected fixed positive dimensions, found a free or zero one");
      tensor.shape.push_back(std::max<std::int64_t>(dimension.dim_value(), 1));
    }
    if (element_count(tensor.shape) > kMaxElements || element_count(tensor.shape) < 0) problem("input " + value.name(), "expected a tensor of reasonable size, found " + to_string(tensor.shape));
    tensor.known = true;
    graph_.inputs.push_back(value.name());
    produced_.insert(value.name());
    graph_.tensors[value.name()] = std::move(tensor);
  }

  void add_node(const onnx::NodeProto& proto) {
    Node node;
    node.op = proto.op_type();
    node.domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
    node.name = proto.name().empty() ? node.op + "_" + std::to_string(graph_.nodes.size()) : proto.name();
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    for (const auto& attribute : proto.attribute()) {
      Attribute& value = node.attributes[attribute.name()];
      value.integer = attribute.i();
      value.real = attribute.f();
      value.text = attribute.s();
      value.integers.assign(attribute.ints().begin(), attribute.ints().end());
    }
    graph_.nodes.push_back(std::move(node));
  }

  /// Kahn's order, stable in file order; what is left over is a cycle or hangs on a missing tensor.
  void sort_nodes() {
    std::vector<Node> sorted, waiting = std::move(graph_.nodes);
    for (bool progress = true; progress && !waiting.empty();) {
      progress = false;
      std::vector<Node> later;
      for (Node& node : waiting) {
        bool ready = true;
        for (const std::string& input : node.inputs) ready = ready && (input.empty() || produced_.count(input) > 0);
        if (!ready) {
          later.push_back(std::move(node));
          continue;
        }
        for (const std::string& output : node.outputs) {
          if (!output.empty() && !produced_.insert(output).second) problem(node.name, "expected each tensor to be made once, found '" + output + "' made again");
        }
        sorted.push_back(std::move(node));
        progress = true;
      }
      waiting = std::move(later);
    }
    for (const Node& node : waiting) {
      std::string missing;
      for (const std::string& input : node.inputs) {
        if (!input.empty() && produced_.count(input) == 0) missing += (missing.empty() ? "'" : ", '") + input + "'";
      }
      problem(node.name, "expected inputs that an earlier node or initialiser makes, found " + missing + " missing or in a cycle");
    }
    graph_.nodes = std::move(sorted);
  }

  Graph graph_;
  std::set<std::string> produced_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

Graph import_onnx(const std::string& file) { return Importer(file).run(); }

}  // namespace npulab::graph
