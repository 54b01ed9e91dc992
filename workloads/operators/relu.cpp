// SPDX-License-Identifier: Apache-2.0
// Relu on fp32 tensors: max(x, 0).
#include <algorithm>

#include "workloads/operators/built_in.h"
#include "workloads/operators/lowering_context.h"
#include "workloads/operators/quantisation.h"
#include "workloads/operators/vector_code.h"

namespace npulab::operators {
namespace {

class Relu final : public OperatorDefinition {
 public:
  std::string name() const override { return "Relu"; }
  std::vector<Parameter> inputs() const override { return {{"X", Parameter::Kind::required, real()}}; }
  std::vector<Parameter> outputs() const override { return {{"Y", Parameter::Kind::required, real()}}; }

  void infer(const graph::Node& node, graph::Graph& graph) const override {
    const graph::Shape shape = graph.tensor(node.inputs[0]).shape;
    graph::Tensor& y = graph.tensor(node.outputs[0]);
    y.type = graph::ElementType::fp32;
    y.shape = shape;
  }

  void reference(const graph::Node& node, const graph::Graph& graph, Values& values) const override {
    const graph::Tensor& x = values.at(node.inputs[0]);
    graph::Tensor& y = make_output(graph, node.outputs[0], values);
    for (std::size_t i = 0; i < y.data.size() / 4; ++i) {
      const float value = std::max(x.real(i), 0.0f);
      std::memcpy(y.data.data() + i * 4, &value, 4);
    }
  }

  void lower(const graph::Node& node, LoweringContext& context) const override {
    const auto from = static_cast<std::int64_t>(context.input(node.inputs[0], Layout::nd));
    const auto to = static_cast<std::int64_t>(context.output(node.outputs[0], Layout::nd));
    const std::int64_t count = graph::element_count(context.graph().tensor(node.outputs[0]).shape),
                       tile = context.vector_tile(count, 16);
    context.add_vector_kernel(
        node.name, node.op, ceil_div(count, tile), [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) {
          VectorCode code(program);
          const auto elements = [&](std::int64_t i) {
            return static_cast<std::uint32_t>(std::min(tile, count - (first + i) * tile));
          };
          const auto area = [&](int set, int which) { return (set * 2 + which) * tile * 4; };
          TileStages stages;
          stages.load = [&](std::int64_t i, int set) {
            program.copy({isa::Space::gm, isa::Space::ub, 1, elements(i) * 4, elements(i) * 4, elements(i) * 4}, area(set, 0),
                         from + (first + i) * tile * 4);
          };
          stages.compute = [&](std::int64_t i, int set) {
            code.unary(isa::VectorOp::relu, isa::DataType::fp32, static_cast<std::uint64_t>(area(set, 1)),
                       static_cast<std::uint64_t>(area(set, 0)), elements(i));
          };
          stages.store = [&](std::int64_t i, int set) {
            program.copy({isa::Space::ub, isa::Space::gm, 1, elements(i) * 4, elements(i) * 4, elements(i) * 4},
                         to + (first + i) * tile * 4, area(set, 1));
          };
          pipeline_tiles(program, last - first, stages);
        });
  }
};

}  // namespace

std::unique_ptr<OperatorDefinition> make_relu() { return std::make_unique<Relu>(); }

}  // namespace npulab::operators
