// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "app/commands/command.h"
#include "app/commands/load_model.h"
#include "app/commands/option_parser.h"
#include "model/base/errors.h"
#include "model/spec/board_spec.h"

namespace npulab::commands {

int lower_command(const std::vector<std::string>& arguments) {
  namespace po = boost::program_options;
  OptionParser parser("lower MODEL BOARD --out DIR", "Lowers MODEL for the first chip of BOARD and writes it as a workload folder: workload.yaml, one\n"
                      ".ktrace a kernel, constants.bin. 'npulab run BOARD DIR' gives the same cycles and the same bytes.",
                      "npulab lower workloads/library/digits/digits.onnx configs/board/card_910b1.yaml --out out/digits");
  parser.positional("MODEL", 1);
  parser.positional("BOARD", 1);
  parser.add()("out", po::value<std::string>(), "folder to write")("input", po::value<std::vector<std::string>>()->composing(), "files for inputs that must be known at compile time")(
      "set", po::value<std::vector<std::string>>()->composing(), "PATH=VALUE overrides");
  if (!parser.parse(arguments)) return 0;
  const std::string path = parser.required("MODEL"), board_file = parser.required("BOARD");
  if (!parser.has("out")) throw UserError("npulab lower: --out: expected a folder, found nothing");
  ModelRequest request{path, parser.all("input"), {}, 1, {}};
  const std::vector<std::string> overrides = split_overrides(parser.all("set"), request.parameters);
  const BoardSpec board = load_board(board_file, overrides);
  const LoadedModel model = load_model(request, board.socs[static_cast<std::size_t>(board.devices[0].soc)]);
  loader::write_workload(parser.get<std::string>("out"), model.workload);
  std::cout << model.workload.name << ": " << model.workload.kernels.size() << " kernels, " << model.workload.tensors.size() << " tensors written to "
            << parser.get<std::string>("out") << '\n';
  return 0;
}

}  // namespace npulab::commands
