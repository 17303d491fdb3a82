#!/bin/sh
# renamed_tensorflow.sh FROM TO: copies TensorFlow's two libraries under other names, in the file and in what refers to it.
# ld.so takes two libraries of one SONAME for one, so two TensorFlows in a process need that. The new names are as long as
# the old ones, so nothing in the files moves. Copies that are there are taken as they are.
set -eu
mkdir -p "$2"
for name in libtensorflow_cc libtensorflow_framework; do
  if [ "$2/$name-2.13" -nt "$1/$name.so.2" ]; then continue; fi
  part=$(mktemp "$2/XXXXXX")
  LC_ALL=C sed -E 's/(libtensorflow_(cc|framework))\.so\.2/\1-2.13/g' "$1/$name.so.2" > "$part"
  chmod 644 "$part"
  mv "$part" "$2/$name-2.13"
done
