// SPDX-License-Identifier: MIT
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return ken_cli_main(argc, argv);
}
