/* SPDX-License-Identifier: Apache-2.0 */
/* One verb of the program: tools/verb/<name>.c defines `const LaminaVerb lamina_verb_<name>`. The list
 * of all is made from the file names (tools/list-verbs.sh). */
#ifndef LAMINA_TOOLS_VERB_H
#define LAMINA_TOOLS_VERB_H

typedef struct LaminaVerb {
  const char *name, *summary;
  int (*run) (int argc, char **argv); /* argv[0] is "lamina NAME"; returns the exit status */
} LaminaVerb;

#endif
