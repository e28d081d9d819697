#!/bin/sh
# Usage: container.sh FOLDER LAYERS HOSTNAME WORKING_DIR ro|rw [SOURCE TARGET ro|rw]... -- COMMAND
# Runs COMMAND in a root of its own, which is mounted `ro` or `rw`: LAYERS, as overlay's lowerdir,
# with FOLDER for what is written. Must be the first process of new namespaces of mounts, processes
# and host names.
set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin
folder=$1 layers=$2 working_dir=$4 mode=$5
hostname "$3"
shift 5

mount --make-rprivate /
root=$folder/root
mount -t overlay -o "lowerdir=$layers,upperdir=$folder/upper,workdir=$folder/work" overlay "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$root/sys"
mount -t tmpfs -o nosuid,mode=0755 tmpfs "$root/dev"
for device in null zero full random urandom; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
mkdir "$root/dev/shm"
mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs "$root/dev/shm"

mkdir -p "$root$working_dir"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then
    mkdir -p "$root$2"
  elif [ ! -e "$root$2" ]; then
    mkdir -p "$(dirname "$root$2")"
    : >"$root$2"
  fi
  mount --bind -o "$3" "$1" "$root$2"
  shift 3
done
shift
mount -o "remount,bind,$mode" "$root"

# The old root is then below the new one, and "." is that.
cd "$root"
pivot_root . .
umount --no-canonicalize --lazy .
exec "$@"
