// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/lowering_context.h"

#include <algorithm>

#include "model/base/errors.h"

namespace npulab::operators {
namespace {

constexpr std::uint64_t kTensorAlignment = 512;              // best GM bandwidth on 2201
constexpr std::int64_t kLeastTile = 512, kMostTile = 16384;  // elements
constexpr std::int64_t kTilesPerWorker = 4;                  // so that loads, work and stores of neighbours overlap ...
constexpr std::int64_t kWorthwhileTile = 2048;  // ... unless tiles would be too small to hide the start of an instruction

}  // namespace

Blocking blocking_of(const graph::Shape& shape) {
  Blocking b;
  if (shape.size() == 4) {
    b.images = shape[0];
    b.channels = shape[1];
    b.positions = shape[2] * shape[3];
  } else if (shape.size() == 2 || shape.size() == 3) {
    b.channel_last = true;
    b.channels = shape.back();
    b.positions = shape[shape.size() - 2];
    b.images = shape.size() == 3 ? shape[0] : 1;
  } else if (shape.size() == 1) {
    b.channel_last = true;
    b.channels = shape[0];
  } else if (!shape.empty()) {
    throw OperatorProblem{"expected a tensor of at most four dimensions, found " + graph::to_string(shape)};
  }
  return b;
}

std::vector<std::uint8_t> blocked_bytes(const Blocking& b, const std::vector<std::uint8_t>& row_major) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(b.bytes()), 0);
  for (std::int64_t image = 0; image < b.images; ++image) {
    for (std::int64_t c = 0; c < b.channels; ++c) {
      for (std::int64_t p = 0; p < b.positions; ++p) {
        const std::int64_t from = image * b.channels * b.positions + (b.channel_last ? p * b.channels + c : c * b.positions + p);
        bytes[static_cast<std::size_t>(image * b.image_bytes() + (c / 32 * b.positions + p) * 32 + c % 32)] =
            row_major[static_cast<std::size_t>(from)];
      }
    }
  }
  return bytes;
}

LoweringContext::LoweringContext(const graph::Graph& graph, const SocSpec& soc, Workload& workload)
    : graph_(graph), soc_(soc), workload_(workload) {}

CorePool LoweringContext::cube_pool() const {
  CorePool pool;
  for (const CoreGroupSpec& group : soc_.groups) {
    if (group.fused_cores + group.cube_cores > 0) pool.count += group.count;
  }
  pool.core = &soc_.cube_core();
  return pool;
}

CorePool LoweringContext::vector_pool() const {
  CorePool pool;
  // Groups of one kind only: on a chip with fused cores their vector units, else two workers a group.
  for (const CoreGroupSpec& group : soc_.groups) {
    if (group.fused_cores > 0) pool.count += group.count;
    else if (soc_.fused.clock_khz == 0) pool.count += group.count * group.vector_cores;
  }
  pool.core = &soc_.vector_core();
  return pool;
}

std::uint64_t LoweringContext::reserve(const std::string& name, WorkloadTensor::Role role, isa::DataType type,
                                       const graph::Shape& shape, const std::string& layout, std::uint64_t bytes, int& index) {
  WorkloadTensor tensor;
  tensor.name = name;
  tensor.role = role;
  tensor.type = type;
  tensor.shape = shape;
  tensor.layout = layout;
  tensor.offset = workload_.arena_bytes;
  tensor.bytes = bytes;
  workload_.arena_bytes += (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
  index = static_cast<int>(workload_.tensors.size());
  workload_.tensors.push_back(std::move(tensor));
  return workload_.tensors.back().offset;
}

bool LoweringContext::has(const std::string& name, Layout layout) const { return offsets_.count({name, layout}) > 0; }

std::uint64_t LoweringContext::output(const std::string& name, Layout layout) {
  const graph::Tensor& tensor = graph_.tensor(name);
  const bool is_input = std::find(graph_.inputs.begin(), graph_.inputs.end(), name) != graph_.inputs.end();
  const bool is_output = std::find(graph_.outputs.begin(), graph_.outputs.end(), name) != graph_.outputs.end();
  const std::int64_t row_major = graph::element_count(tensor.shape) * graph::size_of(tensor.type);
  // A row-major tensor that is also read as blocks of 32 channels needs room for the last block.
  const std::int64_t bytes = layout == Layout::blocked ? blocking_of(tensor.shape).bytes() : row_major;
  WorkloadTensor::Role role = WorkloadTensor::Role::intermediate;
  if (layout == Layout::nd && is_input) role = WorkloadTensor::Role::input;
  if (layout == Layout::nd && is_output) role = WorkloadTensor::Role::output;
  Place place;
  place.offset = reserve(name, role, graph::device_type(tensor.type), tensor.shape, layout == Layout::blocked ? "NC1HWC0" : "ND",
                         static_cast<std::uint64_t>(bytes), place.tensor);
  offsets_[{name, layout}] = place;
  return place.offset;
}

std::uint64_t LoweringContext::input(const std::string& name, Layout layout) {
  const auto found = offsets_.find({name, layout});
  if (found != offsets_.end()) return found->second.offset;
  const Layout other = layout == Layout::nd ? Layout::blocked : Layout::nd;
  if (graph_.tensor(name).constant && !has(name, Layout::nd)) {
    Place place;
    const graph::Tensor& tensor = graph_.tensor(name);
    place.offset = reserve(name, WorkloadTensor::Role::constant, graph::device_type(tensor.type), tensor.shape, "ND",
                           tensor.data.size(), place.tensor);
    workload_.tensors[static_cast<std::size_t>(place.tensor)].data = tensor.data;
    offsets_[{name, Layout::nd}] = place;
    return input(name, layout);
  }
  if (!has(name, other)) throw InternalError("tensor '" + name + "' is not on the device");
  const graph::Tensor& tensor = graph_.tensor(name);
  if (graph::size_of(tensor.type) != 1)
    throw OperatorProblem{"tensor '" + name + "': expected 8-bit elements in channel blocks, found " + graph::name_of(tensor.type)};
  const std::uint64_t from = offsets_.at({name, other}).offset;
  const std::uint64_t to = output(name, layout);
  if (layout == Layout::blocked) add_to_blocked(*this, name, blocking_of(tensor.shape), from, to);
  else add_to_row_major(*this, name, blocking_of(tensor.shape), from, to);
  return to;
}

void LoweringContext::alias(const std::string& alias_name, const std::string& name, Layout layout) {
  offsets_[{alias_name, layout}] = offsets_.at({name, layout});
}

std::uint64_t LoweringContext::constant(const std::string& name, std::vector<std::uint8_t> bytes) {
  bytes.resize((bytes.size() + 31) / 32 * 32);
  int index = -1;
  const std::uint64_t size = bytes.size();
  const std::uint64_t offset = reserve(name, WorkloadTensor::Role::constant, isa::DataType::uint8,
                                       {static_cast<std::int64_t>(size)}, "ND", size, index);
  workload_.tensors[static_cast<std::size_t>(index)].data = std::move(bytes);
  return offset;
}

std::uint64_t LoweringContext::scratch(const std::string& name, std::int64_t bytes) {
  int index = -1;
  return reserve(name, WorkloadTensor::Role::intermediate, isa::DataType::uint8, {bytes}, "ND", static_cast<std::uint64_t>(bytes),
                 index);
}

std::int64_t LoweringContext::vector_tile(std::int64_t count, std::int64_t ub_bytes) const {
  const CorePool pool = vector_pool();
  const std::int64_t fits = pool.core->buffers[static_cast<int>(isa::Space::ub)].capacity / ub_bytes;
  const std::int64_t share = ceil_div(count, pool.count);
  const std::int64_t wanted = round_up(std::min(share, std::max(ceil_div(share, kTilesPerWorker), kWorthwhileTile)), kLeastTile);
  const std::int64_t tile = std::min({fits, kMostTile, wanted}) / kLeastTile * kLeastTile;
  if (tile == 0)
    throw OperatorProblem{"expected a tile of " + std::to_string(kLeastTile) + " elements to fit into UB, found it too small"};
  return tile;
}

int LoweringContext::separate_output(const std::string& name) {
  const std::uint64_t from = input(name, Layout::nd);
  const Place place = offsets_.at({name, Layout::nd});
  WorkloadTensor& tensor = workload_.tensors[static_cast<std::size_t>(place.tensor)];
  if (tensor.role == WorkloadTensor::Role::intermediate) {
    tensor.role = WorkloadTensor::Role::output;
    tensor.name = name;
    tensor.shape = graph_.tensor(name).shape;
  }
  const bool own = tensor.role == WorkloadTensor::Role::output && tensor.name == name && tensor.shape == graph_.tensor(name).shape;
  if (own) return place.tensor;
  offsets_.erase({name, Layout::nd});
  const std::uint64_t to = output(name, Layout::nd);
  const Place copy = offsets_.at({name, Layout::nd});
  workload_.tensors[static_cast<std::size_t>(copy.tensor)].role = WorkloadTensor::Role::output;
  add_plain_copy(*this, name, from, to, static_cast<std::int64_t>(workload_.tensors[static_cast<std::size_t>(copy.tensor)].bytes));
  return copy.tensor;
}

void LoweringContext::add_kernel(Kernel kernel, const std::string& task_name) {
  WorkloadTask task;
  task.kind = WorkloadTask::Kind::kernel;
  task.name = task_name;
  task.kernel = static_cast<int>(workload_.kernels.size());
  workload_.kernels.push_back(std::make_shared<const Kernel>(std::move(kernel)));
  workload_.streams.front().tasks.push_back(task);
}

void LoweringContext::add_vector_kernel(const std::string& name, const std::string& op_type, std::int64_t work_items,
                                        const std::function<void(isa::ProgramBuilder&, std::int64_t, std::int64_t)>& body) {
  const CorePool pool = vector_pool();
  const std::int64_t workers = std::clamp<std::int64_t>(work_items, 1, pool.count);
  isa::KernelBuilder kernel(name, op_type);
  std::vector<int> programs;
  for (std::int64_t worker = 0; worker < workers; ++worker) {
    const std::int64_t first = work_items * worker / workers, last = work_items * (worker + 1) / workers;
    programs.push_back(
        kernel.program("worker" + std::to_string(worker), [&](isa::ProgramBuilder& program) { body(program, first, last); }));
  }
  const bool fused = soc_.fused.clock_khz != 0;
  int per_group = 1;
  for (const CoreGroupSpec& group : soc_.groups) per_group = fused ? 1 : std::max(per_group, group.vector_cores);
  for (std::size_t i = 0; i < programs.size(); i += static_cast<std::size_t>(per_group)) {
    isa::BlockBinding binding;
    if (fused) binding.cube = programs[i];
    for (int v = 0; !fused && v < per_group && i + static_cast<std::size_t>(v) < programs.size(); ++v)
      binding.vector[v] = programs[i + static_cast<std::size_t>(v)];
    kernel.block(binding);
  }
  add_kernel(kernel.build(), name);
}

}  // namespace npulab::operators
