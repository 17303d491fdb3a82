"""The C API by ctypes, and what each face needs: shapes, operands, attributes, targets, errors."""
