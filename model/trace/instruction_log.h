// SPDX-License-Identifier: Apache-2.0
// The instructions of one core as a compact stream: delta and variable-length coded, compressed a block at a time. About one
// byte an instruction, so that tracing a long run costs neither memory nor much time.
#pragma once

#include <cstdint>
#include <vector>

#include "model/trace/trace_sink.h"

namespace npulab {

class InstructionLog {
 public:
  /// Appends one record; records of a core come in the order in which they are published.
  void append(const InstructionRecord& record);
  std::int64_t size() const { return count_; }
  /// Bytes held, compressed blocks and the open one.
  std::size_t stored_bytes() const;

  /// Reads a log from the beginning.
  class Reader {
   public:
    explicit Reader(const InstructionLog& log) : log_(log) {}
    /// Writes the next record; false at the end.
    bool next(InstructionRecord& record);

   private:
    bool load_block();
    std::uint64_t varint();
    std::int64_t zigzag();

    const InstructionLog& log_;
    std::size_t block_ = 0;
    std::vector<std::uint8_t> bytes_;
    std::size_t at_ = 0;
    InstructionRecord last_;
  };

 private:
  void flush_block();

  struct Block {
    std::vector<std::uint8_t> compressed;
    std::size_t bytes = 0;
  };
  std::vector<Block> blocks_;
  std::vector<std::uint8_t> open_;
  std::size_t used_ = 0;
  InstructionRecord last_;  // its task, program, position and start
  std::int64_t count_ = 0;
};

}  // namespace npulab
