/* SPDX-License-Identifier: Apache-2.0 */
/* The reference page of the ops, made of the table, of the rules and of the examples. */
#include "tests/lib/opdoc.h"

#include "core/ir/rules.h"
#include "core/ir/text.h"

#include <string.h>

static const char *
class_title (LmOpClass class)
{
  static const char *const titles[] = {"Elementwise", "Constants, shapes and indices",
                                       "Reductions",  "Contractions",
                                       "Random bits", "Control",
                                       "Host",        "Replicas"};
  return titles[class];
}

/* --- dtypes: what the type rule accepts ------------------------------------------------------- */

static const lam_dtype every_dtype[] = {LAM_F64, LAM_F32, LAM_F16, LAM_BF16, LAM_I64,
                                        LAM_I32, LAM_I16, LAM_I8,  LAM_U64,  LAM_U32,
                                        LAM_U16, LAM_U8,  LAM_PRED};

/* Most operands, attributes and results of an example's equation. */
#define MOST 16

/* The operand whose dtype the op is about: not the choice of a select. */
static uint32_t
main_operand (const LmOpDoc *doc)
{
  return doc->info->number == LAM_OP_select ? 1 : 0;
}

/* The type rule's word on the example's equation with dtype `to` for that of the main operand
 * wherever it stands, and `stated` for the dtype of a stated result. */
static bool
accepts (const LmOpDoc *doc, lam_dtype to, lam_dtype stated)
{
  const lam_function *f = &doc->f->ir;
  const lam_equation *e = lm_op_doc_equation (doc);
  lam_type in[MOST], results[MOST], wanted = *lam_value_type (f, e->first_result);
  const lam_type *operands[MOST];
  lam_attr attrs[MOST];
  lam_dtype from = LAM_DTYPE_NONE;
  g_autoptr (GError) error = NULL;
  if (e->n_operands > 0)
    from = lam_value_type (f, lam_operand (f, e, main_operand (doc)))->dtype;
  for (uint32_t k = 0; k < e->n_operands; k++) {
    in[k] = *lam_value_type (f, lam_operand (f, e, k));
    in[k].dtype = in[k].dtype == from ? to : in[k].dtype;
    operands[k] = &in[k];
  }
  for (uint32_t i = 0; i < e->n_attrs; i++)
    attrs[i] = *lam_attr_at (f, e->first_attr + i);
  wanted.dtype = stated;
  LmTypeCtx c = {.info = doc->info,
                 .n_operands = e->n_operands,
                 .operands = operands,
                 .attrs = attrs,
                 .n_attrs = e->n_attrs,
                 .wanted = lm_op_has_flag (doc->info, 'T') ? &wanted : NULL,
                 .results = results,
                 .max_results = G_N_ELEMENTS (results),
                 .n_results = e->n_results,
                 .error = &error};
  return lm_infer_types (&c);
}

/* A stated result may be of any dtype; without operands it is what `to` means. */
static bool
accepts_somehow (const LmOpDoc *doc, lam_dtype to)
{
  if (lm_op_doc_equation (doc)->n_operands == 0)
    return accepts (doc, LAM_DTYPE_NONE, to);
  for (guint i = 0; i < G_N_ELEMENTS (every_dtype); i++)
    if (accepts (doc, to, every_dtype[i]))
      return true;
  return false;
}

/* The dtypes that the type rule accepts, as bits by their place in every_dtype. */
static uint32_t
accepted (const LmOpDoc *doc)
{
  uint32_t set = 0;
  for (guint i = 0; i < G_N_ELEMENTS (every_dtype); i++)
    if (accepts_somehow (doc, every_dtype[i]))
      set |= 1u << i;
  return set;
}

/* "floats, bool": whole groups by their name, the largest first, others dtype by dtype. */
static char *
dtypes_text (uint32_t set)
{
  static const struct {
    uint32_t set;
    const char *name;
  } groups[] = {{0x1fff, "any"},    {0x0fff, "numbers"},         {0x0ff0, "integers"},
                {0x000f, "floats"}, {0x00f0, "signed integers"}, {0x0f00, "unsigned integers"},
                {0x1000, "bool"}};
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if ((set & groups[i].set) == groups[i].set) {
      g_ptr_array_add (parts, (gpointer)groups[i].name);
      set &= ~groups[i].set;
    }
  for (guint i = 0; i < G_N_ELEMENTS (every_dtype); i++)
    if (set >> i & 1)
      g_ptr_array_add (parts, (gpointer)lam_dtype_name (every_dtype[i]));
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (", ", (char **)parts->pdata);
}

/* A constant's bytes and a region's parameters would have to change with the dtype: these two rows take
 * any, as their type rules show at a glance. */
static char *
dtypes_of (const LmOpDoc *doc)
{
  const lam_equation *e = lm_op_doc_equation (doc);
  if (e->op == LAM_OP_constant || e->op == LAM_OP_composite)
    return g_strdup ("any");
  if (e->n_operands == 0 && !lm_op_has_flag (doc->info, 'T'))
    return g_strdup (lam_dtype_name (lam_value_type (&doc->f->ir, e->first_result)->dtype));
  g_assert (e->n_operands <= MOST && e->n_attrs <= MOST && e->n_results <= MOST);
  return dtypes_text (accepted (doc));
}

/* --- one section ------------------------------------------------------------------------------ */

/* "2", "1 or more", "1 to 3". */
static char *
count_text (int32_t min, int32_t max)
{
  if (max < 0)
    return g_strdup_printf (min > 0 ? "%d or more" : "any number", min);
  return min == max ? g_strdup_printf ("%d", min) : g_strdup_printf ("%d to %d", min, max);
}

static void
append_facts (GString *out, const LmOpDoc *doc)
{
  const LmOpInfo *info = doc->info;
  const char *kind = lm_op_has_flag (info, 'M')   ? "mandatory"
                     : lm_op_has_flag (info, 'D') ? "derived"
                                                  : "claimed or inlined";
  g_autofree char *operands = count_text (info->min_operands, info->max_operands);
  g_autofree char *results = info->n_results < 0 ? g_strdup ("as many as it has")
                                                 : count_text (info->n_results, info->n_results);
  g_autofree char *dtypes = dtypes_of (doc);
  g_string_append_printf (out,
                          "| number | since | operands | results | dtypes | kind |\n"
                          "|---|---|---|---|---|---|\n"
                          "| %d | %d | %s | %s | %s | %s%s%s |\n\n",
                          info->number, info->since, operands, results, dtypes, kind,
                          lm_op_has_flag (info, 'C') ? ", commutative" : "",
                          lm_op_has_flag (info, 'T') ? ", result type stated" : "");
}

/* A table cell: "|" would end it. */
static void
append_cell (GString *out, const char *text)
{
  for (; *text != '\0'; text++)
    g_string_append_printf (out, *text == '|' ? "\\%c" : "%c", *text);
}

static void
append_attrs (GString *out, const LmOpDoc *doc)
{
  g_auto (GStrv) words = g_strsplit (doc->info->attrs, " ", -1);
  if (doc->info->attrs[0] == '\0')
    return;
  g_string_append (out, "| attribute | kind | default | meaning |\n|---|---|---|---|\n");
  for (guint i = 0; words[i] != NULL; i++) {
    gsize key = strcspn (words[i], ":"), kind = strcspn (words[i] + key + 1, "!=");
    const char *rest = words[i] + key + 1 + kind;
    const char *meaning = lm_op_doc_attr (doc, words[i], key);
    g_string_append_printf (out, "| `%.*s` | %.*s | ", (int)key, words[i], (int)kind,
                            words[i] + key + 1);
    g_string_append (out, *rest == '!' ? "required" : *rest == '=' ? rest + 1 : "absent");
    g_string_append (out, " | ");
    append_cell (out, meaning != NULL ? meaning : "");
    g_string_append (out, " |\n");
  }
  g_string_append_c (out, '\n');
}

/* Text as an indented block. */
static void
append_block (GString *out, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (lines[i][0] != '\0')
      g_string_append_printf (out, "    %s\n", lines[i]);
}

static void
append_example (GString *out, const LmOpDoc *doc)
{
  append_block (out, doc->code);
  for (guint i = 0; i < doc->values->len; i++)
    g_string_append_printf (out, "    # %s\n", (char *)g_ptr_array_index (doc->values, i));
  for (guint i = 0; i < doc->results->len; i++)
    g_string_append_printf (out, "    # => %s\n", (char *)g_ptr_array_index (doc->results, i));
  g_string_append_c (out, '\n');
}

/* What a backend gets that knows only the mandatory rows of minor 0. */
static bool
append_decomposition (GString *out, const LmOpDoc *doc, GError **error)
{
  const LmClaims none = {.ir_minor = 0};
  if (!lm_op_has_flag (doc->info, 'D'))
    return true;
  g_autoptr (LmFunction) plain = lm_legalize (doc->f, &none, NULL, error);
  if (plain == NULL)
    return false;
  g_autofree char *text = lm_text_print (plain);
  g_string_append (out, "A backend that does not claim it is shown the same function as\n\n");
  append_block (out, text);
  g_string_append_c (out, '\n');
  return true;
}

static bool
append_section (GString *out, const LmOpDoc *doc, GError **error)
{
  g_string_append_printf (out, "### %s\n\n%s\n\n", doc->info->name, doc->info->doc);
  append_facts (out, doc);
  append_attrs (out, doc);
  for (guint i = 0; i < doc->rules->len; i++)
    g_string_append_printf (out, "* %s\n", (char *)g_ptr_array_index (doc->rules, i));
  g_string_append_printf (out, "* Gradient: %s\n\n", doc->gradient != NULL ? doc->gradient : "");
  append_example (out, doc);
  return append_decomposition (out, doc, error);
}

/* --- the table of rules ----------------------------------------------------------------------- */

/* Whether the example's equation reaches the backend as it is. */
static const char *
support (const LmOpDoc *doc, const LmClaims *claims, GError **error)
{
  g_autoptr (LmFunction) f = lm_legalize (doc->f, claims, NULL, error);
  if (f == NULL)
    return NULL;
  for (uint32_t i = 0; i < f->ir.n_equations; i++)
    if (lam_equation_at (&f->ir, i)->op == doc->info->number)
      return "yes";
  return "decomposed";
}

static bool
append_row (GString *out, const LmOpDoc *doc, const LmOpDocBackend *backends, guint n,
            GError **error)
{
  const LmRules *rules = lm_rules (doc->info->number);
  bool region = doc->info->number == LAM_OP_composite; /* differentiated by core/transform */
  g_string_append_printf (out, "| [%s](#%s) | yes | %s | %s | %s | %s |", doc->info->name,
                          doc->info->name,
                          region               ? "region's"
                          : rules->vjp != NULL ? "yes"
                                               : "-",
                          rules->batch != NULL ? "yes" : "-", rules->fold != NULL ? "yes" : "-",
                          region                     ? "region"
                          : rules->decompose != NULL ? "yes"
                                                     : "-");
  for (guint i = 0; i < n; i++) {
    const char *word = support (doc, &backends[i].claims, error);
    if (word == NULL)
      return false;
    g_string_append_printf (out, " %s |", word);
  }
  g_string_append_c (out, '\n');
  return true;
}

static void
append_table_head (GString *out, const LmOpDocBackend *backends, guint n)
{
  g_string_append (
      out, "## Rules\n\n"
           "\"-\" under vjp: no gradient passes; under batching: no operand to batch; under\n"
           "fold: nothing to simplify exactly. A backend runs the op as it stands (yes) or\n"
           "is shown its decomposition.\n\n"
           "| op | type | vjp | batching | fold | decomposition |");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, " %s |", backends[i].name);
  g_string_append (out, "\n|---|---|---|---|---|---|");
  for (guint i = 0; i < n; i++)
    g_string_append (out, "---|");
  g_string_append_c (out, '\n');
}

static void
append_reserved (GString *out)
{
  static const char *const rows[] = {
#define LAM_OP_RESERVED(name, number) "`" #name "` (" #number ")",
#include <lamina/ops.def>
      NULL};
  g_autofree char *list = g_strjoinv (", ", (char **)rows);
  g_string_append_printf (out, "\nNumbers taken for rows to come: %s.\n", list);
}

/* --- the page --------------------------------------------------------------------------------- */

static GPtrArray *
read_all (GError **error)
{
  guint n;
  const LmOpInfo *rows = lm_op_table (&n);
  g_autoptr (GPtrArray) docs = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_op_doc_free);
  for (guint i = 0; i < n; i++) {
    LmOpDoc *doc = lm_op_doc_read (LM_OP_DOC_FOLDER, &rows[i], error);
    if (doc == NULL)
      return NULL;
    g_ptr_array_add (docs, doc);
    if (lm_op_doc_equation (doc) == NULL) {
      g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "sdk/doc/ops/%s.lir has no equation of %s",
                   rows[i].name, rows[i].name);
      return NULL;
    }
  }
  return g_steal_pointer (&docs);
}

static bool
append_head (GString *out, GError **error)
{
  const char *tree = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *path =
      g_build_filename (tree != NULL ? tree : ".", LM_OP_DOC_FOLDER, "head.md", NULL);
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, error))
    return false;
  g_string_append (out, text);
  return true;
}

char *
lm_op_page (const LmOpDocBackend *backends, guint n_backends, GError **error)
{
  g_autoptr (GPtrArray) docs = read_all (error);
  g_autoptr (GString) out = g_string_new (NULL);
  int class = -1;
  if (docs == NULL || !append_head (out, error))
    return NULL;
  for (guint i = 0; i < docs->len; i++) {
    const LmOpDoc *doc = g_ptr_array_index (docs, i);
    if ((int)doc->info->op_class != class)
      g_string_append_printf (out, "\n## %s\n\n", class_title (doc->info->op_class));
    class = (int)doc->info->op_class;
    if (!append_section (out, doc, error))
      return NULL;
  }
  append_table_head (out, backends, n_backends);
  for (guint i = 0; i < docs->len; i++)
    if (!append_row (out, g_ptr_array_index (docs, i), backends, n_backends, error))
      return NULL;
  append_reserved (out);
  return g_string_free (g_steal_pointer (&out), FALSE);
}
