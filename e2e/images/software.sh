#!/bin/sh
# Usage: software.sh PROGRAM FOLDER
# Copies PROGRAM to FOLDER/bin and the libraries that it needs to FOLDER/lib, except the C library,
# which the image that runs it provides.
set -eu
mkdir -p "$2/bin" "$2/lib"
install -s "$1" "$2/bin/"
ldd "$1" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' |
  grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv)\.so' | xargs cp -L -t "$2/lib"
