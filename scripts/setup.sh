# What has to be there before anything is built, as steps, for other scripts to source after step.sh.
step "Debian packages" scripts/system_packages requirements/debian.txt || finish
step "Python environment" scripts/python_env .venv requirements/jax.txt || finish
step "TensorFlow 2.13.1" scripts/tensorflow || finish
