#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the shared objects export: liblamina its own prefix, a plugin one symbol.
. "$(dirname "$0")/lib.sh"
command -v nm >/dev/null || { echo "1..0 # SKIP no nm (Debian package binutils)"; exit 0; }

# The address sanitizer adds markers for exported data.
exports ()
{
  nm -D --defined-only "$1" | awk '{ print $NF }' | grep -v '^__odr_asan'
}

library=$builddir/.libs/liblamina.so
exports "$library" | grep -v '^lamina_' | report "liblamina exports only lamina_*"
{ exports "$library" | grep -q '^lamina_' || echo "no symbol lamina_*"; } |
  report "liblamina exports the application API"

for plugin in "$builddir"/plugin-dir/*.so; do
  exports "$plugin" | grep -vx lam_plugin_entry_v1 | sed "s|^|$(basename "$plugin"): exports |"
  exports "$plugin" | grep -qx lam_plugin_entry_v1 || 
    echo "$(basename "$plugin"): lam_plugin_entry_v1 is missing"
done | report "each plugin exports exactly lam_plugin_entry_v1"

for plugin in "$builddir"/plugin-dir/*.so; do
  nm -D --undefined-only "$plugin" | awk '{ print $NF }' | grep -E '^(g_|lm_|lamina_)' |
    sed "s|^|$(basename "$plugin"): imports |"
done | report "no plugin imports GLib or Lamina"

plan
