// SPDX-License-Identifier: MIT
// sections.h -- a segment of several sections that grow side by side.
//
// A writer puts bytes into any section at any time, and holds one block of each: a section's full
// blocks are written as they come, so the whole may be of any size. A reader has every section as
// one range of memory, of which a block is read when something in it is first needed, and can be
// forgotten again.
//
// Layout, little-endian, U = bytes of a unit, which is a block of the writer and never smaller than
// one of the reader:
//   the full units of all sections, in the order in which they were filled
//   what is left of each section, less than a unit, in the order of sections
//   for each full unit: its section (1 byte)
//   the head: bytes of whoever writes
//   for each section: its length (8 bytes)
//   U, number of full units, length of the head, number of sections, SECTIONS_MAGIC (4 bytes each)
//
// Segments that end otherwise are older and flat: their sections follow each other from the front.
// (The magic cannot be the end of one: as the letters of a name it were one letter long and had
// all 26, as the place of a name it had a kind that does not exist.)
//
// Ownership: see each function. Threads: one at a time. Errors: KEN_ECORRUPT for bytes that
// contradict themselves; KEN_ENOMEM when a reader gets no memory for what it holds of each unit; those
// of the source or sink.
#ifndef KEN_BLOCKS_SECTIONS_H
#define KEN_BLOCKS_SECTIONS_H

#include <stdbool.h>

#include "blocks/blocks.h"

enum {
    KEN_SECTIONS_MAX = 8,
    KEN_SECTIONS_HEAD_MAX = 256
};

// ---- writing -----------------------------------------------------------------------------------
typedef struct ken_sections_writer {
    ken_block_cutter out;
    uint32_t n_sections;
    uint64_t len[KEN_SECTIONS_MAX];  // bytes put so far
    uint8_t *rest[KEN_SECTIONS_MAX]; // of a unit; NULL until something is put
    size_t n_rest[KEN_SECTIONS_MAX]; // less than a unit
    ken_buf map;
} ken_sections_writer;

void ken_sections_writer_init(ken_sections_writer *w, const ken_block_sink *sink,
                              uint32_t n_sections);
// A failure is kept for the end.
void ken_sections_put(ken_sections_writer *w, uint32_t section, const void *bytes, size_t n);
bool ken_sections_has_failed(const ken_sections_writer *w); // the rest may be left out
// Writes what is left and frees, also when it fails.
ken_status ken_sections_writer_end(ken_sections_writer *w, const void *head, size_t n_head,
                                   ken_err *err) KEN_MUST_USE;

// ---- reading -----------------------------------------------------------------------------------
typedef struct ken_sections ken_sections;

// Free with ken_sections_close. Reads the last bytes only.
ken_status ken_sections_open(const ken_block_source *source, ken_sections **out, ken_err *err)
    KEN_MUST_USE;
void ken_sections_close(ken_sections *s); // NULL is fine

// An older segment: one section that is all of it, until its reader gives the places of the sections.
bool ken_sections_is_flat(const ken_sections *s);
// at[n_sections]: where each begins; it ends where the next one does, the last at the segment's end.
// KEN_ECORRUPT unless they are in order and inside.
ken_status ken_sections_place(ken_sections *s, const uint64_t *at, uint32_t n_sections,
                              ken_err *err) KEN_MUST_USE;

ken_str ken_sections_head(const ken_sections *s); // borrowed; empty when it is flat
uint32_t ken_sections_count(const ken_sections *s);
uint64_t ken_sections_len(const ken_sections *s, uint32_t number);
// Makes bytes [at, at + n) of a section readable, until they are forgotten or it is closed.
ken_status ken_sections_view(ken_sections *s, uint32_t section, uint64_t at, uint64_t n,
                             const uint8_t **out, ken_err *err) KEN_MUST_USE;
// Gives back the memory of what lies wholly before `below`; it is read again when it is needed.
void ken_sections_forget(ken_sections *s, uint32_t section, uint64_t below);
// The same for a whole section, wherever in it something was read; its first and last unit may stay.
void ken_sections_drop(ken_sections *s, uint32_t section);
size_t ken_sections_resident(const ken_sections *s); // bytes held
int64_t ken_sections_id(const ken_sections *s);      // of the segment

#endif
