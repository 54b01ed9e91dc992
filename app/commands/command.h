// SPDX-License-Identifier: Apache-2.0
// A command of the program: what --help says of it and what it does with the words after its name. Errors are thrown; main
// turns them into exit codes.
#pragma once

#include <string>
#include <vector>

namespace npulab::commands {

struct Command {
  const char* name;
  const char* summary;
  const char* example;
  int (*run)(const std::vector<std::string>& arguments);
};

const std::vector<Command>& all_commands();

int run_command(const std::vector<std::string>& arguments);
int check_command(const std::vector<std::string>& arguments);
int devices_command(const std::vector<std::string>& arguments);
int lower_command(const std::vector<std::string>& arguments);
int bench_command(const std::vector<std::string>& arguments);
int calibrate_command(const std::vector<std::string>& arguments);
int validate_command(const std::vector<std::string>& arguments);

}  // namespace npulab::commands
