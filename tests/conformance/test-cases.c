/* SPDX-License-Identifier: Apache-2.0 */
/* The generators: every row of the op table has cases, in every dtype that it takes, with every
 * attribute of its schema, over shapes with 0, 1 and many elements. */
#include "core/conformance/cases.h"
#include "core/host/host.h"
#include "core/ir/attr.h"
#include "core/ir/text.h"

#include <string.h>

/* What the cases of one check were seen to have. */
typedef struct Seen {
  guint cases, broken;
  bool empty, one, many;
  GHashTable *keys, *dtypes, *words; /* sets of char* */
  GString *bad;                      /* texts that no dtype makes a function of */
  GHashTable *texts;                 /* params + equations -> whether it parsed in some dtype */
} Seen;

static void
seen_init (Seen *s)
{
  memset (s, 0, sizeof *s);
  s->keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  s->dtypes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  s->words = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  s->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static void
seen_clear (Seen *s)
{
  g_hash_table_unref (s->keys);
  g_hash_table_unref (s->dtypes);
  g_hash_table_unref (s->words);
  g_hash_table_unref (s->texts);
}

static void
look_at (Seen *s, const LmFunction *f, int32_t op)
{
  for (uint32_t i = 0; i < f->ir.n_equations; i++) {
    const lam_equation *e = lam_equation_at (&f->ir, i);
    for (uint32_t k = 0; k < e->n_attrs && e->op == op; k++) {
      const lam_attr *a = lam_attr_at (&f->ir, e->first_attr + k);
      g_hash_table_add (s->keys, g_strdup (a->key));
      if (a->kind == LAM_ATTR_STR)
        g_hash_table_add (s->words, g_strdup (a->data));
    }
  }
  for (uint32_t v = 0; v < f->ir.n_values; v++) {
    int64_t n = lam_type_elements (lam_value_type (&f->ir, v));
    s->empty = s->empty || n == 0;
    s->one = s->one || n == 1;
    s->many = s->many || n > 1000;
  }
}

static void
take (LmCases *c, LmDraw draw, const char *other, const char *params, const char *equations)
{
  (void)draw;
  Seen *s = c->user;
  LmParsedCase parsed;
  char *text = g_strdup_printf ("%s | %s | %s", other != NULL ? other : "",
                                params != NULL ? params : "", equations);
  bool ok = lm_case_parse (c->check, params, equations, c->dtype, other, &parsed, NULL);
  bool before = GPOINTER_TO_INT (g_hash_table_lookup (s->texts, text)) == 2;
  g_hash_table_insert (s->texts, text, GINT_TO_POINTER (ok || before ? 2 : 1));
  c->number++;
  if (!ok)
    return;
  const LmOpInfo *info = lm_op_info_by_name (c->check);
  s->cases++;
  g_hash_table_add (s->dtypes, g_strdup (c->dtype));
  look_at (s, parsed.f, info != NULL ? info->number : LAM_OP_NONE);
  lm_parsed_case_clear (&parsed);
}

static void
generate (const char *check, Seen *s)
{
  LmCaseGenerator generator = lm_case_generator (check);
  seen_init (s);
  if (generator == NULL) {
    g_test_fail_printf ("%s has no cases", check);
    return;
  }
  LmCases c = {.check = check, .tables = lm_host_tables (), .take = take, .user = s};
  for (guint i = 0; lm_case_dtypes[i] != NULL; i++) {
    c.dtype = lm_case_dtypes[i];
    c.code = lm_dtype_from_name (c.dtype);
    generator (&c);
  }
}

/* A new row, or a new attribute, without cases fails here. */
static void
test_every_row (void)
{
  guint n;
  const LmOpInfo *ops = lm_op_table (&n);
  for (guint i = 0; i < n; i++) {
    Seen s;
    LmSchemaKey key;
    generate (ops[i].name, &s);
    g_test_message ("%s: %u cases, %u dtypes", ops[i].name, s.cases, g_hash_table_size (s.dtypes));
    g_assert_cmpuint (s.cases, >, 5);
    for (const char *cursor = ops[i].attrs; lm_schema_next (&cursor, &key);) {
      g_autofree char *name = g_strndup (key.key, key.key_len);
      if (!g_hash_table_contains (s.keys, name))
        g_test_fail_printf ("%s: no case has the attribute %s", ops[i].name, name);
    }
    seen_clear (&s);
  }
}

static void
test_shapes (void)
{
  guint n;
  const LmOpInfo *ops = lm_op_table (&n);
  for (guint i = 0; i < n; i++) {
    Seen s;
    generate (ops[i].name, &s);
    if (!s.empty || !s.one)
      g_test_fail_printf ("%s: no case has %s", ops[i].name, s.empty ? "one element" : "none");
    if (!s.many && ops[i].op_class != LM_CLASS_CONTROL && ops[i].op_class != LM_CLASS_CONTRACTION)
      g_test_fail_printf ("%s: no case has many elements", ops[i].name);
    seen_clear (&s);
  }
}

/* Grids of windows, where not every one fits, and all bits of narrow dtypes, which not every op takes. */
static bool
may_be_none (const char *text)
{
  return strstr (text, "window_dimensions") != NULL || strstr (text, "65536") != NULL;
}

/* Every text is a function in some dtype. */
static void
test_no_broken_text (void)
{
  g_autofree const char **checks = lm_conformance_checks ();
  for (guint i = 0; checks[i] != NULL; i++) {
    Seen s;
    GHashTableIter iter;
    gpointer text, state;
    guint broken = 0;
    if (g_strv_contains (lm_step_checks, checks[i]))
      continue;
    generate (checks[i], &s);
    g_hash_table_iter_init (&iter, s.texts);
    while (g_hash_table_iter_next (&iter, &text, &state))
      if (GPOINTER_TO_INT (state) == 1 && broken++ == 0 && !may_be_none (text))
        g_test_fail_printf ("%s: no function in any dtype: %s", checks[i], (char *)text);
    g_assert_cmpuint (2 * broken, <, g_hash_table_size (s.texts) + 1);
    seen_clear (&s);
  }
}

/* Floats alone, integers alone, all: as ops.def says. */
static void
test_dtypes (void)
{
  static const struct {
    const char *check;
    guint dtypes;
  } rows[] = {{"add", 13},           {"exponential", 4},     {"shift_left", 8},   {"and", 9},
              {"convert", 13},       {"dot_general", 12},    {"convolution", 12}, {"transpose", 13},
              {"reduce", 13},        {"sort", 13},           {"top_k", 12},       {"cumsum", 12},
              {"threefry2x32", 1},   {"is_finite", 4},       {"select", 13},      {"clamp", 12},
              {"dynamic_slice", 13}, {"reduce_precision", 4}};
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Seen s;
    generate (rows[i].check, &s);
    if (g_hash_table_size (s.dtypes) != rows[i].dtypes)
      g_test_fail_printf ("%s: cases in %u dtypes, wanted %u", rows[i].check,
                          g_hash_table_size (s.dtypes), rows[i].dtypes);
    seen_clear (&s);
  }
}

/* All values of the attributes that are words. */
static void
test_words (void)
{
  static const struct {
    const char *check;
    const char *words[7];
  } rows[] = {
      {"compare", {"EQ", "NE", "LT", "LE", "GT", "GE"}},
      {"reduce", {"add", "multiply", "maximum", "minimum", "and", "or"}},
      {"reduce_window", {"add", "multiply", "maximum", "minimum", "and", "or"}},
      {"reduce_window_arg", {"maximum", "minimum"}},
      {"gather", {"clip", "fill"}},
      {"scatter", {"add", "multiply", "minimum", "maximum", "update", "clip", "fill"}},
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Seen s;
    generate (rows[i].check, &s);
    for (guint k = 0; k < G_N_ELEMENTS (rows[i].words) && rows[i].words[k] != NULL; k++)
      if (!g_hash_table_contains (s.words, rows[i].words[k]))
        g_test_fail_printf ("%s: no case says %s", rows[i].check, rows[i].words[k]);
    seen_clear (&s);
  }
}

/* Each check says what it allows; only such checks are named that exist. */
static void
test_tolerances (void)
{
  g_autofree const char **checks = lm_conformance_checks ();
  guint n;
  lm_op_table (&n);
  g_assert_cmpuint (g_strv_length ((char **)(uintptr_t)checks), ==, n + 4);
  for (guint i = 0; checks[i] != NULL; i++) {
    const LmTolerance *t = lm_conformance_tolerance (checks[i]);
    g_assert_nonnull (t);
    g_assert_cmpuint (strlen (t->why), >, 20);
  }
  g_assert_null (lm_conformance_tolerance ("ad"));
  g_assert_cmpint (lm_rule_allow (lm_rule_of ("reduce"), "add"), ==, LM_ALLOW_SUM);
  g_assert_cmpint (lm_rule_allow (lm_rule_of ("reduce"), "multiply"), ==, LM_ALLOW_PRODUCT);
  g_assert_cmpint (lm_rule_allow (lm_rule_of ("reduce"), "maximum"), ==, LM_ALLOW_EQUAL);
  g_assert_cmpint (lm_rule_allow (lm_rule_of ("scatter"), NULL), ==, LM_ALLOW_SUM);
  g_assert_cmpint (lm_rule_allow (lm_rule_of ("gather"), NULL), ==, LM_ALLOW_BITS);
  g_assert_cmpint (lm_rule_of ("exponential")->allow, ==, LM_ALLOW_ULPS);
  g_assert_cmpint (lm_rule_of ("divide")->allow, ==, LM_ALLOW_EQUAL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conformance/cases/every_row", test_every_row);
  g_test_add_func ("/conformance/cases/shapes", test_shapes);
  g_test_add_func ("/conformance/cases/no_broken_text", test_no_broken_text);
  g_test_add_func ("/conformance/cases/dtypes", test_dtypes);
  g_test_add_func ("/conformance/cases/words", test_words);
  g_test_add_func ("/conformance/cases/tolerances", test_tolerances);
  return g_test_run ();
}
