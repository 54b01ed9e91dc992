// SPDX-License-Identifier: Apache-2.0
#include "app/commands/command.h"

namespace npulab::commands {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = {
      {"run", "run a network or kernel on a board and say where the time went",
       "npulab run configs/board/card_310p3.yaml workloads/library/digits/digits.onnx --input workloads/library/digits/sample_0/input_0.pb --out out/demo",
       run_command},
      {"check", "find every mistake in configurations, workloads and kernel traces",
       "npulab check configs/board/card_910b1.yaml workloads/library/gemm_int8_4096.yaml", check_command},
      {"devices", "enumerate a board and list its logical devices", "npulab devices configs/board/card_310x4.yaml --lspci card.txt", devices_command},
      {"lower", "write a network as a workload folder: kernel traces one can read and change",
       "npulab lower workloads/library/digits/digits.onnx configs/board/card_910b1.yaml --out out/digits", lower_command},
      {"validate", "hold simulated times against published measurements", "npulab validate --data ../shared/validation --family add --out out/validation", validate_command},
      {"calibrate", "fit units to tables of single instructions, beside what is configured", "npulab calibrate --data ../shared/validation --chip 910b1", calibrate_command},
      {"bench", "measure the simulator itself", "npulab bench --benchmark_filter=instructions", bench_command},
  };
  return commands;
}

}  // namespace npulab::commands
