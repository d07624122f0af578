/* SPDX-License-Identifier: Apache-2.0 */
/* lamina unpack: an archive file as a folder. */
#include "tools/common.h"

#include <stdio.h>

static int
run (int argc, char **argv)
{
  GError *error = NULL;
  int status;
  const ToolParse parse = {
      .arguments = "ARCHIVE FOLDER",
      .summary =
          "Unpacks an archive into a new folder, which works as the archive does. Nothing is "
          "written outside of it.",
      .description = "Examples:\n"
                     "  lamina unpack m.lam m\n"
                     "  lamina pack m m-again.lam   (the same bytes)",
      .min = 2,
      .max = 2};
  if (!tool_parse (&parse, &argc, &argv, &status))
    return status;
  if (!lamina_archive_unpack (argv[1], argv[2], &error))
    return tool_fail (error);
  printf ("unpacked into %s\n", argv[2]);
  return TOOL_OK;
}

const LaminaVerb lamina_verb_unpack = {"unpack", "unpack an archive into a folder", run};
