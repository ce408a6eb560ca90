#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the rows that from_tsc.js or golang/ printed rows of truth: bytes for columns, sorted.

    from_rows.py ROWS ROOT OUT [--unit utf-16] [--tracked CHECKOUT]
"""
import argparse

import rows
from from_scip import tracked


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows")
    parser.add_argument("root")
    parser.add_argument("out")
    parser.add_argument("--unit", default="utf-8", help="of columns: utf-8 (bytes), utf-16")
    parser.add_argument("--tracked", help="a git checkout: only its files count")
    args = parser.parse_args()
    sources = rows.Sources(args.root, tracked(args.root, args.tracked))

    def in_bytes(row):
        at = [sources.byte_column(row.path, row.line, col, args.unit) for col in (row.col, row.end)]
        def_col = sources.byte_column(row.def_path, row.def_line, row.def_col, args.unit)
        return row._replace(col=at[0], end=at[1], def_col=def_col)

    rows.write((in_bytes(row) for row in rows.read(args.rows) if sources.has(row.path)), args.out)


if __name__ == "__main__":
    main()
