// SPDX-License-Identifier: Apache-2.0
// A descriptor in a submission queue names a kernel by the device address of its code. The simulated code image holds no
// instructions to decode; this table says which Kernel stands for an address.
#pragma once

#include <cstdint>
#include <map>

namespace npulab {

struct Kernel;

class KernelStore {
 public:
  void place(std::uint64_t code_address, const Kernel* kernel) { kernels_[code_address] = kernel; }
  /// Null when no kernel was loaded there.
  const Kernel* find(std::uint64_t code_address) const {
    const auto found = kernels_.find(code_address);
    return found == kernels_.end() ? nullptr : found->second;
  }
  void clear() { kernels_.clear(); }

 private:
  std::map<std::uint64_t, const Kernel*> kernels_;
};

}  // namespace npulab
