#!/usr/bin/env bash
# Usage: image-root.sh PROGRAM FOLDER
# Creates in FOLDER the root of an image that runs PROGRAM: the stripped program, its shared
# libraries and their loader, a passwd with its user, and in usr/share the licences
# (doc/PACKAGE/copyright) and an SBOM (sbom/PROGRAM.spdx.json, SPDX 2.3). Run it on the Debian that
# PROGRAM was built on, also if that was for arm64 on another architecture.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1 folder=$2
name=$(basename "$program")

# libraries_of PROGRAM: the paths of all its libraries and of their loader.
libraries_of() {
  if [ -z "$cross" ]; then
    ldd "$1" | grep -o '/[^ ]*'
  else
    "${cross}readelf" --program-headers "$1" | sed -n 's/.*program interpreter: \(.*\)]/\1/p'
    needed_by "$1"
  fi
}

# needed_by FILE: what ldd would say of a FILE for another architecture, with Debian's folders.
declare -A seen=()
needed_by() {
  local name library
  for name in $("${cross}readelf" --dynamic "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)]/\1/p'); do
    [ -z "${seen[$name]-}" ] || continue
    seen[$name]=yes
    library=$(find "/lib/${cross%-}" "/usr/lib/${cross%-}" -maxdepth 1 -name "$name" -print -quit)
    [ -n "$library" ] || {
      echo "image-root.sh: no library $name for $1" >&2
      return 1
    }
    [[ $name == ld-linux* ]] || echo "$library"
    needed_by "$library"
  done
}

# The package of a file, with its architecture if several can be installed. dpkg lists the file with or
# without the leading /usr, and diversions of it, which belong to no package, under one of both.
package_of() {
  { dpkg-query -S "$1" "$(realpath "$1")" "/usr$1" "${1#/usr}" 2>/dev/null || true; } |
    sed -n '/^diversion /!{s/: .*//p;q}'
}

mkdir -p "$folder/etc" "$folder/usr/share/sbom"
cross=
machine=$(od -A n -t u1 -j 18 -N 1 "$program")  # in the ELF header; 183 is AArch64
if [ "$(dpkg --print-architecture)" != arm64 ] && [ "$machine" -eq 183 ]; then
  cross=aarch64-linux-gnu-
fi
install -m 0755 -s --strip-program="${cross}strip" "$program" "$folder/$name"
libraries=$(libraries_of "$program")
mapfile -t libraries <<<"$libraries"
cp -L --parents "${libraries[@]}" "$folder"
echo 'nonroot:x:65532:65532:nonroot:/nonexistent:/sbin/nologin' >"$folder/etc/passwd"
echo 'nonroot:x:65532:' >"$folder/etc/group"

# Header-only libraries, which are compiled into the program.
packages=(nlohmann-json3-dev libcli11-dev libtomlplusplus-dev)
for library in "${libraries[@]}"; do
  package=$(package_of "$library")
  [ -n "$package" ] || {
    echo "image-root.sh: no package owns $library" >&2
    exit 1
  }
  packages+=("$package")
done
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
for package in "${packages[@]}"; do
  cp -L --parents "/usr/share/doc/${package%:*}/copyright" "$folder"
done
install -D -m 0644 "$here/../LICENSE" "$folder/usr/share/doc/$name/copyright"
version=$("$here/../release/version.sh")
dpkg-query -W -f '${source:Package}\t${source:Version}\t${Package}\t${Version}\t${Architecture}\t${Homepage}\n' \
  "${packages[@]}" |
  jq -Rn --arg name "$name" --arg version "$version" --arg sum "$(sha256sum <"$folder/$name" | cut -c1-64)" \
    --arg debian "$(. /etc/os-release && echo "$VERSION_CODENAME")" \
    --arg created "$(date -u +%Y-%m-%dT%H:%M:%SZ)" -f "$here/sbom.jq" \
    >"$folder/usr/share/sbom/$name.spdx.json"
