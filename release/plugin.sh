#!/usr/bin/env bash
# Usage: plugin.sh ROOT FILE
# Packs FILE, a tar.gz, from ROOT, what cmake/image-root.sh makes of kubectl-minicluster:
#   bin/kubectl-minicluster, and links to it for kubectl's plugins and completion
#   lib/kubectl-minicluster/   its libraries except glibc, which the program finds there
#   share/kubectl-minicluster/ their licences, and the SBOM
# Unpacked into a folder such as /usr/local it runs on Debian 12 and on systems with a newer glibc.
set -euo pipefail
root=${1:?usage: plugin.sh ROOT FILE} file=${2:?usage: plugin.sh ROOT FILE}
name=kubectl-minicluster
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 0755 "$tree"

install -D -m 0755 "$root/$name" "$tree/bin/$name"
for link in kubectl-mc kubectl_complete-minicluster kubectl_complete-mc; do
  ln -s "$name" "$tree/bin/$link"
done

# glibc is of one piece with the system: its loader, and what names and locales need.
is_of_glibc() {
  case $1 in
    ld-linux*.so.* | libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.*) return 0 ;;
  esac
  return 1
}
mkdir -p "$tree/lib/$name" "$tree/share/$name"
find "$root" -name '*.so*' -type f | while read -r library; do
  is_of_glibc "$(basename "$library")" || install -m 0644 "$library" "$tree/lib/$name"
done
cp -r "$root/usr/share/doc" "$tree/share/$name/licences"
cp "$root/usr/share/sbom/$name.spdx.json" "$tree/share/$name/"
tar -C "$tree" --owner=0 --group=0 --sort=name -czf "$file" bin lib share
