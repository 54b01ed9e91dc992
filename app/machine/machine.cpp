// SPDX-License-Identifier: Apache-2.0
#include "app/machine/machine.h"

#include "cores/flags/inter_group_flags.h"
#include "cores/process/process_group_module.h"
#include "cores/scoreboard/scoreboard_module.h"
#include "model/base/errors.h"

namespace npulab::machine {
namespace {

/// A place in the SystemC hierarchy under which a device's parts stand.
struct PlaceModule : sc_core::sc_module {
  explicit PlaceModule(sc_core::sc_module_name name) : sc_module(name) {}
};

// Simulated time between two looks at the outside (interrupts, progress).
constexpr Picoseconds kSlice = 20 * kPicosecondsPerMicrosecond;

Picoseconds flag_latency(const SocSpec& soc) {
  const CoreSpec& core = soc.cube_core().clock_khz != 0 ? soc.cube_core() : soc.vector;
  return std::max<Picoseconds>(1, ceil_div(soc.cross_flags.inter_group_cycles * 1'000'000'000, core.clock_khz));
}

}  // namespace

struct Machine::DeviceParts : PlaceModule {
  /// Everything is made in here, so that it stands below the device in the hierarchy.
  DeviceParts(sc_core::sc_module_name name, const BoardSpec& board, int device, Timeline& timeline, const MachineOptions& options)
      : PlaceModule(name), memory("memory", soc_of(board, device).memory), flags(timeline, flag_latency(soc_of(board, device))) {
    build_groups(board, device, options);
  }

  static const SocSpec& soc_of(const BoardSpec& board, int device) {
    return board.socs[static_cast<std::size_t>(board.devices[static_cast<std::size_t>(device)].soc)];
  }
  void build_groups(const BoardSpec& board, int device, const MachineOptions& options);

  memory::MemoryModule memory;
  cores::InterGroupFlags flags;
  std::vector<std::unique_ptr<sc_core::sc_module>> group_modules;
  std::vector<ComputeCore*> groups;
  std::vector<cores::CoreEffects*> effects;
  KernelStore kernels;
  std::unique_ptr<firmware::device::Device> firmware;
};

Machine::Machine(const BoardSpec& board, const MachineOptions& options)
    : timeline_("timeline"), host_("host"), ledger_(options.trace) {
  std::vector<MemorySystem*> memories;
  for (std::size_t i = 0; i < board.devices.size(); ++i) {
    const std::string name = board.devices[i].path.substr(board.devices[i].path.rfind('.') + 1);
    devices_.push_back(std::make_unique<DeviceParts>(name.c_str(), board, static_cast<int>(i), timeline_, options));
    memories.push_back(&devices_.back()->memory);
  }
  fabric_ = std::make_unique<pcie::FabricModules>(board, timeline_, memories, options.trace, options.functional);
  for (std::size_t i = 0; i < board.devices.size(); ++i) {
    DeviceParts& parts = *devices_[i];
    firmware::device::DeviceContext context;
    context.timeline = &timeline_;
    context.port = &fabric_->fabric().device(static_cast<int>(i));
    context.memory = &parts.memory;
    context.cores = parts.groups;
    context.kernels = &parts.kernels;
    context.ledger = &ledger_;
    context.trace = options.trace;
    context.soc = &board.socs[static_cast<std::size_t>(board.devices[i].soc)];
    context.device = &board.devices[i];
    context.full_boot = board.full_boot;
    parts.firmware = std::make_unique<firmware::device::Device>(context);
  }
}

Machine::~Machine() = default;

void Machine::DeviceParts::build_groups(const BoardSpec& board, int device, const MachineOptions& options) {
  const SocSpec& soc = soc_of(board, device);
  for (const CoreGroupSpec& group : soc.groups) {
    for (int i = 0; i < group.count; ++i) {
      const std::string name = group.name + std::to_string(i);
      CoreGroupContext context;
      context.path = board.devices[static_cast<std::size_t>(device)].path + '.' + name;
      context.device = device;
      context.group_index = static_cast<int>(groups.size());
      context.soc = &soc;
      context.group = &group;
      context.memory = &memory;
      context.flags = &flags;
      context.trace = options.trace;
      context.functional = options.functional;
      const int core_count = group.fused_cores + group.cube_cores + group.vector_cores;
      const auto keep = [&](auto module) {
        for (int core = 0; core < core_count; ++core) {
          if (options.functional) effects.push_back(module->effects(core));
        }
        groups.push_back(module.get());
        group_modules.push_back(std::move(module));
      };
      if (board.engine == EngineKind::scoreboard) keep(std::make_unique<npulab::cores::ScoreboardModule>(name.c_str(), context));
      else keep(std::make_unique<cores::ProcessGroupModule>(name.c_str(), context));
    }
  }
}

KernelStore& Machine::kernels(int device) { return devices_.at(static_cast<std::size_t>(device))->kernels; }
firmware::device::Device& Machine::device(int device) { return *devices_.at(static_cast<std::size_t>(device))->firmware; }
memory::MemoryModule& Machine::memory(int device) { return devices_.at(static_cast<std::size_t>(device))->memory; }
std::vector<cores::CoreEffects*> Machine::effects(int device) { return devices_.at(static_cast<std::size_t>(device))->effects; }

void Machine::run(std::function<void()> host_program, const std::function<bool()>& keep_going) {
  host_.set_program(std::move(host_program));
  timeline_.at(0, [this] {
    for (const auto& device : devices_) device->firmware->power_on();
  });
  const sc_core::sc_time slice = sc_core::sc_time::from_value(
      static_cast<sc_dt::uint64>(kSlice) * static_cast<sc_dt::uint64>(sc_core::sc_time(1, sc_core::SC_PS).value()));
  try {
    while (!host_.finished()) {
      sc_core::sc_start(slice);
      if (host_.finished()) break;
      if (!keep_going()) {
        interrupted_ = true;
        for (const auto& device : devices_) {
          for (ComputeCore* core : device->groups) core->abort();  // what has happened by now is to be seen in the trace
        }
        return;
      }
      if (!sc_core::sc_pending_activity()) throw SimulationError("the machine has come to a standstill:\n" + stuck());
    }
  } catch (const sc_core::sc_report& report) {
    throw InternalError(report.what());
  }
  host_.rethrow();
}

std::string Machine::stuck() const {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  };
  for (const auto& device : devices_) {
    for (const ComputeCore* core : device->groups) add(core->blocked_on());
    add(device->firmware->outstanding());
  }
  add(fabric_->fabric().outstanding());
  return text.empty() ? "the host waits for something that nobody will do" : text;
}

}  // namespace npulab::machine
