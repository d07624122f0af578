# SPDX-License-Identifier: Apache-2.0
# core/api: the application API lamina.h.


# Installed as <lamina.h>.
include_HEADERS = %D%/lamina.h
