# SPDX-License-Identifier: Apache-2.0
# tests/bench: measurements, built by hand: make tests/bench/bench-X.

EXTRA_PROGRAMS = \
  %D%/bench-cpu \
  %D%/bench-peer \
  %D%/bench-passes
EXTRA_DIST += %D%/peer_project.py %D%/replicas.sh
