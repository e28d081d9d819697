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
# untagged stages and images that are older than a day, or not among the newest 60. The others save
# time: a stage that the next build takes as it is, such as one with packages, does not become newer by
# that. They share most of their size, which is up to 2 GB.
forget_old_images() {
  local yesterday
  local -a old
  run_buildah rm --all >/dev/null
  yesterday=$(date --utc --date='1 day ago' '+%F %T')
  mapfile -t old < <(run_buildah images --filter dangling=true --format '{{.CreatedAtRaw}}|{{.ID}}' |
    sort --reverse | awk -F '|' -v yesterday="$yesterday" 'NR > 60 || $1 < yesterday { print $2 }')
  [ "${#old[@]}" = 0 ] || run_buildah rmi "${old[@]}" >/dev/null
}

# base SUITE [SECONDS]: docker.io/library/debian:SUITE-slim, the base image of the Dockerfiles, made
# with debootstrap: once, or again if it is older than SECONDS.
base() {
  local name=docker.io/library/debian:$1-slim oldest=${2-} made
  made=$(run_buildah inspect --type image --format '{{.OCIv1.Created.Unix}}' "$name" 2>/dev/null) || made=
  if [ -z "$made" ] || { [ -n "$oldest" ] && [ $(($(date +%s) - made)) -gt "$oldest" ]; }; then
    make_base "$1" "$name"
  fi
}

# make_base SUITE NAME. The end of the subshell removes the files, also after a failure or Ctrl-C.
make_base() (
  work=$(mktemp -d)
  trap 'rm -rf --one-file-system "$work"' EXIT  # without what a killed debootstrap leaves mounted
  echo "making a Debian $1 (a minute) ..." >&2
  debootstrap --variant=minbase "$1" "$work/tree" "$mirror" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" >&2
    exit 1
  }
  find "$work/tree/var/cache/apt/archives" -name '*.deb' -delete
  # From a folder, all files would be owned by root.
  tar -C "$work/tree" --exclude './dev/*' -cf "$work/tree.tar" .
  container=$(run_buildah from scratch)
  run_buildah add --quiet "$container" "$work/tree.tar" /
  run_buildah config --cmd /bin/bash "$container"
  run_buildah commit --quiet --rm "$container" "$2" >/dev/null
)

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

# program_image PROGRAM ARCHITECTURE SOURCE VERSION REVISION: builds localhost/PROGRAM:VERSION-ARCHITECTURE,
# the image of one of our programs, from the tree SOURCE. The libraries in it are Debian's of today:
# neither the base nor a layer of an earlier build may be older than a day.
program_image() {
  local file=$3/Dockerfile.${1#minicluster-} native
  [ "$1" != kubectl-minicluster ] || file=$3/Dockerfile.plugin
  native=linux/$(dpkg --print-architecture)
  base bookworm $((24 * 60 * 60))
  image "$1:$4-$2" "$3" "$file" --platform "linux/$2" --build-arg "BUILDPLATFORM=$native" --cache-ttl 24h \
    --build-arg DEBIAN=bookworm --build-arg "VERSION=$4" --build-arg "REVISION=$5"
}

# in_root NAME:TAG ARCHITECTURE COMMAND...: runs COMMAND in the root of localhost/NAME:TAG, as a folder.
in_root() {
  local container root status=0
  container=$(run_buildah from --pull-never --arch "$2" "localhost/$1")
  root=$(run_buildah mount "$container")
  (cd "$root" && exec "${@:3}") || status=$?
  run_buildah rm "$container" >/dev/null
  return "$status"
}

# archive FORMAT NAME:TAG FILE [NAME:TAG...]: writes to FILE (FORMAT is docker-archive or oci-archive) the
# image of the same name, or as this name the last ones: an index if there are several. Only if they
# have changed.
archive() {
  local format=$1 name=$2 file=$3 ids known image
  shift 3
  [ $# -gt 0 ] || set -- "$name"
  known=$(dirname "$file")/.${file##*/}.id
  ids=$(for image; do run_buildah inspect --type image --format '{{.FromImageID}}' "localhost/$image" || exit; echo; done)
  [ ! -e "$file" ] || [ "$(cat "$known" 2>/dev/null)" != "$ids" ] || return 0
  rm -f "$file"
  if [ $# = 1 ]; then
    run_buildah push --quiet "localhost/$1" "$format:$file:localhost/$name" >/dev/null
  else
    index "$name" "$format:$file:localhost/$name" "$@"
  fi
  echo "$ids" >"$known"
}

# index NAME:TAG DESTINATION NAME:TAG...: writes an index of the last ones. It does not stay in the cache,
# whose images cannot be listed once one that an index names has been removed.
index() {
  local list=localhost/$1-index destination=$2
  shift 2
  run_buildah manifest create "$list" "${@/#/localhost/}" >/dev/null
  run_buildah manifest push --quiet --all --rm "$list" "$destination" >/dev/null
}
