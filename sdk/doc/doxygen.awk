# SPDX-License-Identifier: Apache-2.0
# What doxygen reads of a header: the headers say once what holds for several members, this says it
# for each. Lines keep their numbers.
#   uint32_t struct_size;            every growable struct has it (plugin.h, "Growth")
#   uint32_t reserved;               is 0
#   int64_t low, high; /**< text */  the text is that of both, as one in the lines before them is

function split_members (line,   at, text, type, names, n, i, out)
{
  text = above
  if ((at = index (line, "/**<")) > 0) {
    text = " " substr (line, at)
    line = substr (line, 1, at - 1)
  }
  sub (/;[ ]*$/, "", line)
  match (line, /^  (const )?[a-z0-9_]+ /)
  type = substr (line, 1, RLENGTH)
  n = split (substr (line, RLENGTH + 1), names, /, /)
  out = ""
  for (i = 1; i <= n; i++)
    out = out type names[i] ";" (names[i] ~ /^reserved/ ? " /**< 0 */" : i > 1 || at > 0 ? text : "")
  return out
}

/^  int64_t .*\[2 \* LAM_/ { gsub (/2 \* LAM_/, "2*LAM_") }
/^  (const )?[a-z0-9_]+ [a-z_0-9]+[^ ()]*(, [a-z_0-9]+[^ ()]*)+;( *\/\*\*<.*\*\/)?$/ {
  $0 = split_members ($0)
}
/^  uint32_t struct_size;/ { sub (/;/, "; /**< sizeof the struct, as who filled it knows it */") }
/^  u?int[0-9]+_t reserved[0-9]*;$/ { sub (/;/, "; /**< 0 */") }
{ print }

# The text of a comment that stands before a member.
/^  \/\*\*[^<]/ { above = ""; inside = 1 }
inside {
  part = $0
  sub (/^ *(\/\*\*|\*) ?/, "", part)
  sub (/ ?\*\/$/, "", part)
  above = above " " part
}
inside && /\*\/$/ { inside = 0; above = " /**<" above " */"; next }
!inside { above = "" }
