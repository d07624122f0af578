/* SPDX-License-Identifier: Apache-2.0 */
/* The ordered pipeline from a traced function to the one that a backend compiles. */
#include "core/transform/transform.h"

typedef struct Stage {
  const char *name;                                         /* reported behind it; NULL: not */
  LmFunction *(*run) (const LmFunction *f, GError **error); /* NULL: legalize */
} Stage;

static LmFunction *
bucket (const LmFunction *f, GError **error)
{
  return lm_bucket (f, LM_BUCKET_BYTES, error);
}

static const Stage stages[] = {
    {"simplify", lm_simplify}, {"cse", lm_cse}, {"dce", lm_dce}, {"legalize", NULL},
    {NULL, lm_simplify},       {NULL, lm_cse},  {NULL, lm_dce},  {"final", bucket},
};

LmFunction *
lm_pipeline (const LmFunction *f, const LmClaims *claims, LmStageFn dump, gpointer user,
             GError **error)
{
  g_autoptr (LmFunction) at = lm_function_ref (f);

  if (dump != NULL)
    dump ("trace", at, user);
  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++) {
    const Stage *stage = &stages[i];
    LmFunction *next = stage->run != NULL ? stage->run (at, error)
                                          : lm_legalize (at, claims, claims->explain, error);
    if (next == NULL)
      return NULL;
    lm_function_unref (at);
    at = next;
    if (dump != NULL && stage->name != NULL)
      dump (stage->name, at, user);
  }
  return g_steal_pointer (&at);
}
