// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/commands/command.h"
#include "app/commands/option_parser.h"
#include "app/commands/session.h"
#include "model/base/errors.h"

namespace npulab::commands {
namespace {

using firmware::host::DeviceEntry;

/// What the table and the JSON say of one device.
struct Row {
  DeviceEntry entry;
  std::string product, path;
  int cube_cores = 0, vector_cores = 0;
};

std::vector<Row> enumerate(const BoardSpec& board, std::ostream* lspci) {
  std::vector<Row> rows;
  RunRecorder recorder(TraceLevel::none);
  machine::Machine machine(board, {false, &recorder});
  machine.run([&] {
    firmware::host::Driver driver(machine.fabric().host(), machine.host(), board.host, nullptr);
    driver.start();
    for (std::size_t i = 0; i < driver.devices().size(); ++i) {
      Row row;
      row.entry = driver.devices()[i];
      const DeviceSpec& device = board.devices[static_cast<std::size_t>(device_of_discovery(board, static_cast<int>(i)))];
      const SocSpec& soc = board.socs[static_cast<std::size_t>(device.soc)];
      row.product = soc.product;
      row.path = device.path;
      for (const CoreGroupSpec& group : soc.groups) {
        row.cube_cores += group.count * (group.fused_cores + group.cube_cores);
        row.vector_cores += group.count * (group.fused_cores + group.vector_cores);
      }
      rows.push_back(row);
    }
  }, [] { return true; });
  if (lspci != nullptr) machine.fabric().dump_lspci(*lspci);
  return rows;
}

void print_table(const BoardSpec& board, const std::vector<Row>& rows) {
  const std::string line = "+------+-------------------+----------+---------------+---------------+------------+-----------+\n";
  std::cout << fmt::format("npulab devices: {}\n", board.name) << line
            << fmt::format("| {:<4} | {:<17} | {:<8} | {:<13} | {:<13} | {:<10} | {:<9} |\n", "NPU", "Name", "Health", "Bus-Id", "State", "Cores", "Memory") << line;
  for (const Row& row : rows) {
    std::cout << fmt::format("| {:<4} | {:<17} | {:<8} | {:<13} | {:<13} | {:<10} | {:>5} GiB |\n", row.entry.logical < 0 ? "-" : std::to_string(row.entry.logical), row.product,
                             name_of(row.entry.health), to_string(row.entry.address), name_of(row.entry.boot), fmt::format("{}C {}V", row.cube_cores, row.vector_cores),
                             row.entry.memory_bytes >> 30);
  }
  std::cout << line;
  for (const Row& row : rows) {
    if (row.entry.logical < 0) std::cout << row.path << " is left out: " << row.entry.reason << '\n';
  }
}

void print_json(const BoardSpec& board, const std::vector<Row>& rows) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    devices.push_back({{"logical", row.entry.logical}, {"path", row.path}, {"name", row.product}, {"bus_id", to_string(row.entry.address)},
                       {"vendor_id", fmt::format("{:04x}", row.entry.vendor)}, {"device_id", fmt::format("{:04x}", row.entry.device)}, {"health", name_of(row.entry.health)},
                       {"state", name_of(row.entry.boot)}, {"reason", row.entry.reason}, {"memory_bytes", row.entry.memory_bytes}, {"cube_cores", row.cube_cores},
                       {"vector_cores", row.vector_cores}, {"ready_time_ps", row.entry.logical < 0 ? -1 : row.entry.ready_time}});
  }
  std::cout << nlohmann::ordered_json{{"format", "npulab/devices/1"}, {"board", board.name}, {"devices", devices}}.dump(1) << '\n';
}

}  // namespace

int devices_command(const std::vector<std::string>& arguments) {
  namespace po = boost::program_options;
  OptionParser parser("devices BOARD [options]", "Powers BOARD on, enumerates its PCIe tree through configuration accesses, waits for the devices and\n"
                      "lists them; one that does not become ready is listed with the reason.",
                      "npulab devices configs/board/card_310x4.yaml --lspci card.txt && lspci -F card.txt -tv");
  parser.positional("BOARD", 1);
  parser.add()("json", "print JSON instead of a table")("lspci", po::value<std::string>(), "write every function's configuration space for 'lspci -F'")(
      "set", po::value<std::vector<std::string>>()->composing(), "PATH=VALUE overrides a configured value");
  if (!parser.parse(arguments)) return 0;
  const BoardSpec board = load_board(parser.required("BOARD"), parser.all("set"));
  std::ofstream lspci;
  if (parser.has("lspci")) {
    lspci.open(parser.get<std::string>("lspci"), std::ios::trunc);
    if (!lspci) throw UserError({{parser.get<std::string>("lspci"), 0, 0, "--lspci", "expected a file that can be written, found one that cannot"}});
  }
  const std::vector<Row> rows = enumerate(board, parser.has("lspci") ? &lspci : nullptr);
  if (parser.has("json")) print_json(board, rows);
  else print_table(board, rows);
  return 0;
}

}  // namespace npulab::commands
