#!/bin/sh
# Creates certificates for development in a folder: ca.crt and ca.key, an authority, which is kept if
# it exists already, and tls.crt and tls.key, a new server certificate signed by it.
#
#   certs/dev-certificates.sh FOLDER [HOST...]
#
# HOST is a name or an address (default: localhost, 127.0.0.1 and ::1). Only the owner can read the
# keys (mode 0600). Not for production: nothing here renews or revokes.
set -eu

if [ $# -eq 0 ] || [ "$1" = -h ] || [ "$1" = --help ]; then
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
  [ $# -gt 0 ]
  exit
fi
command -v openssl >/dev/null || { echo "dev-certificates.sh: openssl is not installed" >&2; exit 1; }

folder=$1
shift
[ $# -gt 0 ] || set -- localhost 127.0.0.1 ::1

names=
for host in "$@"; do
  case $host in
    *:*) kind=IP ;;
    *[!0-9.]*) kind=DNS ;;
    *) kind=IP ;;
  esac
  names="$names${names:+,}$kind:$host"
done

umask 077
mkdir -p "$folder"
work=$(mktemp -d "$folder/.new-XXXXXX")
trap 'rm -rf "$work"' EXIT

new_key() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
}

if [ ! -f "$folder/ca.key" ] || [ ! -f "$folder/ca.crt" ]; then
  new_key "$folder/ca.key"
  openssl req -x509 -new -key "$folder/ca.key" -sha256 -days 3650 -subj "/CN=minicluster development CA" \
    -addext "keyUsage=critical,keyCertSign,cRLSign" -out "$folder/ca.crt"
fi

new_key "$work/tls.key"
openssl req -new -key "$work/tls.key" -subj "/CN=minicluster development" -out "$work/tls.csr"
cat >"$work/extensions" <<EOF
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = $names
EOF
serial=0x$(openssl rand -hex 16)
if ! openssl x509 -req -in "$work/tls.csr" -CA "$folder/ca.crt" -CAkey "$folder/ca.key" -sha256 \
  -days 365 -set_serial "$serial" -extfile "$work/extensions" -out "$work/tls.crt" 2>"$work/said"; then
  cat "$work/said" >&2
  exit 1
fi

mv "$work/tls.key" "$folder/tls.key"
mv "$work/tls.crt" "$folder/tls.crt"
chmod 0644 "$folder/ca.crt" "$folder/tls.crt"
