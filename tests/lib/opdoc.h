/* SPDX-License-Identifier: Apache-2.0 */
/* The reference of ops: sdk/doc/ops/NAME.lir (an example in the text form with what ops.def has no room
 * for in its comments) and the page that is made of them and of the op table.
 *
 * A file is the function, with lines before it
 *   # attr KEY: what it means      one for each key of the row
 *   # rule: our rule               where StableHLO leaves one open, any number
 *   # gradient: one line           "none ..." if the op has no vjp rule
 * and lines behind it, elements as in a constant's value
 *   # %x = [1.0, 2.0]              one for each parameter, in order
 *   # => [3.0]                     one for each result
 */
#ifndef LM_TESTS_LIB_OPDOC_H
#define LM_TESTS_LIB_OPDOC_H

#include "core/base/array.h"
#include "core/ir/ir.h"
#include "core/transform/transform.h"

typedef struct LmOpDoc {
  const LmOpInfo *info;
  char *code;         /* the function's text */
  LmFunction *f;      /* it, parsed and verified */
  GPtrArray *attrs;   /* of char *: "KEY: meaning" */
  GPtrArray *rules;   /* of char * */
  char *gradient;     /* NULL if there is none */
  GPtrArray *values;  /* of char *: "%x = [1.0, 2.0]" */
  GPtrArray *results; /* of char *: "[3.0]" */
} LmOpDoc;

#define LM_OP_DOC_FOLDER "sdk/doc/ops"

/* Reads $LAMINA_SRCDIR/<folder>/NAME.lir. Errors name file and line. */
LmOpDoc *lm_op_doc_read (const char *folder, const LmOpInfo *info, GError **error);
void lm_op_doc_free (LmOpDoc *doc); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmOpDoc, lm_op_doc_free)

/* What is said of attribute `key`, or NULL. */
const char *lm_op_doc_attr (const LmOpDoc *doc, const char *key, gsize key_len);

/* The example's first equation of the op, or NULL. */
const lam_equation *lm_op_doc_equation (const LmOpDoc *doc);

/* Elements "[1.0, 2.0]" as an array of a type, read as the text form reads them. */
LmArray *lm_op_doc_value (const lam_type *type, const char *elements, GError **error);

/* One column of the table of rules: a backend's name and what it claims. */
typedef struct LmOpDocBackend {
  const char *name;
  LmClaims claims;
} LmOpDocBackend;

/* The whole page in Markdown. */
char *lm_op_page (const LmOpDocBackend *backends, guint n_backends, GError **error);

#endif
