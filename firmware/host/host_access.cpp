// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/host_access.h"

#include <memory>
#include <optional>

namespace npulab::firmware::host {

std::uint32_t HostAccess::config_read(PciAddress function, std::uint32_t offset) {
  const auto answer = std::make_shared<std::optional<std::uint32_t>>();
  link_.config_read(function, offset, [this, answer](std::uint32_t value) {
    *answer = value;
    thread_.wake();
  });
  thread_.wait_until([answer] { return answer->has_value(); });
  return **answer;
}

void HostAccess::config_write(PciAddress function, std::uint32_t offset, std::uint32_t value) {
  const auto done = std::make_shared<bool>(false);
  link_.config_write(function, offset, value, [this, done] {
    *done = true;
    thread_.wake();
  });
  thread_.wait_until([done] { return *done; });
}

std::uint32_t HostAccess::mmio_read(std::uint64_t address) {
  const auto answer = std::make_shared<std::optional<std::uint32_t>>();
  link_.mmio_read(address, [this, answer](std::uint32_t value) {
    *answer = value;
    thread_.wake();
  });
  thread_.wait_until([answer] { return answer->has_value(); });
  return **answer;
}

void HostAccess::mmio_write(std::uint64_t address, std::uint32_t value) {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  link_.mmio_write(address, bytes);
}

}  // namespace npulab::firmware::host
