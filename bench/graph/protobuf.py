# SPDX-License-Identifier: MIT
"""Reads protobuf messages without their schema: just what SCIP and SemanticDB indexes need."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """Yields (field number, value); a value is an int, or a memoryview for length-delimited."""
    at, end = 0, len(data)
    while at < end:
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {wire} at byte {at}")
        yield tag >> 3, value


def text(value):
    return bytes(value).decode("utf-8", "replace")


def packed(value):
    """The integers of a repeated field, packed or (as a single int) not."""
    if isinstance(value, int):
        return [value]
    numbers, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        numbers.append(number)
    return numbers
