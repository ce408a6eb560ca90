// SPDX-License-Identifier: MIT
// standalone.c -- libFuzzer's main for compilers without it: runs the target once on every file
// named on the command line or found in a folder named there, so that a crash once found stays
// found in every build. The empty input is always tried.
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_INPUT_BYTES (16 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return 1;
    }
    uint8_t *data = malloc(MAX_INPUT_BYTES);
    size_t len = data ? fread(data, 1, MAX_INPUT_BYTES, f) : 0;
    fclose(f);
    // An exact-sized copy, so that address sanitizer sees a read past the end.
    uint8_t *exact = data ? realloc(data, len ? len : 1) : NULL;
    if (!exact) {
        free(data);
        return 1;
    }
    LLVMFuzzerTestOneInput(exact, len);
    free(exact);
    return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int run_folder(const char *dir, size_t *n)
{
    struct dirent **names = NULL;
    int count = scandir(dir, &names, NULL, by_name);
    int failed = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        if (names[i]->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
            failed |= run_file(path);
            (*n)++;
        }
        free(names[i]);
    }
    free(names);
    return failed;
}

int main(int argc, char **argv)
{
    size_t n = 1;
    int failed = 0;
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        struct stat st;
        if (stat(argv[i], &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode)) {
            failed |= run_folder(argv[i], &n);
        } else {
            failed |= run_file(argv[i]);
            n++;
        }
    }
    printf("%zu inputs\n", n);
    return failed;
}
