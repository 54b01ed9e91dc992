// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/operator.h"

#include <algorithm>

#include "model/base/nearest_name.h"

namespace npulab::operators {

void OperatorRegistry::add(std::unique_ptr<OperatorDefinition> definition) {
  auto key = std::make_pair(definition->domain(), definition->name());
  definitions_[std::move(key)] = std::move(definition);
}

const OperatorDefinition* OperatorRegistry::find(const std::string& domain, const std::string& name) const {
  const auto found = definitions_.find({domain, name});
  return found == definitions_.end() ? nullptr : found->second.get();
}

std::vector<std::string> OperatorRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [key, definition] : definitions_) names.push_back(key.second);
  return names;
}

namespace {

/// Index into the parameter list for argument `i`; the last one repeats when it is variadic.
const Parameter* parameter_for(const std::vector<Parameter>& parameters, std::size_t i) {
  if (i < parameters.size()) return &parameters[i];
  if (!parameters.empty() && parameters.back().kind == Parameter::Kind::variadic) return &parameters.back();
  return nullptr;
}

void check_types(const std::vector<Parameter>& parameters, const graph::Node& node, const graph::Graph& graph, std::vector<std::string>& problems) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Parameter* parameter = parameter_for(parameters, i);
    if (parameter == nullptr || node.inputs[i].empty()) continue;
    const graph::Tensor& tensor = graph.tensor(node.inputs[i]);
    if (tensor.known && std::find(parameter->types.begin(), parameter->types.end(), tensor.type) == parameter->types.end()) {
      std::string all;
      for (graph::ElementType type : parameter->types) {
        if (all.find(graph::name_of(type)) == std::string::npos) all += (all.empty() ? "" : " or ") + std::string(graph::name_of(type));
      }
      problems.push_back("input " + parameter->name + ": expected " + all + ", found " + graph::name_of(tensor.type));
    }
    if (parameter->constant && !tensor.constant) {
      problems.push_back("input " + parameter->name + ": expected a value known at compile time, found '" + tensor.name + "', which is computed");
    }
  }
}

}  // namespace

void check_node(const OperatorDefinition& definition, const graph::Node& node, const graph::Graph& graph, std::vector<std::string>& problems) {
  const std::vector<Parameter> inputs = definition.inputs();
  const auto required = static_cast<std::size_t>(std::count_if(inputs.begin(), inputs.end(), [](const Parameter& p) { return p.kind == Parameter::Kind::required; }));
  const bool variadic = !inputs.empty() && inputs.back().kind == Parameter::Kind::variadic;
  if (node.inputs.size() < required || (!variadic && node.inputs.size() > inputs.size())) {
    problems.push_back("expected " + std::to_string(required) + " to " + std::to_string(inputs.size()) + " inputs, found " + std::to_string(node.inputs.size()));
    return;
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (node.inputs[i].empty()) problems.push_back("input " + inputs[i].name + ": expected a tensor, found it left out");
  }
  if (node.outputs.empty() || node.outputs.size() > definition.outputs().size()) {
    problems.push_back("expected " + std::to_string(definition.outputs().size()) + " outputs at most, found " + std::to_string(node.outputs.size()));
  }
  std::vector<std::string> known;
  for (const AttributeDefinition& attribute : definition.attributes()) known.push_back(attribute.name);
  for (const auto& [name, value] : node.attributes) {
    if (std::find(known.begin(), known.end(), name) == known.end()) problems.push_back("attribute " + name + ": expected no such attribute" + nearest_hint(name, known));
  }
  check_types(inputs, node, graph, problems);
}

}  // namespace npulab::operators
