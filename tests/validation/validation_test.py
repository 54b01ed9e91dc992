#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""npulab validate on the published data: rows accounted for, shares mapped, errors within bounds, equal whatever finishes first."""
import csv
import os
import subprocess
import sys
import tempfile

BINARY, SOURCE = sys.argv[1:3]
DATA = os.path.join(SOURCE, "..", "shared", "validation")
failures = []


def expect(fine, what):
    if not fine:
        failures.append(what)
        print("FAILED:", what)


def validate(out, *words):
    command = [BINARY, "validate", "--data", DATA, "--boards", os.path.join(SOURCE, "configs", "board"), "--out", out, *words]
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode == 0, f"{' '.join(words) or 'all families'}: exit code {done.returncode}: {done.stderr[-500:]}")
    with open(os.path.join(out, "validation.csv"), newline="") as table:
        return list(csv.DictReader(table))


def data_lines():
    """Rows of the data, counted here."""
    count = 0
    for name in os.listdir(DATA):
        if name.endswith(".csv"):
            with open(os.path.join(DATA, name), newline="", encoding="utf-8-sig") as table:
                count += sum(1 for row in csv.reader(table) if row) - 1
    return count


def check_families(rows):
    with open(os.path.join(SOURCE, "tests", "validation", "bounds.csv"), newline="") as table:
        bounds = list(csv.DictReader(table))
    for bound in bounds:
        mine = [r for r in rows if r["family"] == bound["family"] and r["status"] in ("scored", "unmapped", "failed")]
        errors = [abs(float(r["simulated(us)"]) / float(r["measured(us)"]) - 1) for r in mine if r["status"] == "scored"]
        share = len(errors) / max(len(mine), 1)
        mape = sum(errors) / max(len(errors), 1)
        print(f"{bound['family']:24} mapped {share:6.1%} (bound {float(bound['share_mapped']):.0%})  MAPE {mape:6.1%} (bound {float(bound['mape']):.0%})")
        expect(mine, f"{bound['family']}: no rows")
        expect(share >= float(bound["share_mapped"]), f"{bound['family']}: {share:.1%} of {len(mine)} rows are mapped")
        expect(mape <= float(bound["mape"]), f"{bound['family']}: MAPE {mape:.1%}")
    for row in rows:
        # Some sizes of the micro-benchmarks are larger than the buffer they name.
        expect(row["status"] != "failed" or "of this buffer" in row["remark"], f"{row['id']}: {row['remark']}")


def main():
    if not os.path.isdir(DATA):
        print(f"SKIPPED: no measurements at {DATA}")
        return 77
    with tempfile.TemporaryDirectory() as out:
        rows = validate(out)
        lines = {(r["file"], r["line"]) for r in rows}
        expect(len(lines) == data_lines(), f"{data_lines()} rows in the data, {len(lines)} in the result")
        check_families(rows)
        for page in ("validation.html", "validation.md"):
            expect(os.path.getsize(os.path.join(out, page)) > 1000, f"{page} is empty")
        with tempfile.TemporaryDirectory() as again:
            family = ("--family", "micro-vector-fit")
            validate(out, *family, "--jobs", "1")
            validate(again, *family, "--jobs", "7")
            for page in ("validation.csv", "validation.html", "validation.md"):
                with open(os.path.join(out, page)) as one, open(os.path.join(again, page)) as other:
                    expect(one.read() == other.read(), f"{page} depends on which simulation ends first")
    return 1 if failures else 0


sys.exit(main())
