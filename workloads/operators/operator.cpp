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

std::string all_names(const std::vector<graph::ElementType>& types) {
  std::string all;
  for (graph::ElementType type : types) all += (all.empty() ? "" : " or ") + std::string(graph::name_of(type));
  return all;
}

using Texts = std::vector<std::string>;

void check_input(const Parameter& parameter, const graph::Tensor& tensor, Texts& problems) {
  const bool listed = std::find(parameter.types.begin(), parameter.types.end(), tensor.type) != parameter.types.end();
  if (!listed)
    problems.push_back("input " + parameter.name + ": expected " + all_names(parameter.types) + ", found " +
                       graph::name_of(tensor.type));
  if (parameter.constant && !tensor.constant) {
    problems.push_back("input " + parameter.name + ": expected a value known at compile time, found '" + tensor.name +
                       "', which is computed");
  }
  if (std::count(tensor.shape.begin(), tensor.shape.end(), 0) > 0) {
    problems.push_back("input " + parameter.name + ": expected at least one element, found " + graph::to_string(tensor.shape));
  }
}

void check_inputs(const std::vector<Parameter>& parameters, const graph::Node& node, const graph::Graph& graph, Texts& problems) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Parameter* parameter = parameter_for(parameters, i);
    if (parameter == nullptr || node.inputs[i].empty()) continue;
    const graph::Tensor& tensor = graph.tensor(node.inputs[i]);
    check_input(*parameter, tensor, problems);
    for (std::size_t j = 0; j < parameters.size(); ++j) {
      if (parameters[j].name != parameter->same_type_as || node.input(j).empty()) continue;
      const graph::ElementType type = graph.tensor(node.inputs[j]).type;
      if (type == tensor.type) continue;
      problems.push_back("input " + parameter->name + ": expected " + graph::name_of(type) + " as " + parameters[j].name +
                         " has, found " + graph::name_of(tensor.type));
    }
  }
}

void check_counts(const OperatorDefinition& definition, const graph::Node& node, Texts& problems) {
  const std::vector<Parameter> inputs = definition.inputs();
  const auto is_required = [](const Parameter& p) { return p.kind == Parameter::Kind::required; };
  std::size_t required = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) required = is_required(inputs[i]) ? i + 1 : required;
  const bool variadic = !inputs.empty() && inputs.back().kind == Parameter::Kind::variadic;
  if (node.inputs.size() < required || (!variadic && node.inputs.size() > inputs.size())) {
    problems.push_back("expected " + std::to_string(required) + " to " + std::to_string(inputs.size()) + " inputs, found " +
                       std::to_string(node.inputs.size()));
    return;
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (is_required(inputs[i]) && node.inputs[i].empty())
      problems.push_back("input " + inputs[i].name + ": expected a tensor, found it left out");
  }
  const std::size_t most = definition.outputs().size();
  if (node.outputs.empty() || node.outputs.size() > most) {
    problems.push_back("expected 1 to " + std::to_string(most) + " outputs, found " + std::to_string(node.outputs.size()));
  } else if (node.outputs[0].empty()) {
    problems.push_back("output " + definition.outputs()[0].name + ": expected a name, found it left out");
  }
}

void check_attributes(const OperatorDefinition& definition, const graph::Node& node, Texts& problems) {
  static const char* const kinds[] = {"an integer", "a list of integers", "a number", "a text", "another type"};
  const std::vector<AttributeDefinition> attributes = definition.attributes();
  Texts known;
  for (const AttributeDefinition& attribute : attributes) known.push_back(attribute.name);
  for (const auto& [name, value] : node.attributes) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      problems.push_back("attribute " + name + ": expected no such attribute" + nearest_hint(name, known));
      continue;
    }
    const AttributeDefinition::Kind wanted = attributes[static_cast<std::size_t>(found - known.begin())].kind;
    if (value.kind == wanted) continue;
    problems.push_back("attribute " + name + ": expected " + kinds[static_cast<int>(wanted)] + ", found " +
                       kinds[static_cast<int>(value.kind)]);
  }
}

}  // namespace

void check_node(const OperatorDefinition& definition, const graph::Node& node, const graph::Graph& graph,
                std::vector<std::string>& problems) {
  const std::size_t before = problems.size();
  check_counts(definition, node, problems);
  check_attributes(definition, node, problems);
  if (problems.size() == before) check_inputs(definition.inputs(), node, graph, problems);
}

}  // namespace npulab::operators
