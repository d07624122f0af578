/* SPDX-License-Identifier: Apache-2.0 */
/* Address ranges of a loaded library from its program headers. */
#include "core/plugin/module.h"

#include <dlfcn.h>
#include <glib.h>
#include <link.h>
#include <string.h>

typedef struct Wanted {
  uintptr_t base;
  LmModule *module;
  bool found;
} Wanted;

static int
visit (struct dl_phdr_info *info, size_t size G_GNUC_UNUSED, void *user)
{
  Wanted *wanted = user;
  LmModule *m = wanted->module;

  if (info->dlpi_addr != wanted->base)
    return 0;
  for (ElfW (Half) i = 0; i < info->dlpi_phnum && m->n < LM_MODULE_MAX_RANGES; i++) {
    const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_R) == 0)
      continue;
    m->ranges[m->n].start = wanted->base + segment->p_vaddr;
    m->ranges[m->n].end = m->ranges[m->n].start + segment->p_memsz;
    m->ranges[m->n].code = (segment->p_flags & PF_X) != 0;
    m->n++;
  }
  wanted->found = true;
  return 1;
}

bool
lm_module_of (LmModule *module, void *handle)
{
  struct link_map *map = NULL;
  Wanted wanted = {0, module, false};

  memset (module, 0, sizeof *module);
  if (dlinfo (handle, RTLD_DI_LINKMAP, &map) != 0 || map == NULL)
    return false;
  wanted.base = map->l_addr;
  dl_iterate_phdr (visit, &wanted);
  return wanted.found;
}

bool
lm_module_holds (const LmModule *module, const void *p, size_t n)
{
  uintptr_t at = (uintptr_t)p;

  for (unsigned i = 0; i < module->n; i++)
    if (at >= module->ranges[i].start && at < module->ranges[i].end
        && n <= module->ranges[i].end - at)
      return true;
  return false;
}

bool
lm_module_is_code (const LmModule *module, uintptr_t p)
{
  for (unsigned i = 0; i < module->n; i++)
    if (module->ranges[i].code && p >= module->ranges[i].start && p < module->ranges[i].end)
      return true;
  return false;
}

bool
lm_module_text_ok (const LmModule *module, const char *text, size_t most)
{
  uintptr_t at = (uintptr_t)text;

  for (unsigned i = 0; i < module->n; i++)
    if (at >= module->ranges[i].start && at < module->ranges[i].end) {
      size_t room = MIN (most + 1, module->ranges[i].end - at);
      const char *end = memchr (text, '\0', room);
      return end != NULL && g_utf8_validate (text, end - text, NULL);
    }
  return false;
}
