// SPDX-License-Identifier: Apache-2.0
// The host's processor: one SC_THREAD that runs the host program (driver, runtime, the user's launches) as straight-line code
// in simulated time.
#pragma once

#include <systemc>

#include <exception>
#include <functional>

#include "model/contract/host_thread.h"

namespace npulab::machine {

class HostThreadModule : public sc_core::sc_module, public HostThread {
 public:
  SC_HAS_PROCESS(HostThreadModule);
  explicit HostThreadModule(sc_core::sc_module_name name);

  /// Set before the simulation starts. What it throws is kept for rethrow().
  void set_program(std::function<void()> program) { program_ = std::move(program); }
  bool finished() const { return finished_; }
  /// Throws again what the program threw.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  Picoseconds now() const override;
  bool wait_until(const std::function<bool()>& done, Picoseconds deadline = kNever) override;
  void spend(Picoseconds duration) override;
  void wake() override { wake_.notify(sc_core::SC_ZERO_TIME); }

 private:
  void run();
  sc_core::sc_time delay(Picoseconds time) const;

  std::function<void()> program_;
  bool finished_ = false;
  std::exception_ptr failure_;
  Picoseconds ticks_per_ps_;
  sc_core::sc_event wake_;
};

}  // namespace npulab::machine
