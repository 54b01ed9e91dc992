// SPDX-License-Identifier: Apache-2.0
// Entry point of tests that elaborate SystemC. The kernel allows one elaboration a process, so each test runs in a process
// of its own (gtest_discover_tests); running several at once is refused in words.
#include <gtest/gtest.h>

#include <iostream>
#include <systemc>

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

int main(int argc, char** argv) {
  // Counting the tests that a filter selects needs a dry run of the name list.
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool one = argument.rfind("--gtest_filter=", 0) == 0 && argument.find('*') == std::string::npos && argument.find(':') == std::string::npos;
    if (one || argument == "--gtest_list_tests") return sc_core::sc_elab_and_sim(argc, argv);
  }
  std::cerr << "These tests elaborate SystemC and run one a process: use ctest, or --gtest_filter=SUITE.NAME\n";
  return 2;
}
