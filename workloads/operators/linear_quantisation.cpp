// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/linear_quantisation.h"

#include <algorithm>

namespace npulab::operators {
namespace {

using isa::Space;

constexpr std::int64_t kWidth = 4;          // bytes of an element in every area: room for fp32
constexpr std::int64_t kAreas = 4 * 2 + 2;  // in, out, scale and zero twice, two scratch areas

/// Numbers of every element, as constants in device memory.
std::uint64_t spread(LoweringContext& context, const std::string& name, std::int64_t count,
                     const std::function<float(std::int64_t)>& number) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count * kWidth));
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = number(i);
    std::memcpy(bytes.data() + i * kWidth, &value, sizeof value);
  }
  return context.constant(name, std::move(bytes));
}

struct LinearKernel {
  std::uint64_t from = 0, to = 0, scales = 0, zeros = 0;  // arena
  std::int64_t count = 0, tile = 0, in_bytes = 0, out_bytes = 0;
  bool per_axis = false;
  float scale = 0, zero = 0;

  LinearTile tile_of(int set, std::int64_t elements) const {
    const auto area = [&](int index) { return static_cast<std::uint64_t>(index * tile * kWidth); };
    const int numbers = per_axis ? set : 0;
    return {area(set), area(2 + set), area(4 + numbers), area(6 + numbers), area(8), area(9), static_cast<std::uint32_t>(elements)};
  }
};

void load(isa::ProgramBuilder& program, std::uint64_t ub, std::uint64_t gm, std::int64_t bytes) {
  const auto n = static_cast<std::uint32_t>(bytes);
  program.copy({Space::gm, Space::ub, 1, n, n, n}, static_cast<std::int64_t>(ub), static_cast<std::int64_t>(gm));
}

void linear_tiles(isa::ProgramBuilder& program, const LinearKernel& k, std::int64_t first, std::int64_t last,
                  const std::function<void(VectorCode&, const LinearTile&)>& convert) {
  VectorCode code(program);
  const auto begin = [&](std::int64_t i) { return (first + i) * k.tile; };
  const auto tile_of = [&](std::int64_t i, int set) { return k.tile_of(set, std::min(k.tile, k.count - begin(i))); };
  if (!k.per_axis) {
    code.fill(isa::DataType::fp32, k.tile_of(0, 0).scale, k.scale, static_cast<std::uint32_t>(k.tile));
    code.fill(isa::DataType::fp32, k.tile_of(0, 0).zero, k.zero, static_cast<std::uint32_t>(k.tile));
  }
  TileStages stages;
  stages.load = [&](std::int64_t i, int set) {
    const LinearTile tile = tile_of(i, set);
    load(program, tile.in, k.from + static_cast<std::uint64_t>(begin(i) * k.in_bytes), tile.count * k.in_bytes);
    if (!k.per_axis) return;
    load(program, tile.scale, k.scales + static_cast<std::uint64_t>(begin(i) * kWidth), tile.count * kWidth);
    load(program, tile.zero, k.zeros + static_cast<std::uint64_t>(begin(i) * kWidth), tile.count * kWidth);
  };
  stages.compute = [&](std::int64_t i, int set) { convert(code, tile_of(i, set)); };
  stages.store = [&](std::int64_t i, int set) {
    const LinearTile tile = tile_of(i, set);
    const auto bytes = static_cast<std::uint32_t>(tile.count * k.out_bytes);
    program.copy({Space::ub, Space::gm, 1, bytes, bytes, bytes}, static_cast<std::int64_t>(k.to) + begin(i) * k.out_bytes,
                 static_cast<std::int64_t>(tile.out));
  };
  pipeline_tiles(program, last - first, stages);
}

}  // namespace

LinearQuantisation linear_quantisation_of(const graph::Node& node, const graph::Graph& graph) {
  const graph::Shape& x = graph.tensor(node.inputs[0]).shape;
  LinearQuantisation l;
  l.inner = std::max<std::int64_t>(graph::element_count(x), 1);
  if (graph::element_count(graph.tensor(node.inputs[1]).shape) > 1) {
    const auto rank = static_cast<std::int64_t>(x.size());
    std::int64_t axis = node.integer("axis", 1);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank)
      throw OperatorProblem{"axis: expected one of the tensor's, found " + std::to_string(node.integer("axis", 1))};
    l.channels = x[static_cast<std::size_t>(axis)];
    l.inner = 1;
    for (auto i = static_cast<std::size_t>(axis) + 1; i < x.size(); ++i) l.inner *= x[i];
  }
  l.q = quantisation_of(graph, node.inputs[1], node.input(2), l.channels);
  return l;
}

void add_linear_kernel(LoweringContext& context, const graph::Node& node, const LinearQuantisation& l,
                       const std::function<void(VectorCode&, const LinearTile&)>& convert) {
  const graph::Tensor& x = context.graph().tensor(node.inputs[0]);
  LinearKernel k;
  k.count = graph::element_count(x.shape);
  k.tile = context.vector_tile(k.count, kAreas * kWidth);
  k.in_bytes = graph::size_of(x.type);
  k.out_bytes = graph::size_of(context.graph().tensor(node.outputs[0]).type);
  k.per_axis = l.channels > 1;
  if (k.per_axis) {
    k.scales = spread(context, node.name + ".scales", k.count, [&](std::int64_t i) { return l.q.scale(l.channel_of(i)); });
    k.zeros = spread(context, node.name + ".zero_points", k.count,
                     [&](std::int64_t i) { return static_cast<float>(l.q.zero_point(l.channel_of(i))); });
  } else {
    k.scale = l.q.scale();
    k.zero = static_cast<float>(l.q.zero_point());
  }
  k.from = context.input(node.inputs[0], Layout::nd);
  k.to = context.output(node.outputs[0], Layout::nd);
  context.add_vector_kernel(
      node.name, node.op, ceil_div(k.count, k.tile),
      [&](isa::ProgramBuilder& program, std::int64_t first, std::int64_t last) { linear_tiles(program, k, first, last, convert); });
}

}  // namespace npulab::operators
