// SPDX-License-Identifier: Apache-2.0
// What the fields of instructions can encode: properties of the instruction set, the same on every chip. Sources: asc-devkit
// API pages and pto-isa, collected in the public ISA notes (Mmad, LoadData, DataCopy, DataCopyPad, Fixpipe, vector repeat).
#pragma once

#include <cstdint>

namespace npulab::isa::limits {

inline constexpr std::int64_t kBlockBytes = 32;           // unit of local addresses, lengths and gaps
inline constexpr std::int64_t kFractalBytes = 512;        // 16 rows of one block
inline constexpr std::int64_t kFractalRows = 16;
inline constexpr std::int64_t kResultBytes = 4;           // of an L0C element
inline constexpr std::int64_t kWordBytes = 8;             // of a quantisation word
inline constexpr std::int64_t kRepeatBytes = 256;         // of a vector repeat
inline constexpr std::int64_t kRepeatBlocks = 8;

inline constexpr std::int64_t kCopyRows = 4095;           // blockCount
inline constexpr std::int64_t kCopyRowBytes = 65535 * 32; // blockLen
inline constexpr std::int64_t kCopyGapBytes = 65535 * 32; // between rows on a local side
inline constexpr std::int64_t kGmPitchBytes = 0xffffffff; // between rows on the GM side
inline constexpr std::int64_t kNd2NzRows = 16384;
inline constexpr std::int64_t kNd2NzColumns = 65535;
inline constexpr std::int64_t kNd2NzPitchElements = 65535;  // srcDValue
inline constexpr std::int64_t kLoadRepeats = 255;
inline constexpr std::int64_t kLoadStride = 65535;        // fractals
inline constexpr std::int64_t kLoad3dExtent = 65535;      // mExtension, kExtension and their starts
inline constexpr std::int64_t kLoad3dMap = 32767;         // feature map height and width
inline constexpr std::int64_t kLoad3dStride = 63;
inline constexpr std::int64_t kMmadExtent = 4095;
inline constexpr std::int64_t kFixpipeNzRows = 65535;
inline constexpr std::int64_t kFixpipeNdRows = 8192;
inline constexpr std::int64_t kFixpipeNdColumns = 4095;
inline constexpr std::int64_t kBinaryRepeatStride = 255;
inline constexpr std::int64_t kUnaryRepeatStride = 4095;

}  // namespace npulab::isa::limits
