// SPDX-License-Identifier: MIT
// embed_ort_priv.h -- the part of ONNX Runtime's C interface that embed_onnx.c calls.
//
// The library has one function, OrtGetApiBase(), which leads to a table of function pointers. The
// table only ever grows at its end, so the place of each function is fixed; the places of those we
// call are written here as gaps, and checked. A library older than ORT_API_VERSION gives no table.
// Every function that returns an ort_status returns NULL for success. Enumerations are ints.
#ifndef KEN_EMBED_EMBED_ORT_PRIV_H
#define KEN_EMBED_EMBED_ORT_PRIV_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
    ORT_API_VERSION = 11, // ONNX Runtime 1.11, 2022
    ORT_LOG_ERROR = 3,
    ORT_OPTIMISE_ALL = 99,
    ORT_TYPE_FLOAT = 1,
    ORT_TYPE_INT64 = 7,
    ORT_ALLOCATOR_DEVICE = 0,
    ORT_MEMORY_DEFAULT = 0,
};

typedef struct ort_status ort_status;
typedef struct ort_env ort_env;
typedef struct ort_options ort_options;
typedef struct ort_session ort_session;
typedef struct ort_run_options ort_run_options;
typedef struct ort_value ort_value;
typedef struct ort_type ort_type;
typedef struct ort_shape ort_shape;
typedef struct ort_memory ort_memory;
typedef struct ort_allocator ort_allocator;

typedef struct ort_api {
    void *gap_0[2];
    const char *(*get_message)(const ort_status *s); // 2, borrowed
    ort_status *(*create_env)(int level, const char *name, ort_env **out);
    void *gap_4[3];
    ort_status *(*create_session)(const ort_env *e, const char *path, const ort_options *o,
                                  ort_session **out); // 7
    void *gap_8[1];
    ort_status *(*run)(ort_session *s, const ort_run_options *o, const char *const *in_names,
                       const ort_value *const *ins, size_t n_ins, const char *const *out_names,
                       size_t n_outs, ort_value **outs); // 9
    ort_status *(*create_options)(ort_options **out);
    void *gap_11[12];
    ort_status *(*set_optimisation)(ort_options *o, int level); // 23
    ort_status *(*set_threads)(ort_options *o, int n);
    void *gap_25[5];
    ort_status *(*get_n_inputs)(const ort_session *s, size_t *out); // 30
    ort_status *(*get_n_outputs)(const ort_session *s, size_t *out);
    void *gap_32[2];
    ort_status *(*get_output_type)(const ort_session *s, size_t i, ort_type **out); // 34
    void *gap_35[1];
    ort_status *(*get_input_name)(const ort_session *s, size_t i, ort_allocator *a, char **out);
    ort_status *(*get_output_name)(const ort_session *s, size_t i, ort_allocator *a, char **out);
    void *gap_38[11];
    ort_status *(*create_tensor)(const ort_memory *m, void *data, size_t n_bytes,
                                 const int64_t *shape, size_t n_dims, int type,
                                 ort_value **out); // 49, borrows data
    void *gap_50[1];
    ort_status *(*get_data)(ort_value *v, void **out); // 51, borrowed
    void *gap_52[3];
    ort_status *(*get_tensor_shape)(const ort_type *t, const ort_shape **out); // 55, borrowed
    void *gap_56[4];
    ort_status *(*get_element_type)(const ort_shape *s, int *out); // 60
    ort_status *(*get_n_dims)(const ort_shape *s, size_t *out);
    ort_status *(*get_dims)(const ort_shape *s, int64_t *out, size_t n);
    void *gap_63[2];
    ort_status *(*get_shape)(const ort_value *v, ort_shape **out); // 65
    void *gap_66[3];
    ort_status *(*create_cpu_memory)(int allocator, int kind, ort_memory **out); // 69
    void *gap_70[6];
    ort_status *(*free_with)(ort_allocator *a, void *p); // 76
    void *gap_77[1];
    ort_status *(*get_allocator)(ort_allocator **out); // 78, borrowed
    void *gap_79[13];
    void (*free_env)(ort_env *p); // 92
    void (*free_status)(ort_status *p);
    void (*free_memory)(ort_memory *p);
    void (*free_session)(ort_session *p);
    void (*free_value)(ort_value *p);
    void *gap_97[1];
    void (*free_type)(ort_type *p);
    void (*free_shape)(ort_shape *p);
    void (*free_options)(ort_options *p); // 100
} ort_api;

#define ORT_AT(member) (offsetof(ort_api, member) / sizeof(void *))
_Static_assert(ORT_AT(get_message) == 2 && ORT_AT(run) == 9 && ORT_AT(set_optimisation) == 23,
               "places of the first functions");
_Static_assert(ORT_AT(get_output_type) == 34 && ORT_AT(create_tensor) == 49 &&
                   ORT_AT(get_tensor_shape) == 55 && ORT_AT(get_shape) == 65,
               "places of what reads types");
_Static_assert(ORT_AT(create_cpu_memory) == 69 && ORT_AT(get_allocator) == 78 &&
                   ORT_AT(free_env) == 92 && ORT_AT(free_options) == 100,
               "places of the last functions");

typedef struct ort_api_base {
    const ort_api *(*get_api)(uint32_t version); // NULL when the library is older
    const char *(*get_version)(void);            // "1.17.1"
} ort_api_base;

// Finds and loads the library once; the first `path` that is asked for counts. KEN_EUNSUPPORTED
// names the places searched and what to install. Never unloaded: it has threads.
ken_status ken_embed__ort(const char *path, const ort_api **out, ken_err *err);
// Makes CUDA the first device of a session; NULL when the runtime was built without it, or none is loaded.
typedef ort_status *ort_cuda_fn(ort_options *o, int device_id);
ort_cuda_fn *ken_embed__ort_cuda(void);
// The version that was loaded, "" before.
const char *ken_embed__ort_version(void);

#endif
