// SPDX-License-Identifier: Apache-2.0
#include "model/trace/instruction_log.h"

#include <zstd.h>

#include <memory>

#include "model/base/errors.h"

namespace npulab {
namespace {

// Small enough that the open blocks of 32 cores stay in the cache and cost few page faults.
constexpr std::size_t kBlockBytes = 1 << 15;
constexpr std::size_t kMaxRecordBytes = 80;
constexpr int kCompressionLevel = 1;
// First byte of a record: opcode (4 bits), pipe (3 bits), whether task and program have changed (1 bit).
constexpr std::uint8_t kTaskChanged = 0x80;

/// Compresses blocks with one context and one buffer for all logs of a thread: a fresh context a block costs more than the block.
class BlockCompressor {
 public:
  std::vector<std::uint8_t> compress(const std::uint8_t* bytes, std::size_t size) {
    if (context_ == nullptr) throw InternalError("no memory to compress a trace block");
    buffer_.resize(ZSTD_compressBound(kBlockBytes));
    const std::size_t packed = ZSTD_compressCCtx(context_.get(), buffer_.data(), buffer_.size(), bytes, size, kCompressionLevel);
    if (ZSTD_isError(packed) != 0) throw InternalError("trace block cannot be compressed");
    return {buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(packed)};
  }

 private:
  struct Release {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Release> context_{ZSTD_createCCtx()};
  std::vector<std::uint8_t> buffer_;
};

bool is_flag(isa::Opcode opcode) { return opcode >= isa::Opcode::set_flag && opcode <= isa::Opcode::cross_wait; }

}  // namespace

namespace {

std::uint8_t* put_varint(std::uint8_t* out, std::uint64_t value) {
  while (value >= 0x80) {
    *out++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<std::uint8_t>(value);
  return out;
}

std::uint8_t* put_zigzag(std::uint8_t* out, std::int64_t value) {
  return put_varint(out, (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

}  // namespace

void InstructionLog::append(const InstructionRecord& record) {
  if (open_.empty()) open_.resize(kBlockBytes);
  if (used_ + kMaxRecordBytes > open_.size()) flush_block();
  const bool changed = record.task != last_.task || record.program != last_.program;
  std::uint8_t* out = open_.data() + used_;
  *out++ = static_cast<std::uint8_t>(static_cast<int>(record.opcode) | (static_cast<int>(record.pipe) << 4) | (changed ? kTaskChanged : 0));
  if (changed) {
    out = put_varint(out, record.task);
    out = put_varint(out, record.program);
    last_.task = record.task;
    last_.program = record.program;
  }
  out = put_zigzag(out, static_cast<std::int64_t>(record.position) - static_cast<std::int64_t>(last_.position));
  out = put_zigzag(out, record.start - last_.start);
  out = put_varint(out, static_cast<std::uint64_t>(record.busy_end - record.start));
  out = put_zigzag(out, record.visible - record.busy_end);
  if (is_flag(record.opcode)) {
    *out++ = record.peer;
    *out++ = record.event;
  } else {
    out = put_varint(out, record.operands);
  }
  used_ = static_cast<std::size_t>(out - open_.data());
  last_.position = record.position;
  last_.start = record.start;
  ++count_;
}

void InstructionLog::flush_block() {
  thread_local BlockCompressor compressor;
  blocks_.push_back({compressor.compress(open_.data(), used_), used_});
  used_ = 0;
}

std::size_t InstructionLog::stored_bytes() const {
  std::size_t bytes = used_;
  for (const Block& block : blocks_) bytes += block.compressed.size();
  return bytes;
}

bool InstructionLog::Reader::load_block() {
  if (block_ > log_.blocks_.size()) return false;
  if (block_ == log_.blocks_.size()) {
    bytes_.assign(log_.open_.begin(), log_.open_.begin() + static_cast<std::ptrdiff_t>(log_.used_));
  } else {
    const Block& block = log_.blocks_[block_];
    bytes_.resize(block.bytes);
    const std::size_t size = ZSTD_decompress(bytes_.data(), bytes_.size(), block.compressed.data(), block.compressed.size());
    if (ZSTD_isError(size) != 0 || size != block.bytes) throw InternalError("trace block is damaged");
  }
  ++block_;
  at_ = 0;
  return true;
}

std::uint64_t InstructionLog::Reader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint8_t byte = bytes_[at_++];
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
}

std::int64_t InstructionLog::Reader::zigzag() {
  const std::uint64_t value = varint();
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

bool InstructionLog::Reader::next(InstructionRecord& record) {
  while (at_ >= bytes_.size()) {
    if (!load_block()) return false;
  }
  const std::uint8_t first = bytes_[at_++];
  record = last_;
  record.opcode = static_cast<isa::Opcode>(first & 0x0f);
  record.pipe = static_cast<isa::Pipe>((first >> 4) & 0x07);
  if ((first & kTaskChanged) != 0) {
    record.task = varint();
    record.program = static_cast<std::uint32_t>(varint());
  }
  record.position = static_cast<std::uint32_t>(last_.position + zigzag());
  record.start = last_.start + zigzag();
  record.busy_end = record.start + static_cast<Cycles>(varint());
  record.visible = record.busy_end + zigzag();
  record.peer = record.event = 0;
  record.operands = 0;
  if (is_flag(record.opcode)) {
    record.peer = bytes_[at_++];
    record.event = bytes_[at_++];
  } else {
    record.operands = static_cast<std::uint32_t>(varint());
  }
  last_ = record;
  return true;
}

}  // namespace npulab
