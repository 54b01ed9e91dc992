// SPDX-License-Identifier: Apache-2.0
#include "workloads/graph/onnx_import.h"

#include <onnx/onnx_pb.h>

#include <map>
#include <set>

#include "model/base/errors.h"
#include "workloads/graph/tensor_file.h"

namespace npulab::graph {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 31;
constexpr std::size_t kMaxProblems = 100;

/// Old files may leave the type out; then what is filled in decides.
Attribute::Kind kind_of(const onnx::AttributeProto& attribute) {
  using Proto = onnx::AttributeProto;
  switch (attribute.type()) {
    case Proto::INT: return Attribute::Kind::integer;
    case Proto::INTS: return Attribute::Kind::integers;
    case Proto::FLOAT: return Attribute::Kind::real;
    case Proto::STRING: return Attribute::Kind::text;
    case Proto::UNDEFINED: break;
    default: return Attribute::Kind::other;
  }
  if (attribute.has_i()) return Attribute::Kind::integer;
  if (attribute.has_f()) return Attribute::Kind::real;
  if (attribute.has_s()) return Attribute::Kind::text;
  return attribute.ints_size() > 0 ? Attribute::Kind::integers : Attribute::Kind::other;
}

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
  void problem(const std::string& key, const std::string& message) {
    if (problems_.size() < kMaxProblems) problems_.push_back({graph_.file, 0, 0, key, message});
  }

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
      problem("input " + value.name(),
              "expected int8, uint8, int32, int64 or float, found ONNX type " + std::to_string(type.elem_type()));
    }
    for (const auto& dimension : type.shape().dim()) {
      if (dimension.dim_value() <= 0)
        problem("input " + value.name(), "expected fixed positive dimensions, found a free or zero one");
      tensor.shape.push_back(std::max<std::int64_t>(dimension.dim_value(), 1));
    }
    if (element_count(tensor.shape) > kMaxElements) {
      problem("input " + value.name(),
              "expected at most " + std::to_string(kMaxElements) + " elements, found " + to_string(tensor.shape));
    }
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
      value.kind = kind_of(attribute);
      value.integer = attribute.i();
      value.real = attribute.f();
      value.text = attribute.s();
      value.integers.assign(attribute.ints().begin(), attribute.ints().end());
    }
    graph_.nodes.push_back(std::move(node));
  }

  /// Which nodes wait for a tensor, and for how many tensors each node waits.
  struct Waiting {
    std::map<std::string, std::vector<std::size_t>> readers;
    std::vector<std::size_t> missing;
    std::set<std::size_t> ready;  // by place in the file
  };

  Waiting waiting_nodes() {
    Waiting waiting;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      std::set<std::string> open;
      for (const std::string& input : graph_.nodes[n].inputs) {
        if (!input.empty() && produced_.count(input) == 0) open.insert(input);
      }
      for (const std::string& input : open) waiting.readers[input].push_back(n);
      waiting.missing.push_back(open.size());
      if (open.empty()) waiting.ready.insert(n);
    }
    return waiting;
  }

  /// Kahn's order, stable in file order; what is left over is a cycle or hangs on a missing tensor.
  void sort_nodes() {
    Waiting waiting = waiting_nodes();
    std::vector<Node> sorted;
    std::vector<bool> done(graph_.nodes.size(), false);
    while (!waiting.ready.empty()) {
      const std::size_t n = *waiting.ready.begin();
      waiting.ready.erase(waiting.ready.begin());
      done[n] = true;
      for (const std::string& output : graph_.nodes[n].outputs) {
        if (output.empty()) continue;
        if (!produced_.insert(output).second) {
          problem(graph_.nodes[n].name, "expected each tensor to be made once, found '" + output + "' made again");
          continue;
        }
        for (std::size_t reader : waiting.readers[output]) {
          if (--waiting.missing[reader] == 0) waiting.ready.insert(reader);
        }
      }
      sorted.push_back(graph_.nodes[n]);
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!done[n]) report_waiting(graph_.nodes[n]);
    }
    graph_.nodes = std::move(sorted);
  }

  void report_waiting(const Node& node) {
    std::string missing;
    for (const std::string& input : node.inputs) {
      if (!input.empty() && produced_.count(input) == 0) missing += (missing.empty() ? "'" : ", '") + input + "'";
    }
    problem(node.name, "expected inputs that an initialiser or an earlier node makes, found " + missing + " missing or in a cycle");
  }

  Graph graph_;
  std::set<std::string> produced_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

Graph import_onnx(const std::string& file) { return Importer(file).run(); }

}  // namespace npulab::graph
