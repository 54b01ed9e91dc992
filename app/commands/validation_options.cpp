// SPDX-License-Identifier: Apache-2.0
#include "app/commands/validation_options.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "model/base/errors.h"

namespace npulab::commands {

namespace po = boost::program_options;

void add_validation_options(OptionParser& parser) {
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  parser.add()("data", po::value<std::string>()->default_value("../shared/validation"), "folder of CSV files with the measurements, or one file")(
      "boards", po::value<std::string>()->default_value("configs/board"), "folder of the boards")(
      "set", po::value<std::vector<std::string>>()->composing(), "PATH=VALUE overrides a configured value on every board")(
      "jobs", po::value<int>()->default_value(processors), "simulations at a time");
}

validate::ValidationRequest validation_request(const OptionParser& parser) {
  validate::ValidationRequest request;
  request.data = parser.get<std::string>("data");
  request.runner.boards = parser.get<std::string>("boards");
  request.runner.overrides = parser.all("set");
  request.runner.parallel = parser.get<int>("jobs");
  if (request.runner.parallel < 1 || request.runner.parallel > 1024)
    throw UserError({{"", 0, 0, "--jobs", "expected 1 to 1024, found " + std::to_string(request.runner.parallel)}});
  if (isatty(STDERR_FILENO) == 0) return request;
  request.runner.progress = [](int done, int total) {
    std::cerr << "\r  " << done << " of " << total << " simulations " << (done == total ? "\n" : "") << std::flush;
  };
  return request;
}

}  // namespace npulab::commands
