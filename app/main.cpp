// SPDX-License-Identifier: Apache-2.0
// Exit codes: 0 fine, 1 the simulated machine failed or an output differs, 2 the user's mistake, 70 a bug of ours, 130 interrupted.
#include <iostream>

#include "app/commands/command.h"
#include "app/machine/kernel_entry.h"
#include "app/report/version.h"
#include "model/base/errors.h"
#include "model/base/nearest_name.h"

namespace {

using npulab::commands::all_commands;
using npulab::commands::Command;

void print_help() {
  std::cout << "npulab " << npulab::kVersion << ": a cycle-approximate simulator of DaVinci-style NPUs\n\nnpulab COMMAND [options]   (npulab COMMAND --help tells more)\n\n";
  for (const Command& command : all_commands()) std::cout << "  " << command.name << std::string(10 - std::string(command.name).size(), ' ') << command.summary << "\n            " << command.example << "\n";
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    print_help();
    return words.empty() ? 2 : 0;
  }
  if (words[0] == "--version") {
    std::cout << "npulab " << npulab::kVersion << '\n';
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& command : all_commands()) {
    if (words[0] == command.name) return command.run({words.begin() + 1, words.end()});
    names.emplace_back(command.name);
  }
  throw npulab::UserError("npulab: expected a command, found '" + words[0] + "'" + npulab::nearest_hint(words[0], names));
}

int guarded(const std::vector<std::string>& words) {
  try {
    return dispatch(words);
  } catch (const npulab::UserError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  } catch (const npulab::SimulationError& error) {
    std::cerr << "simulation failed: " << error.what() << '\n';
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "internal error (a bug of npulab): " << error.what() << '\n';
    return 70;
  }
}

}  // namespace

int main(int argc, char** argv) { return npulab::machine::enter_kernel(argc, argv, guarded); }
