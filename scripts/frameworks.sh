# Other frameworks' environments, and the tests that run in them, for scripts to source that have step.sh.
mindspore=2.10.0
torch_releases=(2.4.0 2.15.0)
torch_xla_releases=(2.4 2.9)

# framework_environments: makes all of them. Fails if one cannot be had; the others are there then.
framework_environments() {
  local result=0 name
  for name in "mindspore-$mindspore" "${torch_releases[@]/#/torch-}" "${torch_xla_releases[@]/#/torch-xla-}"; do
    step "$name" scripts/python_env "$CALLBRIDGE_CACHE/venv-$name" "requirements/$name.txt" || result=1
  done
  return $result
}

# framework_tests JAX TESTS...: TESTS with MindSpore beside that JAX, and those of callbridge.torch and callbridge.torch_xla.
framework_tests() {
  step "AOT operators in MindSpore $mindspore" \
    env CALLBRIDGE_MINDSPORE_PYTHON="$CALLBRIDGE_CACHE/venv-mindspore-$mindspore/bin/python" scripts/pytest_on "$@"
  local release
  for release in "${torch_releases[@]}"; do
    step "callbridge.torch on PyTorch $release" scripts/pytest_in "$CALLBRIDGE_CACHE/venv-torch-$release" tests/torch
  done
  for release in "${torch_xla_releases[@]}"; do
    step "callbridge.torch_xla on PyTorch/XLA $release" \
      scripts/pytest_in "$CALLBRIDGE_CACHE/venv-torch-xla-$release" tests/torch_xla
  done
}
