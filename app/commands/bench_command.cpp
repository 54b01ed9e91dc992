// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "app/commands/bench_cases.h"
#include "app/commands/command.h"
#include "model/base/errors.h"

namespace npulab::commands {

int bench_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"npulab bench"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  register_bench_cases();
  benchmark::Initialize(&count, pointers.data());
  if (count > 1) throw UserError("npulab bench: expected --benchmark_... options, found '" + std::string(pointers[1]) + "'");
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace npulab::commands
