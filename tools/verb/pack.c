/* SPDX-License-Identifier: Apache-2.0 */
/* lamina pack: a folder as one archive file. */
#include "tools/common.h"

#include <stdio.h>

static int
run (int argc, char **argv)
{
  gboolean force = FALSE;
  GError *error = NULL;
  int status;
  const GOptionEntry own[] = {
      {"force", 'f', 0, G_OPTION_ARG_NONE, &force, "Overwrite the archive", NULL}, {0}};
  const ToolParse parse = {
      .arguments = "FOLDER ARCHIVE",
      .summary = "Packs a model folder into one file. An unpacked archive gives the same bytes "
                 "again; of a project, shared objects in plugins/<platform>/ are described by what "
                 "they say of themselves, and other archives in it stay out.",
      .description = "Examples:\n"
                     "  mkdir -p my-model/plugins/x86_64-linux-gnu\n"
                     "  cp acme.so my-model/plugins/x86_64-linux-gnu/\n"
                     "  lamina pack my-model my-model.lam",
      .own = own,
      .min = 2,
      .max = 2};
  if (!tool_parse (&parse, &argc, &argv, &status))
    return status;
  if (!lamina_archive_pack (argv[1], argv[2], force, &error))
    return tool_fail (error);
  printf ("packed %s\n", argv[2]);
  return TOOL_OK;
}

const LaminaVerb lamina_verb_pack = {"pack", "pack a folder into an archive", run};
