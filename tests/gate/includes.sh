#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Who may include and call what: the ladder of core/, the borders of plugins/, sdk/ and tools/.
. "$(dirname "$0")/lib.sh"

ladder="base ir op transform trace archive plugin run model step program conformance host api"
libc='assert|complex|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|time'
system='dlfcn|immintrin|pthread|sched|signal|unistd|sys/mman|sys/syscall|sys/auxv'

# includes FOLDER ...: lines "file:number:<name>" or "file:number:"name"", one for each #include.
includes ()
{
  local files
  mapfile -t files < <(sources "$@")
  [ ${#files[@]} -gt 0 ] || return 0
  grep -HnE '^[[:space:]]*#[[:space:]]*include' "${files[@]}" |
    sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*/:/; s/([>"])[^>"]*$/\1/'
}

# calls REGEX FOLDER ...: the places, comments aside, where a word of this kind appears.
calls ()
{
  local regex=$1 files
  shift
  mapfile -t files < <(sources "$@")
  [ ${#files[@]} -gt 0 ] || return 0
  grep -HnE "$regex" "${files[@]}" | grep -vE ':[0-9]+:[[:space:]]*(/?\*|//)'
}

includes core | awk -v ladder="$ladder" '
  BEGIN { n = split (ladder, names, " "); for (i = 1; i <= n; i++) rank[names[i]] = i }
  {
    split ($0, part, ":"); split (part[1], from, "/")
    name = part[3]; gsub (/[<>"]/, "", name)
    if (!(from[2] in rank))
      print $0 ": core/" from[2] " is no step of the ladder"
    else if (name ~ /^core\//) {
      split (name, to, "/")
      if (rank[to[2]] > rank[from[2]] || !(to[2] in rank))
        print $0 ": core/" from[2] " is above core/" to[2]
    } else if (part[3] ~ /^"/)
      print $0 ": quoted includes start with core/"
  }' | report "core includes only upward on the ladder"

includes core | grep -E '[<"](kit|plugins|tools|tests)/' |
  report "core includes neither kit, plugins, tools nor tests"

includes plugins | grep -vE '^plugins/(backends|collectives)/' |
  grep -vE ":[0-9]+:(<lamina/[a-z0-9_/]+\.h>|<($libc)\.h>|\"[a-z0-9_]+\.(h|inc)\")$" |
  report "plugins include only the SDK, libc and their own headers"

includes plugins/backends plugins/collectives |
  grep -vE ":[0-9]+:(<(lamina|kit)/[a-z0-9_/]+\.(h|def)>|<($libc|$system)\.h>|\"[a-z0-9_]+\.(h|inc|def)\")$" |
  grep -v '^plugins/collectives/mpi_group\.h:[0-9]*:<mpi\.h>$' |
  report "backends and collectives include only the SDK, the kit, libc and their own headers"

includes sdk/lamina |
  grep -vE ':[0-9]+:<(lamina/[a-z0-9_/]+\.(h|def)|std(bool|def|int)\.h)>$' |
  report "SDK headers include only each other and stddef, stdint, stdbool"

# A quoted header is private to the kit, so only its sources may name it.
includes sdk/kit | grep -vE ":[0-9]+:<((lamina|kit)/[a-z0-9_/]+\.(h|def)|($libc|$system)\.h)>$" |
  grep -vE '\.c:[0-9]+:"[a-z0-9_]+\.h"$' | report "the kit includes only the SDK and libc"

includes tools | grep -E '[<"](core|lamina|kit|plugins|sdk|json-glib|archive)[/._]' |
  grep -vE '[<"]lamina\.h[>"]$' | report "tools see only lamina.h"

includes core plugins sdk tools | grep -E '<archive(_entry)?\.h>' | grep -v '^core/archive/' |
  report "libarchive only in core/archive"

includes core plugins sdk tools | grep -E '<(dlfcn|gmodule)\.h>' |
  grep -vE '^(core/plugin|plugins/backends)/' | report "dlfcn.h only in core/plugin and backends"

calls '\b(dlopen|dlmopen|dlsym|g_module_open)[[:space:]]*\(' core plugins sdk tools |
  grep -vE '^(core/plugin|plugins/backends)/' | report "dlopen only in core/plugin and backends"

calls '\bcblas_|openblas' core plugins sdk tools | grep -v '^plugins/backends/cpu/' |
  report "OpenBLAS only in plugins/backends/cpu"

# The arena ends the process when small metadata cannot be had, as g_malloc does.
calls '\b(g_print|g_printerr|f?printf|puts|putchar|perror|exit|_exit|abort|g_error|g_critical)[[:space:]]*\(' \
  core plugins sdk | grep -v '^core/base/arena\.c:.*g_error ("lm_arena_alloc' |
  report "the library and plugins never print, exit or abort"

plan
