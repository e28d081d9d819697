#!/usr/bin/env bash
# Usage: packages.sh [--build [ARCHITECTURE] | --bench | --ci | --e2e | --flux | --go | --release | --site]
# Installs the Debian packages (12 and 13) for building and testing. --build: only for building, for
# arm64 with the preset release-arm64 if that is ARCHITECTURE and not this system's (dpkg then also
# knows arm64, and apt brings the libraries that both have to the same version: in a container);
# --bench: also for the benchmarks (bench/); --ci: also for continuous integration; --e2e: also for
# a real node; --flux: only for building Flux from source (tests/flux/build.sh); --go: only for
# installing Go (tests/control_plane/go.sh); --release: only for a release and its tests; --site: only
# for the site (site/build.sh). If no package is missing, it needs neither network nor root.
set -euo pipefail

tools=(cmake ninja-build ccache pkg-config nlohmann-json3-dev libcli11-dev jq)
# Of these packages each architecture has its own, the others serve every one.
libraries=(libcpp-httplib-dev libyaml-cpp-dev libsodium-dev prometheus-cpp-dev libssl-dev
  libtomlplusplus-dev libspdlog-dev libsimdjson-dev)
test=(libgtest-dev libgmock-dev libzmq3-dev shellcheck curl ca-certificates openssl prometheus
  libfaketime lua5.1 python3-venv)
ci=(clang-format-19 clang-19 libclang-rt-19-dev llvm-19)
build=(g++ "${tools[@]}" "${libraries[@]}")
e2e=(containerd runc containernetworking-plugins iptables iproute2 conntrack buildah debootstrap)
flux=(gcc g++ make cmake ninja-build ccache pkg-config autoconf automake libtool patchelf git xz-utils
  libzmq3-dev libjansson-dev libhwloc-dev libsqlite3-dev liblua5.1-0-dev lua5.1 lua-posix
  libarchive-dev libncurses-dev uuid-dev libsystemd-dev liblz4-dev libboost-graph-dev
  libboost-system-dev libboost-filesystem-dev libboost-regex-dev libboost-container-dev libedit-dev
  libyaml-cpp-dev libpmix-dev python3-dev python3-setuptools python3-cffi python3-yaml python3-ply
  python3-jsonschema)
bench=(libbenchmark-dev valgrind)
go=(python3-pip)
release=(binutils buildah ca-certificates curl debootstrap docker-registry jq openssl qemu-user-static skopeo)
site=(python3-venv)

wanted=("${build[@]}" "${test[@]}")
foreign=
case ${1-} in
  '') ;;
  --build)
    wanted=("${build[@]}")
    case ${2-} in
      '' | "$(dpkg --print-architecture)") ;;
      arm64)
        foreign=arm64
        wanted=(g++-aarch64-linux-gnu "${tools[@]}" "${libraries[@]/%/:arm64}")
        ;;
      *)
        echo "packages.sh: there is no build for $2 here, only for arm64" >&2
        exit 2
        ;;
    esac
    ;;
  --bench) wanted+=("${bench[@]}") ;;
  --ci) wanted+=("${ci[@]}") ;;
  --e2e) wanted+=("${e2e[@]}") ;;
  --flux) wanted=("${flux[@]}") ;;
  --go) wanted=("${go[@]}") ;;
  --release) wanted=("${release[@]}") ;;
  --site) wanted=("${site[@]}") ;;
  *)
    echo "usage: packages.sh [--build [ARCHITECTURE] | --bench | --ci | --e2e | --flux | --go | --release | --site]" >&2
    exit 2
    ;;
esac

mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
  <(dpkg-query -W -f '${db:Status-Status} ${Package}\n${db:Status-Status} ${Package}:${Architecture}\n' |
    sed -n 's/^installed //p' | sort -u))
[ "${#missing[@]}" -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ]; then
  echo "packages.sh: these packages are missing and only root can install them:" >&2
  echo "  apt-get install ${missing[*]}" >&2
  exit 1
fi
exec 9</var/lib/dpkg
flock 9  # apt-get does not wait for another apt-get
echo "installing packages: ${missing[*]} ..."
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
[ -z "$foreign" ] || dpkg --add-architecture "$foreign"
{ apt-get update && apt-get install -y --no-install-recommends "${missing[@]}"; } \
  >"$log" 2>&1 </dev/null 9<&- || {
  tail -n 30 "$log" >&2
  echo "packages.sh: apt-get failed; above is the end of what it said" >&2
  exit 1
}
