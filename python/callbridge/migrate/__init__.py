"""`callbridge migrate`: a codemod from custom calls of the untyped ABIs to typed FFI.

C++ by libclang: _translation_unit, _abi_rows, _targets, _exports. Python by libcst: _python_code,
of which _python_imports, _custom_calls (with _operands), _ffi_call and _translation_rules
are parts.
Both are imported by the command alone (_command), so that the package needs neither.
"""
