#include <stddef.h>
#include <stdint.h>

static uint32_t table[256];
static int has_table;

// The polynomial of Ethernet and zip, bits reversed.
static void make_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    has_table = 1;
}

// Checksum of the bytes of a label, to notice a smudged barcode.
uint32_t crc32_of(const unsigned char *bytes, size_t n)
{
    if (!has_table)
        make_table();
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < n; i++)
        crc = table[(crc ^ bytes[i]) & 0xff] ^ (crc >> 8);
    return ~crc;
}
