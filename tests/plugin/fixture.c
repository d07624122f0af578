/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that tests compile with one fault each, chosen by -D; without any it is fine. */
#include <lamina/layer.h>
#include <stdlib.h>

#ifndef MAGIC
#define MAGIC LAM_ENTRY_MAGIC
#endif
#ifndef ENTRY_SIZE
#define ENTRY_SIZE sizeof (lam_plugin_entry)
#endif
#ifndef MAJOR
#define MAJOR LAM_ABI_MAJOR
#endif
#ifndef NEED
#define NEED 0
#endif
#ifndef PLUGIN_ID
#define PLUGIN_ID "t.plugin"
#endif
#ifndef NOTE_ID
#define NOTE_ID PLUGIN_ID
#endif
#ifndef NOTE_ABI
#define NOTE_ABI                                                                                   \
  "1.0\0"                                                                                          \
  "0"
#endif
#ifndef VERSION
#define VERSION "1.2.3"
#endif
#ifndef LAYER_ID
#define LAYER_ID "t.dense"
#endif
#ifndef NOTE_LAYER
#define NOTE_LAYER LAYER_ID
#endif
#ifndef SUMMARY
#define SUMMARY "Does nothing."
#endif
#ifndef REVISION
#define REVISION 3
#endif
#ifndef N_PROVIDES
#define N_PROVIDES 1
#endif
#ifndef TABLE_SIZE
#define TABLE_SIZE sizeof (lam_layer_vt)
#endif
#ifndef N_METHODS
#define N_METHODS 1
#endif
#ifndef INSTANCE
#define INSTANCE sizeof (dense)
#endif
#ifndef SETUP
#define SETUP setup
#endif
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef INIT
#define INIT NULL
#endif
#ifndef EXPORT
#define EXPORT LAM_EXPORT
#endif

typedef void (*setup_fn) (void *self, lam_setup *s);

typedef struct {
  int64_t dims;
} dense;

LAM_FIELDS (dense, LAM_INT (dims, 4, "Depth."))

LAM_UNUSED static int some_data;

LAM_UNUSED static void
setup (void *self, lam_setup *s)
{
  (void)self;
  (void)s;
}

LAM_UNUSED static lam_status
failing_init (const lam_host *host, lam_error *error)
{
  return host->error_set (error, LAM_E_UNSUPPORTED, "no licence for this machine");
}

#ifdef FLUSH_TO_ZERO
__attribute__ ((constructor)) static void
flush_to_zero (void)
{
  __builtin_ia32_ldmxcsr (__builtin_ia32_stmxcsr () | 0x8040);
}
#endif

#ifdef UNDEFINED
void nowhere_defined (void *self, lam_setup *s);
#endif

static lam_nest
fprop (const void *self, lam_trace *t, lam_nest in)
{
  (void)self;
  (void)t;
  return in;
}

static const lam_method method = {sizeof (lam_method), 0, "fprop", fprop};
static const lam_method *const methods[] = {&method, &method};

/* A future version's table: more members than this host knows. */
static const struct {
  lam_layer_vt vt;
  uintptr_t more[4];
} table = {{TABLE_SIZE, N_METHODS, INSTANCE, dense_lam_fields, SETUP, methods},
           {0x1234, 0x1234, 0x1234, 0x1234}};

#ifndef NO_NOTE
LAM_NOTE (layer_note, "provides\0lamina.layer/1\0" NOTE_LAYER "\0" LAM_STR (REVISION) "\0" SUMMARY)
LAM_NOTE (plugin_note, "plugin\0" NOTE_ID "\0" VERSION "\0Apache-2.0\0" NOTE_ABI)
#endif

static const lam_desc desc = {sizeof (lam_desc), REVISION, LAM_KIND_LAYER, LAYER_ID,
                              SUMMARY,           &table,   FLAGS};
static const lam_desc *const provides[] = {&desc, &desc};

#ifndef NO_ENTRY
EXPORT extern const lam_plugin_entry lam_plugin_entry_v1;
const lam_plugin_entry lam_plugin_entry_v1 = {
    MAGIC,   (uint32_t)(ENTRY_SIZE), MAJOR,    0,          NEED, 0,   PLUGIN_ID,
    VERSION, "Apache-2.0",           provides, N_PROVIDES, INIT, NULL};
#endif
