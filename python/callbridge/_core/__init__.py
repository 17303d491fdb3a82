"""The C API by ctypes, and what each face needs: shapes, call sites, options, targets, errors."""
