#!/bin/sh
# Made the certificates of this directory, once. They protect nothing: their keys are public, the CA's is thrown away.
# Good ones are valid from 2020 to 2120, the expired one was for a day in 2020.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/index.txt"
cat > "$work/ca.cnf" <<END
[ca]
default_ca = it
[it]
database = $work/index.txt
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = names
unique_subject = no
[names]
commonName = supplied
[ca_extensions]
basicConstraints = critical,CA:TRUE
[server]
subjectAltName = DNS:localhost,IP:127.0.0.1,IP:::1
[client]
extendedKeyUsage = clientAuth
END

# name, common name, extensions, first day, last day, further arguments
make() {
  name=$1 cn=$2 extensions=$3 from=$4 to=$5
  shift 5
  openssl ecparam -name prime256v1 -genkey -noout -out "$name.key"
  openssl req -new -key "$name.key" -subj "/CN=$cn" -out "$work/$name.csr"
  openssl ca -batch -notext -config "$work/ca.cnf" -extensions "$extensions" -startdate "$from" -enddate "$to" \
    -in "$work/$name.csr" -out "$name.crt" "$@"
}
make ca "tailrace test CA" ca_extensions 20200101000000Z 21200101000000Z -selfsign -keyfile ca.key
for each in server client; do
  make $each localhost $each 20200101000000Z 21200101000000Z -cert ca.crt -keyfile ca.key
done
make expired localhost server 20200101000000Z 20200102000000Z -cert ca.crt -keyfile ca.key
rm ca.key
chmod 644 ./*.key
