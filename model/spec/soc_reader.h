// SPDX-License-Identifier: Apache-2.0
// Fills a SocSpec from the `soc` part of a configuration. Problems go to the reader's context.
#pragma once

#include "model/base/config_reader.h"
#include "model/spec/soc_spec.h"

namespace npulab {

SocSpec read_soc(ConfigReader reader);

/// One core kind; split off because it is long (core_reader.cpp).
CoreSpec read_core(ConfigReader reader, CoreKind kind);

}  // namespace npulab
