// SPDX-License-Identifier: Apache-2.0
// What a lowering sees: the network, the chip, and the workload it adds kernels to. On the device an 8-bit tensor is either
// row-major (ND) or in channel blocks: [n][c1][position][32], the chip's NC1HWC0 (positions h*w) or, for matrices, NZ
// (positions are rows). The context makes the other form when someone needs it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/isa/program_builder.h"
#include "model/spec/soc_spec.h"
#include "model/task/workload.h"
#include "workloads/operators/operator.h"

namespace npulab::operators {

enum class Layout : std::uint8_t { nd, blocked };

/// A tensor as images of channels and positions: [n,c,h,w] -> n, c, h*w; [m,k] -> 1, k, m; [b,m,k] -> b, k, m.
struct Blocking {
  std::int64_t images = 1, channels = 1, positions = 1;
  bool channel_last = false;  // row-major order has the channels last
  std::int64_t blocks() const { return (channels + 31) / 32; }
  std::int64_t image_bytes() const { return blocks() * positions * 32; }
  std::int64_t bytes() const { return images * image_bytes(); }
};
Blocking blocking_of(const graph::Shape& shape);

/// How many cores of one kind work in parallel, and what they are.
struct CorePool {
  int count = 0;
  const CoreSpec* core = nullptr;
};

class LoweringContext {
 public:
  LoweringContext(const graph::Graph& graph, const SocSpec& soc, Workload& workload);

  const graph::Graph& graph() const { return graph_; }
  const SocSpec& soc() const { return soc_; }
  CorePool cube_pool() const;
  CorePool vector_pool() const;

  /// Arena offset of a graph tensor in the given layout; transformed by a kernel if only the other form exists.
  std::uint64_t input(const std::string& name, Layout layout);
  /// Reserves a graph tensor that the caller's kernel will write.
  std::uint64_t output(const std::string& name, Layout layout);
  bool has(const std::string& name, Layout layout) const;
  /// `alias` has the same bytes as `name` in `layout` (reshapes).
  void alias(const std::string& alias_name, const std::string& name, Layout layout);
  /// Constant bytes in device form; filled up to whole 32-byte blocks.
  std::uint64_t constant(const std::string& name, std::vector<std::uint8_t> bytes);
  /// Room that one kernel writes and a later one reads.
  std::uint64_t scratch(const std::string& name, std::int64_t bytes);
  /// Elements of a vector tile: what UB holds at `ub_bytes` an element, less when `count` elements are few for the workers.
  std::int64_t vector_tile(std::int64_t count, std::int64_t ub_bytes) const;
  /// Index of a tensor with the row-major form of graph tensor `name` and role output, copied if its place has another use.
  int separate_output(const std::string& name);

  /// Adds a kernel and the task that runs it.
  void add_kernel(Kernel kernel, const std::string& task_name);
  /// A kernel for the vector cores: `body(program, worker, workers)` once for each worker that has something to do.
  void add_vector_kernel(const std::string& name, const std::string& op_type, std::int64_t work_items,
                         const std::function<void(isa::ProgramBuilder&, std::int64_t first, std::int64_t last)>& body);

  /// Index into Workload::tensors.
  int tensor_index(const std::string& name, Layout layout) const { return offsets_.at({name, layout}).tensor; }

 private:
  struct Place {
    std::uint64_t offset = 0;
    int tensor = -1;
  };
  std::uint64_t reserve(const std::string& name, WorkloadTensor::Role role, isa::DataType type, const graph::Shape& shape,
                        const std::string& layout, std::uint64_t bytes, int& index);

  const graph::Graph& graph_;
  const SocSpec& soc_;
  Workload& workload_;
  std::map<std::pair<std::string, Layout>, Place> offsets_;
};

/// Bytes of an 8-bit tensor in channel blocks, from row-major ones; for constants.
std::vector<std::uint8_t> blocked_bytes(const Blocking& blocking, const std::vector<std::uint8_t>& row_major);

/// Copies `bytes` bytes within the arena (layout_kernels.cpp).
void add_plain_copy(LoweringContext& context, const std::string& name, std::uint64_t from, std::uint64_t to, std::int64_t bytes);
/// Kernels that change the layout of an 8-bit tensor (layout_kernels.cpp).
void add_to_blocked(LoweringContext& context, const std::string& name, const Blocking& blocking, std::uint64_t from,
                    std::uint64_t to);
void add_to_row_major(LoweringContext& context, const std::string& name, const Blocking& blocking, std::uint64_t from,
                      std::uint64_t to);

}  // namespace npulab::operators
