// SPDX-License-Identifier: Apache-2.0
#include "app/machine/kernel_entry.h"

#include <cstdlib>
#include <systemc>

namespace {

int (*entry_body)(const std::vector<std::string>&) = nullptr;

}  // namespace

int sc_main(int argc, char** argv) { return entry_body == nullptr ? 0 : entry_body({argv + 1, argv + argc}); }

namespace npulab::machine {

int enter_kernel(int argc, char** argv, int (*body)(const std::vector<std::string>& words)) {
  entry_body = body;
  sc_core::sc_report_handler::set_actions("/IEEE_Std_1666/deprecated", sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}

}  // namespace npulab::machine
