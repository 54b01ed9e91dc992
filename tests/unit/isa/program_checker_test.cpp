// SPDX-License-Identifier: Apache-2.0
// Rules about single instructions, values and blocks. Limits are those of the public ISA pages, written out.
#include "model/isa/program_checker.h"

#include <gtest/gtest.h>

#include "model/isa/ktrace.h"
#include "tests/unit/isa/small_soc.h"

namespace npulab::isa::test {
namespace {

std::vector<Diagnostic> check(const SocSpec& soc, const std::string& text) {
  return ProgramChecker(soc).check(parse_ktrace("npulab-ktrace 1\nkernel k\n" + text, "f"), "f");
}

std::string joined(const std::vector<Diagnostic>& problems) {
  std::string text;
  for (const Diagnostic& problem : problems) text += to_string(problem) + '\n';
  return text;
}

enum class On { cube, vector, fused };

std::vector<Diagnostic> check_line(On on, const std::string& line) {
  const std::string side = on == On::vector ? "vector" : "cube", key = on == On::vector ? "vector0" : "cube";
  return check(on == On::fused ? fused_soc() : split_soc(), "program " + side + " p {\n" + line + "\n}\nblock " + key + "=p\n");
}

struct Row {
  On on;
  const char* breaks;
  const char* message;  // the one problem of `breaks`
  const char* keeps;    // has none
};

const Row kMoves[] = {
    {On::cube, "copy l1[0] gm[0] rows=4096 row_bytes=32", "expected rows from 1 to 4095, found 4096", "copy l1[0] gm[0] rows=4095 row_bytes=32"},
    {On::cube, "copy l1[0] gm[0] rows=0 row_bytes=32", "expected rows from 1 to 4095, found 0", "copy l1[0] gm[0] rows=1 row_bytes=32"},
    {On::cube, "copy bt[0] l1[0] row_bytes=33", "expected row_bytes in multiples of 32, found 33", "copy bt[0] l1[0] row_bytes=64"},
    {On::cube, "copy l1[0] gm[0] rows=2 row_bytes=33 dst_pitch=33", "expected dst_pitch in multiples of 32, found 33|expected dst_pitch from 64 to 2097184, found 33", "copy l1[0] gm[0] rows=2 row_bytes=33 dst_pitch=64"},
    {On::cube, "copy l1[0] gm[0] rows=2 row_bytes=64 dst_pitch=32", "expected dst_pitch from 64 to 2097184, found 32", "copy l1[0] gm[0] rows=2 row_bytes=64"},
    {On::cube, "copy l1[0] gm[0] rows=2 row_bytes=32 src_pitch=-32", "expected src_pitch from 0 to 4294967295, found -32", "copy l1[0] gm[0] rows=2 row_bytes=32 src_pitch=0"},
    {On::cube, "copy l0a[0] gm[0] row_bytes=32", "expected a data path, found none from gm to l0a", nullptr},
    {On::cube, "copy ub[0] gm[0] row_bytes=32", "expected a core that has ub, found one without", nullptr},
    {On::vector, "copy l1[0] gm[0] row_bytes=32", "expected a core that has l1, found one without", "copy ub[0] gm[0] row_bytes=32"},
    {On::vector, "copy ub[0] gm[0] row_bytes=196609", "found 196609 bytes at 0x0 to 0x0", "copy ub[0] gm[0] row_bytes=196608"},
    {On::vector, "copy ub[16] gm[0] row_bytes=32", "expected the destination address in multiples of 32, found 0x10", "copy ub[32] gm[1] row_bytes=31"},
    {On::vector, "copy ub[0] gm[0x3fffffe1] row_bytes=32", "expected the source within device memory, found 32 bytes at 0x3fffffe1 to 0x3fffffe1", "copy ub[0] gm[0x3fffffe0] row_bytes=32"},
    {On::cube, "copy_nd2nz l1[0] gm[0] type=int8 rows=16385 columns=1 src_pitch=1 dst_rows=16400", "expected rows from 1 to 16384, found 16385|expected dst_rows from 16400 to 16384, found 16400", "copy_nd2nz l1[0] gm[0] type=int8 rows=16384 columns=1 src_pitch=1 dst_rows=16384"},
    {On::cube, "copy_nd2nz l1[0] gm[0] type=int8 rows=1 columns=0 src_pitch=1 dst_rows=16", "expected columns from 1 to 65535, found 0", "copy_nd2nz l1[0] gm[0] type=int8 rows=1 columns=1 src_pitch=1 dst_rows=16"},
    {On::cube, "copy_nd2nz l1[0] gm[0] type=int8 rows=16 columns=32 src_pitch=32 dst_rows=24", "expected dst_rows in multiples of 16, found 24", "copy_nd2nz l1[0] gm[0] type=int8 rows=16 columns=32 src_pitch=32 dst_rows=32"},
    {On::cube, "copy_nd2nz l1[0] gm[0] type=int8 rows=17 columns=32 src_pitch=32 dst_rows=16", "expected dst_rows from 32 to 16384, found 16", "copy_nd2nz l1[0] gm[0] type=int8 rows=17 columns=32 src_pitch=32 dst_rows=32"},
    {On::cube, "copy_nd2nz l1[0] gm[0] type=int8 rows=2 columns=32 src_pitch=65536 dst_rows=16", "expected src_pitch from 0 to 65535, found 65536", "copy_nd2nz l1[0] gm[0] type=int8 rows=2 columns=32 src_pitch=65535 dst_rows=16"},
    {On::cube, "copy_nd2nz l1[0] gm[1] type=fp16 rows=1 columns=16 src_pitch=32 dst_rows=16", "expected the source address in multiples of 2, found 0x1", "copy_nd2nz l1[0] gm[2] type=fp16 rows=1 columns=16 src_pitch=32 dst_rows=16"},
    {On::cube, "fill l1[0] bytes=48 pattern=0", "expected bytes in multiples of 32, found 48", "fill l1[0] bytes=64 pattern=0"},
    {On::cube, "fill l1[0] bytes=0 pattern=0", "expected bytes above 0, found 0", "fill l1[0] bytes=32 pattern=0"},
    {On::cube, "load_2d l0a[0] l1[0] type=int8 repeats=256", "expected repeats from 1 to 255, found 256", "load_2d l0a[0] l1[0] type=int8 repeats=128"},
    {On::cube, "load_2d l0a[0] l1[0] type=int8 repeats=0", "expected repeats from 1 to 255, found 0", "load_2d l0a[0] l1[0] type=int8 repeats=1"},
    {On::cube, "load_2d l0a[0] l1[0] type=int8 repeats=1 src_stride=65536", "expected src_stride from 0 to 65535, found 65536", "load_2d l0a[0] l1[0] type=int8 repeats=1 src_stride=65535"},
    {On::cube, "load_2d l0b[0] l1[0] type=fp32 repeats=1 transpose", "expected a type of 8 or 16 bits to transpose, found fp32", "load_2d l0b[0] l1[0] type=fp32 repeats=1"},
    {On::cube, "load_2d l0b[256] l1[0] type=int8 repeats=1", "expected the destination address in multiples of 512, found 0x100", "load_2d l0b[512] l1[32] type=int8 repeats=1"},
    {On::cube, "load_2d l0b[0xfe00] l1[0] type=int8 repeats=1 transpose", "expected the destination within the 65536 bytes of l0b, found 1024 bytes at 0xfe00 to 0xfe00", "load_2d l0b[0xfc00] l1[0] type=int8 repeats=1 transpose"},
    {On::vector, "load_2d l0a[0] l1[0] type=int8 repeats=1", "expected a core that has pipe mte1, found one without", nullptr},
};

#define IMAGE "l0a[0] l1[0] type=int8 channels=64 in_h=14 in_w=14 "
const Row kLoad3d[] = {
    {On::cube, "load_3d " IMAGE "m=128 k=64 m_start=0 k_start=0 k_outer", "expected no k_outer on this chip, found the other order of L0A fractals", "load_3d " IMAGE "m=128 k=64 m_start=0 k_start=0"},
    {On::cube, "load_3d " IMAGE "m=120 k=64", "expected m in multiples of 16, found 120", "load_3d " IMAGE "m=112 k=64"},
    {On::cube, "load_3d " IMAGE "m=128 k=48", "expected k in multiples of 32, found 48", "load_3d " IMAGE "m=128 k=32"},
    {On::cube, "load_3d " IMAGE "m=65536 k=32", "expected m from 1 to 65535, found 65536", nullptr},
    {On::cube, "load_3d " IMAGE "m=16 k=32 m_start=8", "expected the m_start in multiples of 16, found 8", "load_3d " IMAGE "m=16 k=32 m_start=16"},
    {On::cube, "load_3d " IMAGE "m=16 k=32 m_start=65536", "expected the m_start from 0 to 65535, found 65536", "load_3d " IMAGE "m=16 k=32 m_start=65520"},
    {On::cube, "load_3d " IMAGE "m=16 k=32 k_start=64", "expected the k_start from 0 to 32, found 64", "load_3d " IMAGE "m=16 k=32 k_start=32"},
    {On::cube, "load_3d " IMAGE "m=16 k=32 k_start=16", "expected the k_start in multiples of 32, found 16", "load_3d " IMAGE "m=16 k=32 k_start=0"},
    {On::cube, "load_3d " IMAGE "m=16 k=32 stride_w=64", "expected stride_w from 1 to 63, found 64", "load_3d " IMAGE "m=16 k=32 stride_w=63"},
    {On::cube, "load_3d " IMAGE "m=16 k=32 kernel_h=0", "expected kernel and dilation from 1 to 255, found 0|the kernel's height", nullptr},
    {On::cube, "load_3d " IMAGE "m=16 k=32 kernel_h=16 pad_top=1", "expected the kernel's height with dilation from 1 to 15, found 16", "load_3d " IMAGE "m=16 k=32 kernel_h=16 pad_top=1 pad_bottom=1"},
    {On::cube, "load_3d l0a[0] l1[0] type=int8 channels=48 in_h=2 in_w=2 m=16 k=32", "expected channels in multiples of 32, found 48", "load_3d l0a[0] l1[0] type=fp16 channels=48 in_h=2 in_w=2 m=16 k=32"},
    {On::cube, "load_3d l0b[0] l1[0] type=int8 channels=32 in_h=2 in_w=2 m=16 k=32", "expected a destination in l0a, found l0b", nullptr},
    {On::cube, "load_3d l0a[0] l1[0] type=int32 channels=32 in_h=2 in_w=2 m=16 k=32", "expected type int8, uint8, fp16 or bf16, found int32", "load_3d l0a[0] l1[0] type=bf16 channels=32 in_h=2 in_w=2 m=16 k=32"},
    {On::cube, "load_3d l0a[0] l1[0x7fe00] type=int8 channels=32 in_h=4 in_w=5 m=16 k=32", "expected the source within the 524288 bytes of l1, found 640 bytes at 0x7fe00 to 0x7fe00", "load_3d l0a[0] l1[0x7fe00] type=int8 channels=32 in_h=4 in_w=4 m=16 k=32"},
};

#define TILE "l0c[0] l0a[0] l0b[0] "
#define OUT "l0c[0] m=16 n=32 src_rows=16 dst_pitch=512 "
const Row kCompute[] = {
    {On::cube, "mmad " TILE "m=4096 k=16 n=16 type=int8", "expected m from 1 to 4095, found 4096", "mmad " TILE "m=1024 k=16 n=16 type=int8"},
    {On::cube, "mmad " TILE "m=16 k=0 n=16 type=int8", "expected k from 1 to 4095, found 0", "mmad " TILE "m=16 k=1 n=16 type=int8"},
    {On::cube, "mmad " TILE "m=16 k=16 n=16 a_type=int8 b_type=fp16", "expected two 8-bit integer types, fp16 or bf16, found int8 and fp16", "mmad " TILE "m=16 k=16 n=16 a_type=int8 b_type=uint8"},
    {On::cube, "mmad " TILE "m=16 k=16 n=16 type=fp32", "expected two 8-bit integer types, fp16 or bf16, found fp32 and fp32", "mmad " TILE "m=16 k=16 n=16 type=bf16"},
    {On::cube, "mmad " TILE "m=16 k=16 n=16 type=int8 a_k_outer", "expected no a_k_outer on this chip, found the other order of L0A fractals", "mmad " TILE "m=16 k=16 n=16 type=int8"},
    {On::cube, "mmad " TILE "bt[0] m=16 k=16 n=16 type=int8 accumulate", "expected either bias or accumulate, found both", "mmad " TILE "bt[0] m=16 k=16 n=16 type=int8"},
    {On::cube, "mmad " TILE "bt[32] m=16 k=16 n=16 type=int8", "expected the bias address in multiples of 64, found 0x20", "mmad " TILE "bt[64] m=16 k=16 n=16 type=int8"},
    {On::cube, "mmad " TILE "bt[64] m=16 k=16 n=256 type=int8", "expected the bias within the 1024 bytes of bt, found 1024 bytes at 0x40 to 0x40", "mmad " TILE "bt[0] m=16 k=16 n=256 type=int8"},
    {On::cube, "mmad " TILE "m=16 k=16 n=16 type=int8 unit_flag=1", "expected unit_flag 0, 2 or 3, found 1", "mmad " TILE "m=16 k=16 n=16 type=int8 unit_flag=3"},
    {On::cube, "mmad " TILE "m=129 k=256 n=256 type=int8", "expected the result within the 131072 bytes of l0c, found 147456 bytes at 0x0 to 0x0", "mmad " TILE "m=128 k=256 n=256 type=int8"},
    {On::cube, "mmad l0c[32] l0a[0] l0b[0] m=16 k=16 n=16 type=int8", "expected the result address in multiples of 64, found 0x20", "mmad l0c[64] l0a[512] l0b[512] m=16 k=16 n=16 type=int8"},
    {On::fused, "mmad " TILE "bt[0] m=16 k=16 n=16 type=int8", "expected a core that has bt, found one without", "mmad " TILE "m=16 k=16 n=16 type=int8"},
    {On::vector, "mmad " TILE "m=16 k=16 n=16 type=int8", "expected a core that has pipe m, found one without", nullptr},
    {On::fused, "broadcast_bias l0c[0] ub[0] m=8 n=16", "expected m in multiples of 16, found 8", "broadcast_bias l0c[0] ub[0] m=16 n=16"},
    {On::fused, "broadcast_bias l0c[0] ub[0] m=0 n=16", "expected m and n above 0, found 0", "broadcast_bias l0c[0] ub[32] m=32 n=16"},
    {On::cube, "fixpipe gm[0] " OUT "quant=f16 src_type=int32", "expected a quant mode for int32, found f16", "fixpipe gm[0] " OUT "quant=f16 src_type=fp32"},
    {On::cube, "fixpipe gm[0] " OUT "quant=req8 src_type=fp32", "expected a quant mode for fp32, found req8", "fixpipe gm[0] " OUT "quant=req8 src_type=int32"},
    {On::cube, "fixpipe gm[0] " OUT "quant=none src_type=fp16", "expected src_type int32 or fp32, found fp16", "fixpipe gm[0] " OUT "quant=none src_type=fp32"},
    {On::cube, "fixpipe gm[0] l0c[0] m=16 n=24 src_rows=16 dst_pitch=512 quant=req8 src_type=int32", "expected n in multiples of 16, found 24", "fixpipe gm[0] l0c[0] m=16 n=24 src_rows=16 dst_pitch=512 quant=req8 src_type=int32 nz2nd"},
    {On::cube, "fixpipe gm[0] l0c[0] m=17 n=16 src_rows=16 dst_pitch=512 quant=req8 src_type=int32", "expected src_rows from 32 to 65535, found 16", "fixpipe gm[0] l0c[0] m=17 n=16 src_rows=32 dst_pitch=512 quant=req8 src_type=int32"},
    {On::cube, "fixpipe gm[0] l0c[0] m=16 n=16 src_rows=24 dst_pitch=512 quant=req8 src_type=int32", "expected src_rows in multiples of 16, found 24", nullptr},
    {On::cube, "fixpipe gm[0] l0c[0] m=16 n=16 src_rows=16 dst_pitch=3 quant=f16 src_type=fp32", "expected dst_pitch in multiples of 2, found 3", "fixpipe gm[2] l0c[0] m=16 n=16 src_rows=16 dst_pitch=2 quant=f16 src_type=fp32"},
    {On::cube, "fixpipe gm[1] l0c[0] m=16 n=16 src_rows=16 dst_pitch=2 quant=f16 src_type=fp32", "expected the destination address in multiples of 2, found 0x1", "fixpipe gm[1] l0c[0] m=16 n=16 src_rows=16 dst_pitch=1 quant=qf8 src_type=fp32"},
    {On::cube, "fixpipe ub[0] " OUT "quant=req8 src_type=int32", "expected a core that has pipe v, found one without", nullptr},
    {On::fused, "fixpipe l1[0] " OUT "quant=req8 src_type=int32", "expected a core that has pipe fix, found one without", "fixpipe ub[0] " OUT "quant=req8 src_type=int32"},
    {On::fused, "fixpipe ub[0] " OUT "quant=vreq8 src_type=int32 unit_flag=4", "expected unit_flag 0, 2 or 3, found 4", "fixpipe ub[0] l0c[0] ub[0x1000] m=16 n=32 src_rows=16 dst_pitch=512 quant=vreq8 src_type=int32"},
    {On::cube, "fixpipe gm[0] l0c[0] fb[0x1b40] m=16 n=32 src_rows=16 dst_pitch=512 quant=vreq8 src_type=int32", "expected the quantisation words within the 7168 bytes of fb, found 256 bytes at 0x1b40 to 0x1b40", "fixpipe gm[0] l0c[0] fb[0x1b00] m=16 n=32 src_rows=16 dst_pitch=512 quant=vreq8 src_type=int32"},
};

const Row kVector[] = {
    {On::vector, "vector add ub[0] ub[0] ub[0] type=int8 repeats=1", "expected a type that add works on, found int8", "vector add ub[0] ub[0] ub[0] type=int16 repeats=1"},
    {On::vector, "vector exp ub[0] ub[0] type=int32 repeats=1", "expected a type that exp works on, found int32", "vector exp ub[0] ub[0] type=fp16 repeats=1"},
    {On::vector, "vector and ub[0] ub[0] ub[0] type=int32 repeats=1", "expected a type that and works on, found int32", "vector and ub[0] ub[0] ub[0] type=uint16 repeats=1"},
    {On::vector, "vector add ub[0] ub[0] ub[0] dst_type=fp32 src_type=fp16 repeats=1", "expected one type for source and result, found fp16 and fp32", "vector compare ub[0] ub[0] ub[0] dst_type=uint8 src_type=fp16 repeats=2"},
    {On::vector, "vector cast ub[0] ub[0] dst_type=fp32 src_type=int8 repeats=1", "expected a cast that exists, found int8 to fp32", "vector cast ub[0] ub[0] dst_type=fp16 src_type=int8 repeats=1"},
    {On::vector, "vector add ub[0] ub[0] ub[0] type=fp32 repeats=1 src1_repeat=256", "expected src1_repeat from 0 to 255, found 256", "vector add ub[0] ub[0] ub[0] type=fp32 repeats=1 src1_repeat=255"},
    {On::vector, "vector abs ub[0] ub[0] type=fp32 repeats=1 dst_repeat=4096", "expected dst_repeat from 0 to 4095, found 4096", "vector abs ub[0] ub[0] type=fp32 repeats=1 dst_repeat=4095"},
    {On::vector, "vector abs ub[0x2ff00] ub[0] type=fp32 repeats=2", "expected the destination within the 196608 bytes of ub, found 512 bytes at 0x2ff00 to 0x2ff00", "vector abs ub[0x2fe00] ub[0] type=fp32 repeats=2"},
    {On::vector, "vector abs ub[0x2fe40] ub[0] type=fp32 repeats=1 dst_block=2", "expected the destination within the 196608 bytes of ub, found 480 bytes at 0x2fe40 to 0x2fe40", "vector abs ub[0x2fe20] ub[0] type=fp32 repeats=1 dst_block=2"},
    {On::vector, "vector abs ub[0] ub[0] type=fp32 count=49153", "expected the destination within the 196608 bytes of ub, found 196612|expected the source within the 196608 bytes of ub, found 196612", "vector abs ub[0] ub[0] type=fp32 count=49152"},
    {On::vector, "vector reduce_sum ub[0x2fffc] ub[0] type=fp32 repeats=2 dst_repeat=1", "expected the destination within the 196608 bytes of ub, found 8 bytes at 0x2fffc to 0x2fffc", "vector reduce_sum ub[0x2fff8] ub[0] type=fp32 repeats=2 dst_repeat=1"},
    {On::vector, "vector reduce_sum ub[2] ub[0] type=fp32 repeats=1", "expected the destination address in multiples of 4, found 0x2", "vector reduce_sum ub[4] ub[0] type=fp32 repeats=1"},
    {On::vector, "vector select ub[0] ub[0] ub[0] type=fp32 repeats=1 scalar=0x2fff9", "expected the mask address in multiples of 32, found 0x2fff9|expected the mask within the 196608 bytes of ub, found 8 bytes", "vector select ub[0] ub[0] ub[0] type=fp32 repeats=1 scalar=0x2ffe0"},
    {On::vector, "vector abs ub[224] ub[0] type=fp32 repeats=1", "expected source and destination of a repeat to overlap fully or not at all, found them 224 bytes apart", "vector abs ub[256] ub[0] type=fp32 repeats=1"},
    {On::vector, "vector abs ub[0] ub[32] type=fp32 repeats=1", "found them -32 bytes apart", "vector abs ub[0] ub[32] type=fp32 repeats=1 mask0=0xff mask1=0"},
    {On::vector, "vector add ub[32] ub[0x1000] ub[0] type=fp16 count=17", "found them 32 bytes apart", "vector add ub[32] ub[0x1000] ub[0] type=fp16 count=16"},
    {On::vector, "loop i 2 {\nvector abs ub[64*i+32] ub[64*i] type=fp32 count=9\n}", "found them 32 bytes apart", "loop i 2 {\nvector abs ub[512*i+32] ub[64*i] type=fp32 count=9\n}"},
    {On::vector, "vector transpose ub[0x2fe00] ub[0] type=int8 repeats=1", "expected the destination within the 196608 bytes of ub, found 1024 bytes at 0x2fe00 to 0x2fe00", "vector transpose ub[0x2fc00] ub[0] type=int8 repeats=1"},
    {On::vector, "vector transpose ub[0] ub[0x2ffe0] type=fp16 repeats=1", "expected the source within the 196608 bytes of ub, found 512 bytes at 0x2ffe0 to 0x2ffe0", "vector transpose ub[0] ub[0x2fe00] type=fp16 repeats=1"},
    {On::vector, "vector broadcast_block ub[0] ub[0x2ffe0] type=fp32 repeats=2", "expected the source within the 196608 bytes of ub, found 64 bytes at 0x2ffe0 to 0x2ffe0", "vector broadcast_block ub[0] ub[0x2ffe0] type=fp32 repeats=1"},
    {On::vector, "vector cast ub[0] ub[0x2ff80] dst_type=fp32 src_type=fp16 repeats=2 src0_repeat=4", "expected the source within the 196608 bytes of ub, found 256 bytes at 0x2ff80 to 0x2ff80", "vector cast ub[0] ub[0x2ff00] dst_type=fp32 src_type=fp16 repeats=2 src0_repeat=4"},
    {On::cube, "vector abs ub[0] ub[0] type=fp32 repeats=1", "expected a core that has pipe v, found one without", nullptr},
};

const Row kHeads[] = {
    {On::cube, "scalar -1", "expected the cycles from 0 to 2147483647, found -1", "scalar 0"},
    {On::cube, "loop i 3 {\nscalar 5-3*i\n}", "expected the cycles from 0 to 2147483647, found -1 to 5", "loop i 3 {\nscalar 6-3*i\n}"},
    {On::cube, "pipe_barrier v", "expected a core that has pipe v, found one without", "pipe_barrier m"},
    {On::cube, "set_flag mte1 mte1 0", "expected two pipes, found mte1 twice", nullptr},
    {On::cube, "set_flag mte1 v 0", "expected the other pipe on this core, found v", nullptr},
    {On::cube, "set_flag v mte1 0", "expected a core that has pipe v, found one without", nullptr},
    {On::cube, "set_flag mte2 mte1 8\nwait_flag mte2 mte1 8", "expected the event from 0 to 7, found 8|expected the event", "set_flag mte2 mte1 7\nwait_flag mte2 mte1 7"},
    {On::fused, "set_flag mte2 mte1 4\nwait_flag mte2 mte1 4", "expected the event from 0 to 3, found 4|expected the event", "set_flag mte2 mte1 3\nwait_flag mte2 mte1 3"},
    {On::fused, "cross_set mte2 2 1", "expected no cross-core flags on this chip, found one", nullptr},
    {On::cube, "cross_set mte2 3 1", "expected mode 0, 1 or 2, found 3", nullptr},
    {On::cube, "cross_set mte2 1 1", "expected mode 1 on a vector core only, found it elsewhere", nullptr},
    {On::cube, "cross_set mte2 0 11\ncross_wait s 11", "expected the flag from 0 to 10, found 11|expected the flag", "cross_set mte2 0 10\ncross_wait s 10"},
};

template <std::size_t N>
void check_rows(const Row (&rows)[N]) {
  for (const Row& row : rows) {
    const std::vector<Diagnostic> problems = check_line(row.on, row.breaks);
    std::string expected = row.message;
    for (const Diagnostic& problem : problems) {
      const std::string message = expected.substr(0, expected.find('|'));
      EXPECT_NE(problem.message.find(message), std::string::npos) << row.breaks << '\n' << joined(problems);
      expected = expected.find('|') == std::string::npos ? "no more" : expected.substr(expected.find('|') + 1);
    }
    EXPECT_EQ(expected, "no more") << row.breaks << '\n' << joined(problems);
    if (row.keeps == nullptr) continue;
    EXPECT_EQ(joined(check_line(row.on, row.keeps)), "") << row.keeps;
  }
}

TEST(ProgramChecker, moves) { check_rows(kMoves); }
TEST(ProgramChecker, image_to_column_loads) { check_rows(kLoad3d); }
TEST(ProgramChecker, cube_and_fixpipe) { check_rows(kCompute); }
TEST(ProgramChecker, vector_instructions) { check_rows(kVector); }
TEST(ProgramChecker, flags_barriers_and_scalar_work) { check_rows(kHeads); }

TEST(ProgramChecker, addresses_are_followed_over_all_iterations_of_each_block) {
  const auto text = [](const char* count, const char* second) {
    return std::string("var base\nvar n\nbuffer x gm 0x1000 0x1000\nbuffer t ub 0 0x30000\nprogram vector p {\nloop i n {\nloop j 4 {\n"
                       "copy ub[t + 0x10000*(i%3)] gm[base + 256*i + 64*j] row_bytes=64\n}\n}\n}\nblock vector0=p base=0x1000 n=") +
           count + "\nblock vector0=p " + second + "\n";
  };
  EXPECT_EQ(joined(check(split_soc(), text("16", "base=0x1f00 n=1"))), "");
  // One iteration more, or one byte further, and the last access leaves the buffer.
  EXPECT_NE(joined(check(split_soc(), text("17", "base=0x1f00 n=1"))).find("block 0 vector0"), std::string::npos);
  EXPECT_NE(joined(check(split_soc(), text("17", "base=0x1f00 n=1"))).find("found 64 bytes at 0x1000 to 0x20c0"), std::string::npos);
  EXPECT_NE(joined(check(split_soc(), text("16", "base=0x1f01 n=1"))).find("block 1 vector0"), std::string::npos);
  // A loop of no iterations touches nothing; a negative count is a mistake.
  EXPECT_EQ(joined(check(split_soc(), text("16", "base=-5 n=0"))), "");
  EXPECT_NE(joined(check(split_soc(), text("16", "base=0x1000 n=-1"))).find("expected a loop count from 0, found -1"), std::string::npos);
}

TEST(ProgramChecker, lines_and_places_are_named) {
  const std::vector<Diagnostic> problems = check_line(On::vector, "copy ub[16] gm[0] row_bytes=32");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].file, "f");
  EXPECT_EQ(problems[0].line, 4);
  EXPECT_EQ(problems[0].key, "block 0 vector0, program 'p' instruction 0 copy");
}

TEST(ProgramChecker, an_instruction_is_reported_once_whatever_the_number_of_blocks) {
  const std::string text = "var x\nprogram vector p {\ncopy ub[16+x] gm[0] row_bytes=32\n}\nblocks 5 vector=p x=index*32\n";
  EXPECT_EQ(check(split_soc(), text).size(), 1u);
}

TEST(ProgramChecker, buffers_fit_a_core_that_the_kernel_runs_on) {
  const auto text = [](const char* buffer) { return std::string("buffer b ") + buffer + "\nprogram cube p {\nscalar 1\n}\nblock cube=p\n"; };
  EXPECT_EQ(joined(check(split_soc(), text("l1 0x40000 0x40000"))), "");
  EXPECT_NE(joined(check(split_soc(), text("l1 0x40001 0x40000"))).find("buffer 'b': expected it within the 524288 bytes of l1"), std::string::npos);
  EXPECT_NE(joined(check(split_soc(), text("ub 0 32"))).find("within the 0 bytes of ub"), std::string::npos);
}

TEST(ProgramChecker, blocks_need_cores_that_exist) {
  const std::string program = "program p {\nscalar 1\n}\n";
  EXPECT_EQ(joined(check(split_soc(), program + "block cube=p vector=p\n")), "");
  EXPECT_NE(joined(check(fused_soc(), program + "block cube=p vector0=p\n")).find("expected a group of cores on fused"), std::string::npos);
  EXPECT_NE(joined(check(fused_soc(), program + "block vector0=p\n")).find("expected a group of cores on fused"), std::string::npos);
  EXPECT_NE(joined(check(split_soc(), program + "block\n")).find("expected a program for at least one core"), std::string::npos);
  EXPECT_NE(joined(check(split_soc(), program)).find("expected at least one block"), std::string::npos);
}

TEST(ProgramChecker, a_broken_structure_is_refused_before_anything_else) {
  Kernel kernel = parse_ktrace("npulab-ktrace 1\nkernel k\nprogram p {\nloop i 2 {\nscalar i\n}\n}\nblock cube=p\n", "f");
  using Change = void (*)(Kernel&);
  for (const Change change : {Change([](Kernel& k) { k.programs[0].ops[0].partner = 1; }), Change([](Kernel& k) { k.programs[0].ops[2].partner = 2; }),
                              Change([](Kernel& k) { k.programs[0].ops[1].first_term = 9; }), Change([](Kernel& k) { k.programs[0].terms[0].variable = 9; }),
                              Change([](Kernel& k) { k.programs[0].terms[0].variable = 0; }), Change([](Kernel& k) { k.programs[0].ops.pop_back(); }),
                              Change([](Kernel& k) { k.blocks[0].cube = 1; }), Change([](Kernel& k) { k.blocks[0].values = {1}; }),
                              Change([](Kernel& k) { k.programs[0].ops[0].count_variable = 0; }), Change([](Kernel& k) { k.programs[0].ops[0].depth = 1; })}) {
    Kernel broken = kernel;
    change(broken);
    const std::vector<Diagnostic> problems = ProgramChecker(split_soc()).check(broken);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].key, "kernel 'k'") << joined(problems);
  }
  EXPECT_EQ(joined(ProgramChecker(split_soc()).check(kernel)), "");
}

}  // namespace
}  // namespace npulab::isa::test
