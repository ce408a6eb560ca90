// SPDX-License-Identifier: MIT
// What the log says of an app: settings that were given and have no effect, where work begins, one line
// for each reason; and each run that indexes or makes vectors, with counts and the time of its stages.
#include "app/app_priv.h"
#include "obs/log.h"

static bool is_first_of_its_reason(const ken_config_note *notes, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (ken_str_eq(notes[i].text, notes[at].text))
            return false;
    return true;
}

static void log_reason(const ken_config_note *notes, size_t at, size_t n)
{
    ken_buf names = KEN_BUF_INIT(1024);
    for (size_t i = at; i < n; i++)
        if (ken_str_eq(notes[i].text, notes[at].text))
            ken_buf_printf(&names, "%s'" KEN_STR_FMT "'", names.len ? ", " : "",
                           KEN_STR_ARG(notes[i].name));
    KEN_LOG_WARNING("config", "without effect: " KEN_STR_FMT ": " KEN_STR_FMT,
                    KEN_STR_ARG(ken_buf_str(&names)), KEN_STR_ARG(notes[at].text));
    ken_buf_release(&names);
}

void ken_app_log_notes(const ken_app *app)
{
    const ken_config_note *notes;
    size_t n = ken_config_notes(app->config, &notes);
    for (size_t i = 0; i < n; i++)
        if (is_first_of_its_reason(notes, i))
            log_reason(notes, i, n);
}

// ---- runs --------------------------------------------------------------------------------------

static void log_failure(const ken_project_info *project, const char *message, ken_status st,
                        const ken_err *err)
{
    char id[KEN_UUID_TEXT];
    ken_uuid_format(project->id, id);
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("project_id", ken_str_c(id)),
        KEN_LOG_F_TEXT("project", project->name),
        KEN_LOG_F_TEXT("code", ken_str_c(ken_status_name(st))),
        KEN_LOG_F_TEXT("error", ken_str_c(err->msg)),
    };
    // Whoever asked for the run is told; here it is for whoever looks for it later.
    ken_log_record(KEN_LOG_INFO, "index", message, fields, sizeof fields / sizeof *fields);
}

void ken_app__log_run(const ken_project_info *project, ken_status st,
                      const ken_index_report *report, const ken_err *err)
{
    char id[KEN_UUID_TEXT];
    if (!ken_log_is_on(KEN_LOG_INFO))
        return;
    if (st) {
        log_failure(project, "indexing failed", st, err);
        return;
    }
    ken_uuid_format(project->id, id);
    const ken_index_report *r = report;
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("project_id", ken_str_c(id)),
        KEN_LOG_F_TEXT("project", project->name),
        KEN_LOG_F_COUNT("generation", r->generation),
        KEN_LOG_F_COUNT("files", r->n_files),
        KEN_LOG_F_COUNT("added", r->n_added),
        KEN_LOG_F_COUNT("modified", r->n_modified),
        KEN_LOG_F_COUNT("removed", r->n_removed),
        KEN_LOG_F_COUNT("renamed", r->n_renamed),
        KEN_LOG_F_COUNT("parsed", r->n_parsed),
        KEN_LOG_F_COUNT("chunks", r->n_chunks),
        KEN_LOG_F_COUNT("skipped", r->n_skipped),
        KEN_LOG_F_COUNT("errors", r->n_issues),
        KEN_LOG_F_COUNT("total_time_ms", (uint64_t)r->duration_ms),
        KEN_LOG_F_MS("scan_time_ms", r->scan_ns),
        KEN_LOG_F_MS("parse_time_ms", r->read_ns),
        KEN_LOG_F_MS("commit_time_ms", r->commit_ns),
    };
    ken_log_record(KEN_LOG_INFO, "index", "indexing completed", fields,
                   sizeof fields / sizeof *fields);
}

void ken_app__log_embedding(const ken_project_info *project, ken_status st,
                            const ken_app_embedding *made, const ken_err *err)
{
    char id[KEN_UUID_TEXT];
    if (!ken_log_is_on(KEN_LOG_INFO) || (!st && !made->was_needed && !made->note.len))
        return;
    if (st) {
        log_failure(project, "embedding failed", st, err);
        return;
    }
    ken_uuid_format(project->id, id);
    const ken_log_field fields[] = {
        KEN_LOG_F_TEXT("project_id", ken_str_c(id)),
        KEN_LOG_F_TEXT("project", project->name),
        KEN_LOG_F_TEXT("provider", made->model.provider),
        KEN_LOG_F_TEXT("model", made->model.id),
        KEN_LOG_F_COUNT("chunks", made->report.n_texts),
        KEN_LOG_F_COUNT("total_time_ms", (uint64_t)made->report.duration_ms),
        KEN_LOG_F_TEXT("note", made->note),
    };
    ken_log_record(KEN_LOG_INFO, "index", "embedding completed", fields,
                   sizeof fields / sizeof *fields);
}

json_t *ken_app_setting_json(const ken_config *settings, ken_config_key key, ken_arena *arena)
{
    const ken_str *items;
    json_t *list;
    size_t n;
    switch (ken_config_key_type(key)) {
    case KEN_CONFIG_BOOL:
        return json_boolean(ken_config_bool(settings, key));
    case KEN_CONFIG_COUNT:
    case KEN_CONFIG_SIZE:
        return json_integer((json_int_t)ken_config_u64(settings, key));
    case KEN_CONFIG_LIST:
        list = json_array();
        n = ken_config_list(settings, key, &items);
        for (size_t i = 0; i < n; i++)
            ken_json_append(list, ken_json_str(items[i]));
        return list;
    case KEN_CONFIG_TEXT:
    case KEN_CONFIG_WORD:
    case KEN_CONFIG_SECRET:
    case KEN_CONFIG_UNKNOWN:
    default:
        return ken_json_str(ken_config_format(settings, key, arena));
    }
}

json_t *ken_app_setting_notes_json(const ken_config *settings)
{
    const ken_config_note *notes;
    json_t *list = json_array();
    size_t n = ken_config_notes(settings, &notes);
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object();
        ken_json_set_str(o, "key", notes[i].name);
        ken_json_set_str(o, "value", notes[i].value);
        ken_json_set_str(o, "source", notes[i].where);
        ken_json_set_str(o, "text", notes[i].text);
        ken_json_append(list, o);
    }
    return list;
}
