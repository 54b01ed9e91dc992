// SPDX-License-Identifier: Apache-2.0
#include "workloads/operators/convolution_program.h"

#include <algorithm>

namespace npulab::operators {
namespace {

using isa::Pipe;
using isa::Space;

constexpr std::int64_t kBlock = 32;
// Events 0 and 1 belong to the two halves of a buffer, this one to what is loaded once a channel tile.
constexpr int kTileEvent = 2;

std::int64_t at(std::uint64_t address) { return static_cast<std::int64_t>(address); }

/// A piece of work of one core: a channel tile and a slice of output rows of an image.
struct Item {
  std::size_t tile;
  std::int64_t image, row, rows;
};

class ConvolutionProgram {
 public:
  ConvolutionProgram(isa::ProgramBuilder& program, const QuantisedConvolution& conv, const tiling::ConvolutionTiling& tiling,
                     const ConvolutionAddresses& addresses, const CoreSpec& core)
      : p_(program), conv_(conv), s_(conv.shape), t_(tiling), a_(addresses), core_(core) {}

  void build(const std::vector<Item>& items) {
    count(items);
    for (std::size_t i = 0; i < items.size();) {
      begin_tile(items[i].tile);
      const std::size_t tile = items[i].tile;
      for (; i < items.size() && items[i].tile == tile; ++i) slice(items[i]);
      end_tile();
    }
  }

 private:
  std::int64_t positions(const Item& item) const { return item.rows * s_.out_w; }
  const tiling::ChannelTile& tile() const { return t_.channel_tiles[tile_]; }

  /// Steps along K of a channel tile, over all its chunks and weight sets.
  std::int64_t steps(const tiling::ChannelTile& tile) const {
    std::int64_t steps = 0;
    for (std::int64_t first = 0; first < tile.blocks; first += t_.chunk_blocks) {
      steps += ceil_div(t_.k_of(s_, std::min(t_.chunk_blocks, tile.blocks - first)), t_.k_step) * t_.weight_sets;
    }
    return steps;
  }

  /// How often each buffer will be used: after its last use nobody waits for it any more.
  void count(const std::vector<Item>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const tiling::ChannelTile& tile = t_.channel_tiles[items[i].tile];
      const std::int64_t subs = ceil_div(positions(items[i]), t_.m);
      maps_.total += t_.streamed ? subs * ceil_div(tile.blocks, t_.chunk_blocks) : 1;
      results_.total += subs;
      operands_.total += subs * steps(tile);
      if (i == 0 || items[i].tile != items[i - 1].tile) ++tiles_.total;
    }
  }

  /// A buffer of two halves (or one), used in turn; `used` counts uses so far.
  struct Use {
    std::int64_t used = 0, total = 0;
    int half() const { return static_cast<int>(used % 2); }
    bool reused() const { return used >= 2; }
    bool used_again() const { return used + 2 < total; }
  };

  void hand_over(Pipe from, Pipe to, int event) {
    p_.set_flag(from, to, event);
    p_.wait_flag(from, to, event);
  }

  void begin_tile(std::size_t index) {
    tile_ = index;
    const Pipe last_user = t_.fixpipe ? Pipe::fix : Pipe::v;
    if (tiles_.used > 0) {
      p_.wait_flag(Pipe::mte1, Pipe::mte2, kTileEvent);
      p_.wait_flag(last_user, Pipe::mte2, kTileEvent);
    }
    if (!t_.streamed) load(Space::l1, t_.l1_weights, a_.weights[index], t_.weight_sets * t_.k_of(s_, tile().blocks) * t_.n);
    const std::uint64_t first = index * static_cast<std::uint64_t>(t_.n);
    load(t_.fixpipe ? Space::l1 : Space::ub, t_.fixpipe ? t_.l1_bias : t_.ub_bias, a_.bias + first * 4, t_.n * 4);
    load(t_.fixpipe ? Space::l1 : Space::ub, t_.fixpipe ? t_.l1_words : t_.ub_words, a_.words + first * 8, t_.n * 8);
    p_.set_flag(Pipe::mte2, Pipe::mte1, kTileEvent);
    p_.set_flag(Pipe::mte2, last_user, kTileEvent);
    p_.wait_flag(Pipe::mte2, Pipe::mte1, kTileEvent);
    p_.wait_flag(Pipe::mte2, last_user, kTileEvent);
    if (t_.fixpipe) load_tables();
  }

  /// Bias and quantisation words from L1 to where cube and FixPipe read them.
  void load_tables() {
    if (tiles_.used > 0) p_.wait_flag(Pipe::m, Pipe::mte1, kTileEvent);
    p_.copy({Space::l1, Space::bt, 1, static_cast<std::uint32_t>(t_.n * 4), t_.n * 4, t_.n * 4}, 0, at(t_.l1_bias));
    hand_over(Pipe::mte1, Pipe::m, kTileEvent);
    p_.copy({Space::l1, Space::fb, 1, static_cast<std::uint32_t>(t_.n * 8), t_.n * 8, t_.n * 8}, 0, at(t_.l1_words));
    p_.barrier(Pipe::fix);
  }

  void end_tile() {
    ++tiles_.used;
    if (tiles_.used == tiles_.total) return;
    p_.set_flag(Pipe::mte1, Pipe::mte2, kTileEvent);
    p_.set_flag(t_.fixpipe ? Pipe::fix : Pipe::v, Pipe::mte2, kTileEvent);
    if (t_.fixpipe) p_.set_flag(Pipe::m, Pipe::mte1, kTileEvent);
  }

  void load(Space space, std::uint64_t dst, std::uint64_t src, std::int64_t bytes) {
    p_.copy({Space::gm, space, 1, static_cast<std::uint32_t>(bytes), bytes, bytes}, at(dst), at(src));
  }

  /// Some channel blocks of a slice in one half of L1, and where their weights are.
  struct Chunk {
    tiling::InputRows rows;
    std::int64_t first = 0, blocks = 0;  // from the channel tile's first block
    std::uint64_t map = 0, weights = 0;  // L1
    std::int64_t set_pitch = 0;          // bytes from one weight set to the next
  };

  void slice(const Item& item) {
    const tiling::InputRows rows = tiling::input_rows(s_, item.row, item.rows);
    input_ = at(a_.input) + item.image * ceil_div(s_.in_channels, kBlock) * s_.in_h * s_.in_w * kBlock;
    Chunk all;
    if (!t_.streamed) all = begin_chunk(rows, 0, tile().blocks);
    for (std::int64_t first = 0; first < positions(item); first += t_.m) {
      sub_tile(item, rows, first, std::min(t_.m, positions(item) - first), all);
    }
    if (!t_.streamed) end_chunk();
  }

  Chunk begin_chunk(const tiling::InputRows& rows, std::int64_t first, std::int64_t blocks) {
    const int half = maps_.half();
    if (maps_.reused()) p_.wait_flag(Pipe::mte1, Pipe::mte2, half);
    Chunk chunk{rows, first, blocks, t_.l1_half[half], t_.l1_weights, t_.k_of(s_, blocks) * t_.n};
    const std::int64_t plane = rows.count * s_.in_w * kBlock, image_plane = s_.in_h * s_.in_w * kBlock;
    p_.copy({Space::gm, Space::l1, static_cast<std::uint32_t>(blocks), static_cast<std::uint32_t>(plane), image_plane, plane},
            at(chunk.map), input_ + (tile().block_first + first) * image_plane + rows.first * s_.in_w * kBlock);
    if (t_.streamed) {
      chunk.weights = chunk.map + t_.l1_chunk_weights;
      const std::int64_t all = t_.k_of(s_, tile().blocks) * t_.n;
      p_.copy({Space::gm, Space::l1, static_cast<std::uint32_t>(t_.weight_sets), static_cast<std::uint32_t>(chunk.set_pitch), all,
               chunk.set_pitch},
              at(chunk.weights), at(a_.weights[tile_]) + t_.k_of(s_, first) * t_.n);
    }
    hand_over(Pipe::mte2, Pipe::mte1, half);
    return chunk;
  }

  void end_chunk() {
    if (maps_.used_again()) p_.set_flag(Pipe::mte1, Pipe::mte2, maps_.half());
    ++maps_.used;
  }

  void sub_tile(const Item& item, const tiling::InputRows& rows, std::int64_t first, std::int64_t count, const Chunk& all) {
    const int half = results_.half();
    const std::int64_t m16 = round_up(count, 16), l0c = half * at(t_.l0c_half);
    if (t_.fixpipe) {
      if (results_.reused()) p_.wait_flag(Pipe::fix, Pipe::m, half);
    } else {
      p_.broadcast_bias({static_cast<std::uint16_t>(m16), static_cast<std::uint16_t>(t_.n)}, l0c, at(t_.ub_bias));
      hand_over(Pipe::v, Pipe::m, half);
    }
    for (std::int64_t block = 0; block < tile().blocks; block += t_.chunk_blocks) {
      const Chunk chunk = t_.streamed ? begin_chunk(rows, block, std::min(t_.chunk_blocks, tile().blocks - block)) : all;
      chunk_steps(chunk, first, m16, l0c, block == 0);
      if (t_.streamed) end_chunk();
    }
    const std::int64_t plane = s_.out_h * s_.out_w, block = item.image * ceil_div(s_.out_channels, kBlock) + tile().first / kBlock;
    const std::uint64_t out = a_.output + static_cast<std::uint64_t>((block * plane + item.row * s_.out_w + first) * kBlock);
    if (t_.fixpipe) result_by_fixpipe(half, count, m16, l0c, out);
    else result_by_vector(half, count, m16, l0c, out);
    ++results_.used;
  }

  void chunk_steps(const Chunk& chunk, std::int64_t m_start, std::int64_t m16, std::int64_t l0c, bool begin) {
    const std::int64_t k = t_.k_of(s_, chunk.blocks);
    for (int set = 0; set < t_.weight_sets; ++set) {
      for (std::int64_t k0 = 0; k0 < k; k0 += t_.k_step, begin = false) {
        step(chunk, m_start, m16, k0, std::min(t_.k_step, k - k0), set, l0c, begin);
      }
    }
  }

  void step(const Chunk& chunk, std::int64_t m_start, std::int64_t m16, std::int64_t k0, std::int64_t k, int set, std::int64_t l0c,
            bool begin) {
    const int half = operands_.half();
    const std::int64_t l0 = half * at(t_.l0_half);
    if (operands_.reused()) p_.wait_flag(Pipe::m, Pipe::mte1, half);
    p_.load_3d(image_to_column(chunk, m16, k), l0, at(chunk.map), m_start, k0);
    p_.load_2d({Space::l0b, isa::DataType::int8, false, static_cast<std::uint16_t>(k / 32 * (t_.n / 16)), 1, 1}, l0,
               at(chunk.weights) + set * chunk.set_pitch + k0 * t_.n);
    hand_over(Pipe::mte1, Pipe::m, half);
    isa::MmadOperands mmad{};
    mmad.m = static_cast<std::uint16_t>(m16);
    mmad.k = static_cast<std::uint16_t>(k);
    mmad.n = static_cast<std::uint16_t>(t_.n);
    mmad.a = graph::device_type(conv_.input_type);
    mmad.b = isa::DataType::int8;
    mmad.a_k_outer = core_.cube.l0a_k_outer;
    mmad.accumulate = !(begin && t_.fixpipe);
    mmad.bias = begin && t_.fixpipe;
    p_.mmad(mmad, l0c, l0, l0, 0);
    if (operands_.used_again()) p_.set_flag(Pipe::m, Pipe::mte1, half);
    ++operands_.used;
  }

  isa::Load3dOperands image_to_column(const Chunk& chunk, std::int64_t m16, std::int64_t k) const {
    isa::Load3dOperands o{};
    o.dst = Space::l0a;
    o.type = graph::device_type(conv_.input_type);
    o.k_outer = core_.cube.l0a_k_outer;
    o.in_h = static_cast<std::uint16_t>(chunk.rows.count);
    o.in_w = static_cast<std::uint16_t>(s_.in_w);
    o.channels = static_cast<std::uint16_t>(chunk.blocks * kBlock);
    o.kernel_h = static_cast<std::uint8_t>(s_.kernel_h);
    o.kernel_w = static_cast<std::uint8_t>(s_.kernel_w);
    o.stride_h = static_cast<std::uint8_t>(s_.stride_h);
    o.stride_w = static_cast<std::uint8_t>(s_.stride_w);
    o.dilation_h = static_cast<std::uint8_t>(s_.dilation_h);
    o.dilation_w = static_cast<std::uint8_t>(s_.dilation_w);
    o.pad_left = static_cast<std::uint8_t>(s_.pad_left);
    o.pad_right = static_cast<std::uint8_t>(s_.pad_right);
    o.pad_top = static_cast<std::uint8_t>(chunk.rows.pad_top);
    o.pad_bottom = static_cast<std::uint8_t>(chunk.rows.pad_bottom);
    o.pad_value = conv_.input_zero_point;
    o.m_extent = static_cast<std::uint32_t>(m16);
    o.k_extent = static_cast<std::uint32_t>(k);
    return o;
  }

  isa::FixpipeOperands requantise(Space dst, std::int64_t count, std::int64_t m16, std::int64_t pitch) const {
    isa::FixpipeOperands o{};
    o.dst = dst;
    o.quant = isa::QuantMode::vreq8;
    o.output_signed = conv_.output_type == graph::ElementType::int8;
    o.src_type = isa::DataType::int32;
    o.m = static_cast<std::uint16_t>(count);
    o.n = static_cast<std::uint16_t>(t_.n);
    o.src_rows = static_cast<std::uint32_t>(m16);
    o.dst_pitch = pitch;
    return o;
  }

  void result_by_fixpipe(int half, std::int64_t count, std::int64_t m16, std::int64_t l0c, std::uint64_t out) {
    hand_over(Pipe::m, Pipe::fix, half);
    p_.fixpipe(requantise(Space::gm, count, m16, s_.out_h * s_.out_w * kBlock), at(out), l0c, 0);
    if (results_.used_again()) p_.set_flag(Pipe::fix, Pipe::m, half);
  }

  void result_by_vector(int half, std::int64_t count, std::int64_t m16, std::int64_t l0c, std::uint64_t out) {
    hand_over(Pipe::m, Pipe::v, half);
    if (results_.reused()) p_.wait_flag(Pipe::mte3, Pipe::v, half);
    p_.fixpipe(requantise(Space::ub, count, m16, count * kBlock), at(t_.ub_out[half]), l0c, at(t_.ub_words));
    hand_over(Pipe::v, Pipe::mte3, half);
    p_.copy({Space::ub, Space::gm, static_cast<std::uint32_t>(t_.n / kBlock), static_cast<std::uint32_t>(count * kBlock),
             count * kBlock, s_.out_h * s_.out_w * kBlock},
            at(out), at(t_.ub_out[half]));
    if (results_.used_again()) p_.set_flag(Pipe::mte3, Pipe::v, half);
  }

  isa::ProgramBuilder& p_;
  const QuantisedConvolution& conv_;
  const ConvolutionShape& s_;
  const tiling::ConvolutionTiling& t_;
  const ConvolutionAddresses& a_;
  const CoreSpec& core_;
  std::size_t tile_ = 0;
  std::int64_t input_ = 0;  // of the image
  Use tiles_, maps_, operands_, results_;
};

}  // namespace

Kernel convolution_kernel(const QuantisedConvolution& conv, const tiling::ConvolutionTiling& tiling,
                          const ConvolutionAddresses& addresses, const CoreSpec& core, int cores) {
  std::vector<Item> items;
  for (std::size_t tile = 0; tile < tiling.channel_tiles.size(); ++tile) {
    for (std::int64_t image = 0; image < conv.images; ++image) {
      for (std::int64_t row = 0; row < conv.shape.out_h; row += tiling.slice_rows) {
        items.push_back({tile, image, row, std::min(tiling.slice_rows, conv.shape.out_h - row)});
      }
    }
  }
  isa::KernelBuilder kernel(conv.name, conv.op_type);
  const std::size_t blocks = std::min<std::size_t>(items.size(), static_cast<std::size_t>(cores));
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::vector<Item> mine(items.begin() + static_cast<std::ptrdiff_t>(block * items.size() / blocks),
                                 items.begin() + static_cast<std::ptrdiff_t>((block + 1) * items.size() / blocks));
    isa::BlockBinding binding;
    binding.cube = kernel.program("block" + std::to_string(block), [&](isa::ProgramBuilder& program) {
      ConvolutionProgram(program, conv, tiling, addresses, core).build(mine);
    });
    kernel.block(binding);
  }
  return kernel.build();
}

}  // namespace npulab::operators
