/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of one loaded library: which of its addresses may be read, and which are code. */
#ifndef LM_PLUGIN_MODULE_H
#define LM_PLUGIN_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LM_MODULE_MAX_RANGES 64

typedef struct LmModule {
  struct {
    uintptr_t start, end;
    bool code;
  } ranges[LM_MODULE_MAX_RANGES];
  unsigned n;
} LmModule;

/* The PT_LOAD segments of what dlopen returned; false when it is not among the loaded objects. */
bool lm_module_of (LmModule *module, void *handle);

/* n bytes at p lie in one readable range of the library. */
bool lm_module_holds (const LmModule *module, const void *p, size_t n);

/* p points into the library's own code. */
bool lm_module_is_code (const LmModule *module, uintptr_t p);

/* Text of the library: ends by NUL within `most` bytes inside its memory and is UTF-8. */
bool lm_module_text_ok (const LmModule *module, const char *text, size_t most);

#endif
