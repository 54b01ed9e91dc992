// SPDX-License-Identifier: Apache-2.0
#include "workloads/kernels/kernel_workload.h"

namespace npulab::kernels {
namespace {

constexpr std::int64_t kAlignment = 512;  // best GM bandwidth on 2201

}  // namespace

int cube_groups(const SocSpec& soc) {
  int count = 0;
  for (const CoreGroupSpec& group : soc.groups) {
    if (group.fused_cores + group.cube_cores > 0) count += group.count;
  }
  return count;
}

std::uint64_t add_array(Workload& workload, const std::string& name, isa::DataType type, const std::vector<std::int64_t>& shape) {
  WorkloadTensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.shape = shape;
  tensor.layout = "ND";
  tensor.offset = workload.arena_bytes;
  std::int64_t bytes = isa::size_of(type);
  for (std::int64_t extent : shape) bytes *= extent;
  tensor.bytes = static_cast<std::uint64_t>(bytes);
  workload.arena_bytes += static_cast<std::uint64_t>(round_up(bytes, kAlignment));
  workload.tensors.push_back(tensor);
  return tensor.offset;
}

void set_task(Workload& workload, Kernel kernel) {
  WorkloadTask task;
  task.name = kernel.name;
  task.kernel = 0;
  workload.kernels.push_back(std::make_shared<const Kernel>(std::move(kernel)));
  workload.streams.push_back({"stream0", {task}});
}

}  // namespace npulab::kernels
