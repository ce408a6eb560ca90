// SPDX-License-Identifier: MIT
// id.h -- UUIDs: random ones, and ones derived from content so that every machine agrees. Ids of git's objects.
#ifndef KEN_BASE_ID_H
#define KEN_BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

typedef struct ken_uuid {
    uint8_t bytes[16];
} ken_uuid;

enum {
    KEN_UUID_TEXT = 37
}; // 36 characters and the NUL

void ken_random_into(void *out, size_t n); // from the system's generator
ken_uuid ken_uuid_random(void);            // version 4
// The first 128 bits of SHA-256(text), unchanged.
ken_uuid ken_uuid_of(ken_str text);
// "<path>::chunk::<index>", hashed as above: the id of a chunk.
ken_uuid ken_uuid_of_chunk(ken_str path, uint32_t index);
void ken_uuid_format(ken_uuid id, char out[KEN_UUID_TEXT]);
bool ken_uuid_parse(ken_str text, ken_uuid *out); // with or without dashes
bool ken_uuid_eq(ken_uuid a, ken_uuid b);

// Whether it is a full id of git's: 40 or 64 hexadecimal digits, small letters.
bool ken_is_object_id(ken_str text);

#endif
