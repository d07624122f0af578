# SPDX-License-Identifier: Apache-2.0
# tests/fuzz: each fuzz-X.c defines LLVMFuzzerTestOneInput. "make check" replays corpus/X through
# the driver; "make fuzz" builds the same sources with libFuzzer (needs clang) in fuzz/.

fuzz_programs = \
  %D%/fuzz-config \
  %D%/fuzz-csv \
  %D%/fuzz-elf \
  %D%/fuzz-idx \
  %D%/fuzz-npy \
  %D%/fuzz-params \
  %D%/fuzz-safetensors \
  %D%/fuzz-tar \
  %D%/fuzz-tensors \
  %D%/fuzz-text \
  %D%/fuzz-zip

check_PROGRAMS += $(fuzz_programs)

# The driver has a main (); the linker takes it from the archive only where a program has none.
tests_lib_libtest_a_SOURCES += %D%/driver.c

EXTRA_DIST += %D%/corpus %D%/input.h

fuzz:
	bash $(srcdir)/build-aux/fuzz-build $(srcdir) fuzz '$(CLANG)' $(DEFS) $(AM_CPPFLAGS) -- \
	  $(DEPS_LIBS) -- $(core_sources) -- $(fuzz_programs)
.PHONY: fuzz
