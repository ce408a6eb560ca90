// SPDX-License-Identifier: MIT
// What a question worked out and the next process would work out again: kept in the index, whose
// snapshots are opened for reading only.
#include "app/app_priv.h"

enum {
    KEEP_BUSY_MS = 200 // the answer waits for this
};

void ken_app__keep(void *ctx, ken_str name, ken_str value)
{
    const app_handle *h = ctx;
    const ken_store_opts opts = { .busy_ms = KEEP_BUSY_MS };
    ken_store *store = NULL;
    app_lock *lock = NULL;
    if (ken_config_bool(h->app->config, KEN_CFG_READ_ONLY) ||
        ken_app__lock_index(h->app, &h->info, &lock, NULL))
        return;
    // An index that was removed must not come back for this.
    ken_status st = ken_app__has_index(&h->info)
                        ? ken_app__open_index(&h->info, &opts, &store, NULL)
                        : KEN_ENOTFOUND;
    if (!st)
        (void)!ken_store_write_value(store, name, value, NULL);
    ken_store_close(store);
    ken_app__unlock_index(h->app, lock);
}
