// SPDX-License-Identifier: Apache-2.0
#include "app/commands/session.h"

#include <algorithm>

#include "model/base/errors.h"

namespace npulab::commands {
namespace {

using firmware::host::Driver;
using firmware::host::Runtime;
using firmware::host::TaskLabel;

// Device memory set aside for the code of one kernel. The image itself is opaque; what it stands for is in the KernelStore.
constexpr Bytes kCodeBytes = 4096;

void require(RuntimeCode code, const std::string& what, const std::string& detail = "") {
  if (code == RuntimeCode::ok) return;
  throw SimulationError(what + " failed with " + std::to_string(static_cast<std::uint32_t>(code)) + " (" + name_of(code) + ")" +
                        (detail.empty() ? "" : ": " + detail));
}

/// The host program, on the host thread.
class HostProgram {
 public:
  HostProgram(const BoardSpec& board, const Workload& workload, const std::vector<std::vector<std::uint8_t>>& inputs,
              RunRecorder& recorder, const SessionOptions& options, machine::Machine& machine, SessionResult& result)
      : board_(board), workload_(workload), inputs_(inputs), recorder_(recorder), options_(options), machine_(machine), result_(result) {}

  void run() {
    Driver driver(machine_.fabric().host(), machine_.host(), board_.host, &recorder_);
    driver.start();
    if (driver.logical_count() == 0) throw SimulationError("no device is ready:\n" + driver.describe());
    result_.device = device_of_logical(driver);
    result_.ready_time = driver.logical(0).ready_time;
    Runtime runtime(driver, 0, result_.device, machine_.ledger(), &recorder_);
    runtime_ = &runtime;
    recorder_.set_recording(false);
    load();
    if (options_.prepared) options_.prepared(machine_, result_.device);
    for (int i = -options_.warmup; i < options_.repeat; ++i) {
      recorder_.set_recording(i >= 0);
      iteration(i);
    }
    for (std::size_t i = 0; i < workload_.outputs.size(); ++i) {
      result_.outputs.emplace_back(tensor(workload_.outputs[i]).bytes);
      runtime.host_memory().read(output_buffers_[workload_.outputs[i]], result_.outputs.back().data(), static_cast<Bytes>(result_.outputs.back().size()));
    }
    result_.end_time = machine_.host().now();
  }

  std::uint64_t arena() const { return arena_; }

 private:
  const WorkloadTensor& tensor(int index) const { return workload_.tensors[static_cast<std::size_t>(index)]; }

  int device_of_logical(const Driver& driver) const {
    for (std::size_t order = 0; order < driver.devices().size(); ++order) {
      if (driver.devices()[order].logical == 0) return device_of_discovery(board_, static_cast<int>(order));
    }
    return 0;
  }

  void load() {
    require(runtime_->allocate(static_cast<Bytes>(workload_.arena_bytes), arena_), "allocating " + std::to_string(workload_.arena_bytes) + " bytes of device memory");
    for (std::size_t i = 0; i < workload_.streams.size(); ++i) {
      streams_.push_back(0);
      require(runtime_->create_stream(streams_.back()), "creating a stream");
    }
    if (streams_.empty()) throw SimulationError("the workload has no streams");
    load_code();
    for (const WorkloadTensor& constant : workload_.tensors) {
      if (constant.data.empty()) continue;
      const std::uint64_t host = runtime_->allocate_host(static_cast<Bytes>(constant.data.size()));
      runtime_->host_memory().write(host, constant.data.data(), static_cast<Bytes>(constant.data.size()));
      require(runtime_->copy_to_device(streams_[0], arena_ + constant.offset, host, static_cast<Bytes>(constant.data.size()), {"load " + constant.name, "", -1}),
              "copying constant " + constant.name);
    }
    for (std::size_t i = 0; i < workload_.inputs.size(); ++i) {
      const WorkloadTensor& input = tensor(workload_.inputs[i]);
      const std::uint64_t host = runtime_->allocate_host(static_cast<Bytes>(input.bytes));
      if (i < inputs_.size()) runtime_->host_memory().write(host, inputs_[i].data(), static_cast<Bytes>(inputs_[i].size()));
      input_buffers_[workload_.inputs[i]] = host;
    }
    for (int output : workload_.outputs) output_buffers_[output] = runtime_->allocate_host(static_cast<Bytes>(tensor(output).bytes));
    require(runtime_->synchronize(streams_[0]), "loading constants", runtime_->last_error_text());
  }

  void load_code() {
    const Bytes bytes = kCodeBytes * static_cast<Bytes>(std::max<std::size_t>(workload_.kernels.size(), 1));
    require(runtime_->allocate(bytes, code_), "allocating kernel code");
    const std::uint64_t host = runtime_->allocate_host(bytes);
    require(runtime_->copy_to_device(streams_[0], code_, host, bytes, {"load kernels", "", -1}), "copying kernel code");
    for (std::size_t i = 0; i < workload_.kernels.size(); ++i) {
      machine_.kernels(result_.device).place(code_ + i * kCodeBytes, workload_.kernels[i].get());
    }
  }

  void iteration(int number) {
    const Picoseconds begin = machine_.host().now();
    for (std::size_t s = 0; s < workload_.streams.size(); ++s) {
      for (const WorkloadTask& task : workload_.streams[s].tasks) submit(streams_[s], task, number);
    }
    require(runtime_->synchronize_all(), "iteration " + std::to_string(number), runtime_->last_error_text());
    if (number >= 0) result_.iteration_times.push_back(machine_.host().now() - begin);
  }

  void submit(int stream, const WorkloadTask& task, int number) {
    TaskLabel label{task.name, "", number};
    switch (task.kind) {
      case WorkloadTask::Kind::kernel: {
        const Kernel& kernel = *workload_.kernels[static_cast<std::size_t>(task.kernel)];
        label.op_type = kernel.op_type;
        std::uint64_t tag = 0;
        require(runtime_->launch_kernel(stream, {code_ + static_cast<std::uint64_t>(task.kernel) * kCodeBytes, static_cast<std::uint32_t>(kernel.blocks.size()), arena_}, label, &tag),
                "launching " + task.name);
        if (number >= 0) result_.kernels[tag] = &kernel;
        return;
      }
      case WorkloadTask::Kind::copy_to_device:
        require(runtime_->copy_to_device(stream, arena_ + tensor(task.tensor).offset, buffer(input_buffers_, task.tensor), static_cast<Bytes>(tensor(task.tensor).bytes), label), task.name);
        return;
      case WorkloadTask::Kind::copy_to_host:
        require(runtime_->copy_to_host(stream, buffer(output_buffers_, task.tensor), arena_ + tensor(task.tensor).offset, static_cast<Bytes>(tensor(task.tensor).bytes), label), task.name);
        return;
      case WorkloadTask::Kind::event_record: require(runtime_->record_event(stream, event(task.event), label), task.name); return;
      case WorkloadTask::Kind::event_wait: require(runtime_->wait_event(stream, event(task.event), label), task.name); return;
    }
  }

  /// Host memory for a tensor that is copied without being an input or output of the network.
  std::uint64_t buffer(std::map<int, std::uint64_t>& buffers, int index) {
    const auto found = buffers.find(index);
    if (found != buffers.end()) return found->second;
    return buffers[index] = runtime_->allocate_host(static_cast<Bytes>(tensor(index).bytes));
  }

  int event(int index) {
    while (static_cast<int>(events_.size()) <= index) {
      events_.push_back(0);
      require(runtime_->create_event(events_.back()), "creating an event");
    }
    return events_[static_cast<std::size_t>(index)];
  }

  const BoardSpec& board_;
  const Workload& workload_;
  const std::vector<std::vector<std::uint8_t>>& inputs_;
  RunRecorder& recorder_;
  const SessionOptions& options_;
  machine::Machine& machine_;
  SessionResult& result_;
  Runtime* runtime_ = nullptr;
  std::uint64_t arena_ = 0, code_ = 0;
  std::vector<int> streams_, events_;
  std::map<int, std::uint64_t> input_buffers_, output_buffers_;
};

}  // namespace

int device_of_discovery(const BoardSpec& board, int order) {
  int seen = 0;
  for (const PcieNodeSpec& node : board.pcie) {
    if (node.kind == PcieNodeSpec::Kind::endpoint && seen++ == order) return node.device;
  }
  throw InternalError("more devices discovered than the board has");
}

SessionResult run_session(const BoardSpec& board, const Workload& workload, const std::vector<std::vector<std::uint8_t>>& inputs,
                          RunRecorder& recorder, const SessionOptions& options, bool keep_tensors) {
  SessionResult result;
  machine::Machine machine(board, {options.functional, &recorder});
  HostProgram program(board, workload, inputs, recorder, options, machine, result);
  machine.run([&] { program.run(); }, options.keep_going);
  result.interrupted = machine.interrupted();
  if (options.finished) options.finished();
  if (result.interrupted) result.end_time = machine.timeline().now();
  for (const WorkloadTensor& tensor : workload.tensors) {
    if (!keep_tensors || tensor.role == WorkloadTensor::Role::constant) continue;
    std::vector<std::uint8_t>& bytes = result.tensors[tensor.name + '/' + tensor.layout];
    bytes.resize(tensor.bytes);
    machine.memory(result.device).bytes().read(program.arena() + tensor.offset, bytes.data(), static_cast<Bytes>(bytes.size()));
  }
  return result;
}

}  // namespace npulab::commands
