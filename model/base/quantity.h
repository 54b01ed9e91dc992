// SPDX-License-Identifier: Apache-2.0
// Numbers with units as people write them ("28.4 B/cycle", "64 GiB", "1850 MHz"), read exactly into integers.
#pragma once

#include <cstdint>
#include <string>

namespace npulab {

/// What a quantity measures; the integer's unit is given for each.
enum class Unit : std::uint8_t {
  count,               // 1
  bytes,               // byte; B, KiB, MiB, GiB, TiB, kB, MB, GB
  cycles,              // cycle
  millicycles,         // 1/1000 cycle
  byte_rate,           // 1/1000 byte per cycle (B/cycle)
  element_rate,        // element per cycle (element/cycle)
  frequency,           // kHz; kHz, MHz, GHz
  time,                // picosecond; ps, ns, us, ms, s
  bandwidth,           // byte per second; B/s, kB/s, MB/s, GB/s, TB/s and binary
  permille,            // 1/1000; permille, %
};

/// "cycle", "B/cycle", ...: for messages.
const char* example_of(Unit unit);

/// The largest integer that a quantity of `unit` may have unless its reader says less: times and rates stay far from overflow.
std::int64_t largest_of(Unit unit);

/// "512 KiB", "8.5 cycle": a value as a person would write it.
std::string quantity_text(std::int64_t value, Unit unit);

/// Reads `text` as a quantity of `unit`. False when it is no number, has no or a wrong unit, or is not whole in the integer's
/// unit; `problem` then says what was expected.
bool parse_quantity(const std::string& text, Unit unit, std::int64_t& value, std::string& problem);

}  // namespace npulab
