// SPDX-License-Identifier: Apache-2.0
// MSI-X table and pending bits: which message each interrupt vector sends, and which ones wait because they are masked.
#pragma once

#include <cstdint>
#include <vector>

namespace npulab::pcie {

class MsixTable {
 public:
  static constexpr std::uint32_t kEntryBytes = 16;
  struct Entry {
    std::uint64_t address = 0;
    std::uint32_t data = 0;
    bool masked = true;
  };
  explicit MsixTable(int vectors) : entries_(static_cast<std::size_t>(vectors)), pending_(static_cast<std::size_t>(vectors)) {}

  /// 32-bit registers at byte offsets from the start of the table.
  std::uint32_t read(std::uint32_t offset) const;
  void write(std::uint32_t offset, std::uint32_t value);
  /// 32 pending bits, from vector 8 * offset.
  std::uint32_t read_pending(std::uint32_t offset) const;

  int vectors() const { return static_cast<int>(entries_.size()); }
  const Entry& entry(int vector) const { return entries_[static_cast<std::size_t>(vector)]; }
  bool pending(int vector) const { return pending_[static_cast<std::size_t>(vector)]; }
  void set_pending(int vector, bool on) { pending_[static_cast<std::size_t>(vector)] = on; }

 private:
  std::vector<Entry> entries_;
  std::vector<bool> pending_;
};

}  // namespace npulab::pcie
