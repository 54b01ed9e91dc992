// SPDX-License-Identifier: Apache-2.0
// The operator definition interface. A definition says what an operator takes and gives, how shapes follow, what it computes
// (the reference, on the host, exact), and how it becomes kernels. Built-ins use nothing that a plug-in could not.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workloads/graph/graph.h"

namespace npulab::operators {

/// What lowering works on; see lowering_context.h.
class LoweringContext;

/// Tensors by name, as the references compute them.
using Values = std::map<std::string, graph::Tensor>;

/// One input or output of a definition.
struct Parameter {
  enum class Kind { required, optional, variadic };
  std::string name;
  Kind kind = Kind::required;
  std::vector<graph::ElementType> types;  // allowed ones
  bool constant = false;                  // must be known at compile time (weights, scales, zero points)
  std::string same_type_as;               // another input whose element type this one must share; may be empty
};

struct AttributeDefinition {
  using Kind = graph::Attribute::Kind;
  std::string name;
  Kind kind = Kind::integer;
  std::string fallback;  // the value when it is left out, for people to read
};

/// Thrown by shape inference, checks and lowering: "expected ..., found ...", to be shown with the node's name.
struct OperatorProblem {
  std::string message;
};

class OperatorDefinition {
 public:
  virtual ~OperatorDefinition() = default;
  virtual std::string name() const = 0;
  virtual std::string domain() const { return ""; }
  virtual std::vector<Parameter> inputs() const = 0;
  virtual std::vector<Parameter> outputs() const = 0;
  virtual std::vector<AttributeDefinition> attributes() const { return {}; }
  /// What of the public definition is left out, and on which chips; one sentence or two, may be empty.
  virtual std::string limits() const { return ""; }
  /// Fills type and shape of the outputs. Throws OperatorProblem.
  virtual void infer(const graph::Node& node, graph::Graph& graph) const = 0;
  /// 2 x multiply-accumulates of the node as it is written; shapes are known.
  virtual std::int64_t operations(const graph::Node&, const graph::Graph&) const { return 0; }
  /// Computes the outputs on the host into `values` (row-major, as in the network). Inputs are there.
  virtual void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const = 0;
  /// Adds the kernels that compute the outputs on the device. Throws OperatorProblem.
  virtual void lower(const graph::Node& node, LoweringContext& context) const = 0;
};

/// All known operators by domain and name.
class OperatorRegistry {
 public:
  void add(std::unique_ptr<OperatorDefinition> definition);
  /// Null when there is none.
  const OperatorDefinition* find(const std::string& domain, const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  std::map<std::pair<std::string, std::string>, std::unique_ptr<OperatorDefinition>> definitions_;
};

/// The operators that come with the project, registered one by one (built_in.cpp).
const OperatorRegistry& built_in_operators();

/// Checks a node against its definition: counts, types, attributes, constants. Appends "expected ..., found ..." texts.
void check_node(const OperatorDefinition& definition, const graph::Node& node, const graph::Graph& graph,
                std::vector<std::string>& problems);

}  // namespace npulab::operators
