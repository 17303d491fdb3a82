# What has to be there before anything is built, as steps, for other scripts to source after step.sh.
step "Debian packages" scripts/system_packages requirements/debian.txt || finish
step "Python environment" scripts/python_env .venv requirements/jax.txt || finish
step "TensorFlow 2.13.1" scripts/tensorflow || finish
# In processes that have JAX too, with callbridge (tests/genuine/test_import_orders.py).
tensorflow_environments() {
  local version
  for version in 2.13.1 2.21.0; do
    step "TensorFlow $version with JAX" scripts/python_env \
      "$CALLBRIDGE_CACHE/venv-tensorflow-$version" "requirements/tensorflow-$version.txt" || finish
  done
}
