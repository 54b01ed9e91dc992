// SPDX-License-Identifier: Apache-2.0
// The register map that driver, endpoint and device firmware agree on: offsets into the io BAR. The roles (boot status,
// heartbeat, doorbells, MSI-X table) are the public ones, the layout is our own. Registers are 32 bits wide.
#pragma once

#include <cstdint>

namespace npulab::registers {

// Written by the device firmware, read by the driver.
inline constexpr std::uint32_t kBootState = 0x00;      // BootState
inline constexpr std::uint32_t kHeartbeat = 0x04;      // counts up while the device lives
inline constexpr std::uint32_t kErrorCode = 0x08;      // last error of the device itself, 0: none
inline constexpr std::uint32_t kErrorCount = 0x0c;     // failed tasks and device errors so far
inline constexpr std::uint32_t kMaxStreams = 0x10;
inline constexpr std::uint32_t kQueueDepth = 0x14;
inline constexpr std::uint32_t kMemoryLow = 0x18;      // bytes of device memory
inline constexpr std::uint32_t kMemoryHigh = 0x1c;
inline constexpr std::uint32_t kErrorText = 0x100;     // why the boot failed, zero-terminated
inline constexpr std::uint32_t kErrorTextBytes = 0x100;

inline constexpr std::uint32_t kMsixTable = 0x20000;
inline constexpr std::uint32_t kMsixPending = 0x30000;

// One block a queue.
inline constexpr std::uint32_t kQueues = 0x40000;
inline constexpr std::uint32_t kQueueStride = 0x40;
inline constexpr std::uint32_t kSqTail = 0x00;         // doorbell: entries before this index are filled
inline constexpr std::uint32_t kSqHead = 0x04;         // read only
inline constexpr std::uint32_t kSqBaseLow = 0x08;      // device address
inline constexpr std::uint32_t kSqBaseHigh = 0x0c;
inline constexpr std::uint32_t kSqDepth = 0x10;
inline constexpr std::uint32_t kCqBaseLow = 0x14;      // host address
inline constexpr std::uint32_t kCqBaseHigh = 0x18;
inline constexpr std::uint32_t kCqDepth = 0x1c;
inline constexpr std::uint32_t kCqHead = 0x20;         // doorbell: entries before this index have been read
inline constexpr std::uint32_t kVector = 0x24;         // MSI-X vector of the completion queue
inline constexpr std::uint32_t kControl = 0x28;        // bit 0: enabled

/// Offset of register `field` of queue `queue`.
constexpr std::uint32_t queue_register(std::uint32_t queue, std::uint32_t field) { return kQueues + queue * kQueueStride + field; }
/// Bytes the io BAR must have for `queues` queues.
constexpr std::uint32_t io_bytes(std::uint32_t queues) { return kQueues + queues * kQueueStride; }

}  // namespace npulab::registers
