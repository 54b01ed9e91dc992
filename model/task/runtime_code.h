// SPDX-License-Identifier: Apache-2.0
// Public error codes of the runtime, as completion entries carry them and as the host's calls return them: 1xxxxx the caller's
// mistake, 2xxxxx a resource, 5xxxxx inside the device. Numbers from the public runtime documentation.
#pragma once

#include <cstdint>

namespace npulab {

enum class RuntimeCode : std::uint32_t {
  ok = 0,
  parameter = 107000,
  device_id = 107001,
  stream_not_in_context = 107003,
  unaligned_address = 107008,
  memory_allocation = 207001,
  memory_free = 207002,
  no_device = 207004,
  resource = 207005,
  no_stream = 207008,
  task_type = 507009,
  lost_heartbeat = 507010,
  dma = 507013,
  aicore_timeout = 507014,
  aicore_exception = 507015,
  soc_version = 507008,
  device_setup = 507033,
  stream_sync_timeout = 507046,
  event_sync_timeout = 507047,
  device_memory = 507053,
  link = 507056,
  driver_internal = 507899,
};

/// What the documentation calls it, in words.
inline const char* name_of(RuntimeCode code) {
  switch (code) {
    case RuntimeCode::ok: return "success";
    case RuntimeCode::parameter: return "parameter error";
    case RuntimeCode::device_id: return "invalid device id";
    case RuntimeCode::stream_not_in_context: return "stream not in current context";
    case RuntimeCode::unaligned_address: return "unaligned address";
    case RuntimeCode::memory_allocation: return "memory allocation error";
    case RuntimeCode::memory_free: return "memory free error";
    case RuntimeCode::no_device: return "no device";
    case RuntimeCode::resource: return "resource allocation error";
    case RuntimeCode::no_stream: return "no stream resource";
    case RuntimeCode::task_type: return "task type error";
    case RuntimeCode::lost_heartbeat: return "lost heartbeat";
    case RuntimeCode::dma: return "system DMA error";
    case RuntimeCode::aicore_timeout: return "AI Core timeout";
    case RuntimeCode::aicore_exception: return "AI Core exception";
    case RuntimeCode::soc_version: return "kernel does not fit this SoC";
    case RuntimeCode::device_setup: return "device setup error";
    case RuntimeCode::stream_sync_timeout: return "stream synchronization timeout";
    case RuntimeCode::event_sync_timeout: return "event synchronization timeout";
    case RuntimeCode::device_memory: return "device memory error";
    case RuntimeCode::link: return "link error";
    case RuntimeCode::driver_internal: return "driver internal error";
  }
  return "unknown error";
}

}  // namespace npulab
