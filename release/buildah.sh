# For scripts that build images with buildah, without a daemon; sourced. Builds are kept in a cache
# outside the tree, for one script at a time: call `lock_images` first.
# shellcheck shell=bash

images_cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}
mirror=${MINICLUSTER_DEBIAN_MIRROR:-http://deb.debian.org/debian}
export BUILDAH_ISOLATION=chroot  # works without systemd, and uses the host's network

lock_images() {
  mkdir -p "$images_cache"
  exec 9>"$images_cache/containers.lock"
  flock 9
}

run_buildah() {
  buildah --storage-driver overlay --root "$images_cache/containers" \
    --runroot "$images_cache/containers/run" "$@"
}

# With the lock. Removes what earlier builds have left: the containers of killed builds, and
# untagged stages and images, except the newest, which the next build reuses. A build leaves four or
# five, of up to 2 GB.
forget_old_images() {
  local -a old
  run_buildah rm --all >/dev/null
  mapfile -t old < <(run_buildah images --quiet --filter dangling=true | tail -n +17)
  [ "${#old[@]}" = 0 ] || run_buildah rmi "${old[@]}" >/dev/null
}

# base SUITE: docker.io/library/debian:SUITE-slim, the base image of the Dockerfiles, made once with
# debootstrap.
base() {
  local name=docker.io/library/debian:$1-slim root container
  [ -z "$(run_buildah images --quiet "$name" 2>/dev/null)" ] || return 0
  echo "making a Debian $1 (once; a minute) ..." >&2
  root=$(mktemp -d)
  debootstrap --variant=minbase "$1" "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log" >&2
    return 1
  }
  find "$root/var/cache/apt/archives" -name '*.deb' -delete
  container=$(run_buildah from scratch)
  tar -C "$root" --exclude './dev/*' -cf "$root.tar" .  # from a folder, all files would be owned by root
  run_buildah add --quiet "$container" "$root.tar" /
  run_buildah config --cmd /bin/bash "$container"
  run_buildah commit --quiet --rm "$container" "$name" >/dev/null
  rm -rf "$root" "$root.tar" "$root.log"
}

# image NAME:TAG SOURCE DOCKERFILE ARGUMENT...: builds localhost/NAME:TAG from the folder SOURCE.
image() {
  local name=$1 source=$2 file=$3 log
  shift 3
  log=$(mktemp)
  run_buildah bud --layers --file "$file" --tag "localhost/$name" "$@" "$source" \
    >"$log" 2>&1 </dev/null 9>&- || {  # processes that a step leaves running must not hold the lock
    tail -n 60 "$log" >&2
    echo "the image $name cannot be built; above is the end of what was said" >&2
    rm -f "$log"
    return 1
  }
  rm -f "$log"
}

# archive FORMAT NAME:TAG FILE: writes the image to FILE (FORMAT is docker-archive or oci-archive),
# only if it has changed.
archive() {
  local format=$1 name=$2 file=$3 id known
  known=$(dirname "$file")/.${file##*/}.id
  id=$(run_buildah inspect --type image --format '{{.FromImageID}}' "localhost/$name")
  [ ! -e "$file" ] || [ "$(cat "$known" 2>/dev/null)" != "$id" ] || return 0
  rm -f "$file"
  run_buildah push --quiet "localhost/$name" "$format:$file:localhost/$name" >/dev/null
  echo "$id" >"$known"
}
