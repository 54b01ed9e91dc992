// SPDX-License-Identifier: Apache-2.0
// A unit that gives wrong bits is noticed: every result of one unit at a time is XORed with a bit worth at least one output step,
// and each network that uses the unit must then differ from the operators' references in some intermediate tensor.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "app/commands/session.h"
#include "workloads/graph/compile.h"
#include "workloads/graph/tensor_file.h"
#include "workloads/operators/lowering_context.h"

namespace npulab {
namespace {

// 8-bit results: the lowest bit, one step. 16-bit floats: the highest mantissa bit. 32-bit: bit 14 of an accumulator (the
// networks' multipliers are above 2^-12), also within an fp32 mantissa.
constexpr std::uint64_t kMask = 0x01ull | (0x0200ull << 16) | (0x4000ull << 32);

struct Case {
  std::string name, model, input;
};

std::vector<Case> cases() {
  const std::string digits = NPULAB_SOURCE_DIR "/workloads/library/digits";
  std::vector<Case> found = {{"digits", digits + "/digits.onnx", digits + "/sample_0/input_0.pb"}};
  const std::string models = NPULAB_SOURCE_DIR "/../shared/models/";
  for (const char* name : {"resnet8", "dscnn_kws", "mobilenetv1_vww", "ad01", "streaming_ww"}) {
    if (std::filesystem::exists(models + name)) found.push_back({name, models + name + "/model_qop.onnx", models + name + "/test_data_set_0/input_0.pb"});
  }
  return found;
}

/// The reference's tensor as it lies on the device in channel blocks; rows beyond the last channel are not compared.
bool same_blocked(const graph::Tensor& expected, const std::vector<std::uint8_t>& device) {
  const operators::Blocking b = operators::blocking_of(expected.shape);
  for (std::int64_t image = 0; image < b.images; ++image) {
    for (std::int64_t c = 0; c < b.channels; ++c) {
      for (std::int64_t p = 0; p < b.positions; ++p) {
        const std::int64_t at = image * b.image_bytes() + ((c / 32) * b.positions + p) * 32 + c % 32;
        const std::int64_t from = b.channel_last ? (image * b.positions + p) * b.channels + c : (image * b.channels + c) * b.positions + p;
        if (device[static_cast<std::size_t>(at)] != expected.data[static_cast<std::size_t>(from)]) return false;
      }
    }
  }
  return true;
}

/// What a child found: how often the unit was corrupted, and how many of how many tensors differ from the references.
struct Finding {
  std::uint64_t corrupted = 0;
  int compared = 0, differing = 0;
};

Finding run(const std::string& board_file, const Case& c, int broken_pipe) {
  const BoardSpec board = load_board(board_file, {});
  graph::CompiledNetwork network = graph::compile_network(c.model, board.socs[0], {c.input});
  const graph::Tensor input = graph::read_tensor_file(c.input, network.graph.tensor(network.graph.inputs[0]));
  const auto reference = graph::evaluate_reference(network.graph, {input});
  RunRecorder recorder(TraceLevel::none);
  commands::SessionOptions options;
  std::vector<cores::CoreEffects*> effects;
  options.prepared = [&](machine::Machine& machine, int device) {
    effects = machine.effects(device);
    for (cores::CoreEffects* core : effects) {
      if (broken_pipe < 0) continue;
      FaultPoint& fault = core->result_fault(static_cast<isa::Pipe>(broken_pipe));
      fault.armed = true;
      fault.parameter = kMask;
    }
  };
  Finding finding;
  std::uint64_t corrupted = 0;
  const auto count = [&] {
    for (cores::CoreEffects* core : effects) corrupted += broken_pipe < 0 ? 0 : core->result_fault(static_cast<isa::Pipe>(broken_pipe)).triggered;
  };
  options.finished = count;
  const commands::SessionResult result = commands::run_session(board, network.workload, {input.data}, recorder, options, true);
  finding.corrupted = corrupted;
  for (const auto& [key, bytes] : result.tensors) {
    const std::string name = key.substr(0, key.rfind('/')), layout = key.substr(key.rfind('/') + 1);
    const auto expected = reference.find(name);
    if (expected == reference.end() || name == network.graph.inputs[0] || graph::size_of(expected->second.type) != 1) continue;
    ++finding.compared;
    const bool same = layout == "ND" ? std::equal(expected->second.data.begin(), expected->second.data.end(), bytes.begin()) : same_blocked(expected->second, bytes);
    finding.differing += same ? 0 : 1;
  }
  return finding;
}

Finding in_child(const std::string& board_file, const Case& c, int broken_pipe) {
  int ends[2];
  Finding finding;
  if (pipe(ends) != 0) return finding;
  const pid_t child = fork();
  if (child == 0) {
    const Finding found = run(board_file, c, broken_pipe);
    const ssize_t written = write(ends[1], &found, sizeof found);
    _exit(written == static_cast<ssize_t>(sizeof found) ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &finding, sizeof finding) != static_cast<ssize_t>(sizeof finding)) finding = Finding{};
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return finding;
}

class Mutation : public testing::TestWithParam<const char*> {};

TEST_P(Mutation, every_unit_in_use_is_missed) {
  const std::string board = std::string(NPULAB_SOURCE_DIR "/configs/board/") + GetParam();
  for (const Case& c : cases()) {
    const Finding healthy = in_child(board, c, -1);
    EXPECT_GT(healthy.compared, 3) << c.name;
    EXPECT_EQ(healthy.differing, 0) << c.name << " is wrong without any fault";
    for (int pipe = 1; pipe < isa::kPipeCount; ++pipe) {
      const Finding broken = in_child(board, c, pipe);
      if (broken.corrupted == 0) continue;  // not used by this network on this chip
      EXPECT_GT(broken.differing, 0) << c.name << ": a broken " << isa::name_of(static_cast<isa::Pipe>(pipe)) << " goes unnoticed";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Boards, Mutation, testing::Values("card_310p3.yaml", "card_910b1.yaml"),
                         [](const auto& info) { return std::string(info.param).substr(5, std::string(info.param).find('.') - 5); });

}  // namespace
}  // namespace npulab

// The library wants the symbol; the children elaborate without it.
int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
