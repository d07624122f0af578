# SPDX-License-Identifier: Apache-2.0
# tools: the command-line program; each verb is one file in verb/.

dist_man_MANS = %D%/lamina.1
