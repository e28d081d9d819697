#!/usr/bin/env bash
# Usage: build.sh [--core | --source]
# Prints a folder with Flux, Fluxion and flux-pmix, built from source once and kept in a cache outside
# the tree. With --core it is enough that the folder has Flux, with its own simple scheduler: builds
# without the others, which are most of the work, unless the folder with all of them is there.
#   opt/software  flux, its Python, and all libraries of all except the C library; runs in any image
#                 of this Debian, at this path
#   opt/view      links into it, laid out like the public Flux views
# The source is flux-core.tar.xz, flux-sched.tar.xz and flux-pmix.tar.xz in the folder
# MINICLUSTER_FLUX_SOURCE, or the tags below, from git. Exits 3 with a message if the source of Flux
# or Fluxion is not available; without that of flux-pmix, it builds the others, and says so. --source
# finds out whether --core would exit 3, and does nothing. Needs root: it installs packages
# (packages.sh --flux) and builds in its own mount namespace, where /opt is the folder.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${MINICLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/minicluster-operator}
core_version=0.88.0 sched_version=0.54.0 pmix_version=0.7.0
forge=https://github.com/flux-framework
has_pmix() {
  [ -z "${MINICLUSTER_FLUX_SOURCE-}" ] || [ -r "$MINICLUSTER_FLUX_SOURCE/flux-pmix.tar.xz" ]
}
all=(core sched)
! has_pmix || all+=(pmix)
parts=("${all[@]}")

# folder_of PART...: the folder for these parts; its name has the key of everything that it depends on.
folder_of() {
  local key part
  key=$({
    cat "$here/build.sh" /etc/debian_version
    for part; do
      [ -z "${MINICLUSTER_FLUX_SOURCE-}" ] || cat "$MINICLUSTER_FLUX_SOURCE/flux-$part.tar.xz"
    done
  } | sha256sum | cut -c1-16)
  [ $# -gt 1 ] || key=$1-$key
  echo "$cache/flux-$key"
}

no_source() {
  echo "build.sh: no source of Flux: $1" >&2
  exit 3
}
find_source() {
  local part file
  if [ -n "${MINICLUSTER_FLUX_SOURCE-}" ]; then
    for part in "${parts[@]}"; do
      file=$MINICLUSTER_FLUX_SOURCE/flux-$part.tar.xz
      [ -r "$file" ] || no_source "MINICLUSTER_FLUX_SOURCE is set and there is no $file"
    done
  else
    timeout 20 git ls-remote --exit-code --quiet "$forge/flux-core.git" "v$core_version" \
      >/dev/null 2>&1 || no_source "MINICLUSTER_FLUX_SOURCE is not set and $forge cannot be reached"
  fi
}

# unpack NAME VERSION: unpacks its source to the folder NAME.
unpack() {
  if [ -n "${MINICLUSTER_FLUX_SOURCE-}" ]; then
    tar -xf "$MINICLUSTER_FLUX_SOURCE/$1.tar.xz"
  else
    git clone --quiet --depth 1 --branch "v$2" "$forge/$1.git" "$1"
  fi
}

# Runs in the namespace, as `build.sh inside FOLDER PART...`; installs everything in /opt.
build_core() {
  (
    cd flux-core
    export FLUX_VERSION=$core_version
    ./autogen.sh
    ./configure --prefix=/opt/software/flux --disable-docs --disable-static \
      --without-flux-security PYTHON=/usr/bin/python3 CFLAGS=-O2 CXXFLAGS=-O2
    # The bundled interpreter, not the image's.
    sed -i 's|^#define PYTHON_INTERPRETER .*|#define PYTHON_INTERPRETER "/opt/software/python/bin/python3"|' \
      config/config.h
    make -j"$(nproc)"
    make install
  )
}

build_sched() {
  (
    cd flux-sched
    export FLUX_SCHED_VERSION=$sched_version
    export PKG_CONFIG_PATH=/opt/software/flux/lib/pkgconfig
    cmake -B build -GNinja -DCMAKE_BUILD_TYPE=Release -DENABLE_DOCS=OFF \
      -DCMAKE_INSTALL_PREFIX=/opt/software/flux
    cmake --build build
    cmake --install build
  )
}

build_pmix() {
  (
    cd flux-pmix
    # Its own configure.ac asks a git repository for the version; an archive is none.
    sed -i "s/m4_esyscmd(\[git describe .*/[$pmix_version])/" configure.ac
    ./autogen.sh
    ./configure PKG_CONFIG_PATH=/opt/software/flux/lib/pkgconfig --prefix=/opt/software/flux \
      --disable-static --without-openmpi CFLAGS=-O2
    make -j"$(nproc)"
    make install
  )
}

# Debian's Python with the modules that Flux imports. It finds its library relative to itself.
copy_python() {
  local version to=/opt/software/python module
  version=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
  mkdir -p $to/bin $to/lib/python3/dist-packages
  cp "$(readlink -f /usr/bin/python3)" "$to/bin/$version"
  ln -s "$version" $to/bin/python3
  cp -RL "/usr/lib/$version" $to/lib/
  rm -rf "$to/lib/$version"/{test,config-*,idlelib,tkinter,ensurepip}
  for module in cffi _cffi_backend yaml _yaml ply jsonschema attr attrs pyrsistent pycparser \
    referencing rpds jsonschema_specifications; do
    cp -R /usr/lib/python3/dist-packages/"$module"* $to/lib/python3/dist-packages/ 2>/dev/null || true
  done
}

elf_files() {
  # shellcheck disable=SC2016 # the inner shell expands it
  find /opt/software -type f ! -name '*.o' ! -name '*.a' -print0 |
    xargs -0 sh -c 'for f; do head -c 4 "$f" | grep -q ELF && echo "$f"; done; true' sh
}

# Copies every library except the C library's, so that it is found there.
copy_libraries() {
  local libc='/(ld-linux[^/]*|lib(c|m|dl|pthread|rt|resolv|util|nss_[a-z]*|anl))\.so'
  mkdir -p /opt/software/lib
  elf_files | xargs ldd 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u |
    grep -vE "$libc|^/opt/" | xargs cp -Lf -t /opt/software/lib
  elf_files | while IFS= read -r file; do
    patchelf --force-rpath --set-rpath /opt/software/lib:/opt/software/flux/lib "$file"
  done
}

# As in spack's images: a link to a folder of links.
make_view() {
  local view=/opt/views/._view/flux part
  mkdir -p $view
  for part in bin lib libexec share etc include; do
    [ ! -d "/opt/software/flux/$part" ] || cp -Rs "/opt/software/flux/$part" $view/
  done
  ln -s "$(realpath --relative-to=/opt $view)" /opt/view
}

# The source is also below /opt: with a constant path, the compiler cache works.
inside() {
  local folder=$1 part version
  shift
  mkdir "$folder/opt/source"
  cd "$folder/opt/source"
  for part; do
    version=${part}_version
    unpack "flux-$part" "${!version}"
  done
  mount --make-rprivate /
  mount --bind "$folder/opt" /opt
  cd /opt/source
  for part; do "build_$part"; done
  copy_python
  copy_libraries
  make_view
  cd /
  rm -rf /opt/source
  # Last, because compiled files are valid only for the current modification time of their source.
  /opt/software/python/bin/python3 -m compileall -q /opt/software/python /opt/software/flux || true
}

case ${1-} in
  '') ;;
  --core | --source) parts=(core) ;;
  inside)
    shift
    inside "$@"
    exit
    ;;
  *)
    echo "usage: build.sh [--core | --source]" >&2
    exit 2
    ;;
esac

if [ -n "${MINICLUSTER_FLUX_SOURCE-}" ]; then
  MINICLUSTER_FLUX_SOURCE=$(realpath -m "$MINICLUSTER_FLUX_SOURCE")
  export MINICLUSTER_FLUX_SOURCE
  find_source
fi
folder=$(folder_of "${parts[@]}")
# choose: the folder with all of them if it is there.
choose() {
  local whole
  whole=$(folder_of "${all[@]}" 2>/dev/null) || true
  [ ! -e "$whole" ] || folder=$whole
}
choose
if [ "${1-}" = --source ]; then
  [ -e "$folder" ] || find_source
  exit
fi
mkdir -p "$cache"
(
  flock --nonblock 9 || {
    echo "waiting for a build of Flux ..." >&2
    flock 9
  }
  choose  # again, as a build of it may have ended meanwhile
  [ -e "$folder" ] || {
    find_source
    "$here/../../packages.sh" --flux >&2
    has_pmix || echo "build.sh: there is no $MINICLUSTER_FLUX_SOURCE/flux-pmix.tar.xz: a Flux without PMIx" >&2
    echo "building Flux from source (once; minutes) ..." >&2
    partial=$folder.partial
    rm -rf "$partial"
    mkdir -p "$partial/opt"
    PATH=/usr/lib/ccache:/opt/software/flux/bin:$PATH unshare --mount "$here/build.sh" inside \
      "$partial" "${parts[@]}" >"$partial/log" 2>&1 </dev/null || {
      tail -n 40 "$partial/log" >&2
      echo "build.sh: Flux cannot be built; above is the end of $partial/log" >&2
      exit 1
    }
    mv "$partial" "$folder"
  }
  echo "$folder"
) 9>"$cache/flux.lock"
