// SPDX-License-Identifier: Apache-2.0
// Which table is which, by its columns, never by its name, and the rows in it. A table of other columns becomes rows of a family
// of its file's name, which no rule maps: shown, not dropped.
#pragma once

#include <vector>

#include "app/validate/csv_table.h"
#include "app/validate/data_row.h"

namespace npulab::validate {

/// Adds the table's rows in order of their lines.
void read_table(const CsvTable& table, std::vector<DataRow>& rows);

}  // namespace npulab::validate
