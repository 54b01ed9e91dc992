// SPDX-License-Identifier: Apache-2.0
#include "workloads/graph/compile.h"

#include <algorithm>
#include <set>

#include "model/base/errors.h"
#include "model/base/nearest_name.h"
#include "workloads/graph/onnx_import.h"
#include "workloads/graph/tensor_file.h"
#include "workloads/operators/lowering_context.h"
#include "workloads/operators/operator.h"

namespace npulab::graph {
namespace {

using operators::OperatorDefinition;

class Compiler {
 public:
  Compiler(const std::string& file, const SocSpec& soc) : soc_(soc) { network_.graph = import_onnx(file); }

  void check() {
    network_.file_inputs = graph().inputs;
    find_definitions();
    if (parameter_inputs().empty()) infer();
  }

  CompiledNetwork run(const std::vector<std::string>& input_files) {
    network_.file_inputs = graph().inputs;
    find_definitions();
    bind_parameters(input_files);
    infer();
    check_size();
    lower();
    return std::move(network_);
  }

 private:
  Graph& graph() { return network_.graph; }
  void problem(const std::string& key, const std::string& message) { problems_.push_back({graph().file, 0, 0, key, message}); }
  void throw_problems() {
    if (!problems_.empty()) throw UserError(problems_);
  }

  void find_definitions() {
    const operators::OperatorRegistry& registry = operators::built_in_operators();
    for (const Node& node : graph().nodes) {
      const OperatorDefinition* definition = registry.find(node.domain, node.op);
      if (definition == nullptr) {
        const std::string full = node.domain.empty() ? node.op : node.domain + "::" + node.op;
        problem(node.name, "expected a supported operator, found " + full + nearest_hint(node.op, registry.names()));
      }
      definitions_.push_back(definition);
    }
    throw_problems();
  }

  /// Inputs of the file that some operator needs at compile time.
  std::set<std::string> parameter_inputs() {
    std::set<std::string> names;
    for (std::size_t n = 0; n < graph().nodes.size(); ++n) {
      const auto parameters = definitions_[n]->inputs();
      for (std::size_t i = 0; i < graph().nodes[n].inputs.size() && i < parameters.size(); ++i) {
        const std::string& name = graph().nodes[n].inputs[i];
        if (parameters[i].constant && !name.empty() && !graph().tensor(name).constant) names.insert(name);
      }
    }
    return names;
  }

  void bind_parameters(const std::vector<std::string>& input_files) {
    const std::set<std::string> wanted = parameter_inputs();
    std::vector<std::string> left;
    for (std::size_t i = 0; i < network_.file_inputs.size(); ++i) {
      const std::string& name = network_.file_inputs[i];
      if (wanted.count(name) == 0) {
        network_.input_slots.push_back(static_cast<int>(left.size()));
        left.push_back(name);
        continue;
      }
      network_.input_slots.push_back(-1);
      if (i >= input_files.size()) {
        problem("input " + name,
                "expected a file for it (weights, scales and zero points must be known before the run), found none");
        continue;
      }
      Tensor value = read_tensor_file(input_files[i], graph().tensor(name));
      value.constant = value.known = true;
      graph().tensors[name] = std::move(value);
    }
    graph().inputs = left;
    throw_problems();
  }

  void infer() {
    for (std::size_t n = 0; n < graph().nodes.size(); ++n) {
      const Node& node = graph().nodes[n];
      for (const std::string& input : node.inputs) {
        if (!input.empty() && !graph().tensor(input).known) return throw_problems();  // follows from an earlier problem
      }
      std::vector<std::string> texts;
      operators::check_node(*definitions_[n], node, graph(), texts);
      for (const std::string& text : texts) problem(node.name, text);
      if (!texts.empty()) continue;
      try {
        for (const std::string& output : node.outputs) graph().tensor(output).name = output;
        definitions_[n]->infer(node, graph());
        for (const std::string& output : node.outputs) graph().tensor(output).known = true;
        network_.workload.operations += definitions_[n]->operations(node, graph());
      } catch (const operators::OperatorProblem& trouble) {
        problem(node.name, trouble.message);
      }
    }
    throw_problems();
  }

  /// Before the work of lowering, which grows with the tensors.
  void check_size() {
    std::int64_t bytes = 0;
    for (const auto& [name, tensor] : graph().tensors) {
      if (tensor.known) bytes += element_count(tensor.shape) * size_of(tensor.type);
    }
    if (bytes > soc_.memory.hbm.capacity) report_size(bytes);
    throw_problems();
  }

  void report_size(std::int64_t bytes) {
    problem("", "expected a model that fits into " + std::to_string(soc_.memory.hbm.capacity) +
                    " bytes of device memory, found one of " + std::to_string(bytes));
  }

  void lower() {
    Workload& workload = network_.workload;
    workload.name = graph().name.empty() ? "network" : graph().name;
    workload.target_soc = soc_.name;
    workload.streams.push_back({"stream0", {}});
    operators::LoweringContext context(graph(), soc_, workload);
    for (const std::string& name : graph().inputs) {
      context.output(name, operators::Layout::nd);
      workload.inputs.push_back(context.tensor_index(name, operators::Layout::nd));
      add_copy(workload, WorkloadTask::Kind::copy_to_device, name, workload.inputs.back());
    }
    for (std::size_t n = 0; n < graph().nodes.size(); ++n) lower_node(n, context);
    throw_problems();
    for (const std::string& name : graph().outputs) {
      workload.outputs.push_back(context.separate_output(name));
      add_copy(workload, WorkloadTask::Kind::copy_to_host, name, workload.outputs.back());
    }
    if (static_cast<std::int64_t>(workload.arena_bytes) > soc_.memory.hbm.capacity)
      report_size(static_cast<std::int64_t>(workload.arena_bytes));
    throw_problems();
  }

  /// A node whose inputs another problem has kept off the device is passed over.
  void lower_node(std::size_t n, operators::LoweringContext& context) {
    const Node& node = graph().nodes[n];
    for (const std::string& input : node.inputs) {
      if (input.empty() || graph().tensor(input).constant) continue;
      if (!context.has(input, operators::Layout::nd) && !context.has(input, operators::Layout::blocked)) return;
    }
    try {
      definitions_[n]->lower(node, context);
    } catch (const operators::OperatorProblem& trouble) {
      problem(node.name, trouble.message);
    }
  }

  static void add_copy(Workload& workload, WorkloadTask::Kind kind, const std::string& name, int tensor) {
    WorkloadTask task;
    task.kind = kind;
    task.name = (kind == WorkloadTask::Kind::copy_to_device ? "h2d " : "d2h ") + name;
    task.tensor = tensor;
    workload.streams.front().tasks.push_back(task);
  }

  const SocSpec& soc_;
  CompiledNetwork network_;
  std::vector<const OperatorDefinition*> definitions_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

CompiledNetwork compile_network(const std::string& file, const SocSpec& soc, const std::vector<std::string>& input_files) {
  return Compiler(file, soc).run(input_files);
}

std::vector<Diagnostic> check_network(const std::string& file) {
  const SocSpec no_chip;
  try {
    Compiler(file, no_chip).check();
  } catch (const UserError& error) {
    return error.diagnostics();
  }
  return {};
}

std::map<std::string, Tensor> evaluate_reference(const Graph& graph, const std::vector<Tensor>& inputs) {
  std::map<std::string, Tensor> values;
  for (const auto& [name, tensor] : graph.tensors) {
    if (tensor.constant) values[name] = tensor;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) values[graph.inputs[i]] = inputs[i];
  for (const Node& node : graph.nodes) {
    operators::built_in_operators().find(node.domain, node.op)->reference(node, graph, values);
  }
  return values;
}

}  // namespace npulab::graph
