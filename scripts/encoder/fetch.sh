#!/bin/sh
# Gets the texts that the vectors are fitted over. Usage: fetch.sh SOURCES, on Debian 12 with npm.
set -eu
mkdir -p "$1/debian" "$1/wordnet" "$1/cldr" "$1/cldr-derived"
sums=$(cd "$(dirname "$0")" && pwd)/sources.sha256
cd "$1"
here=$(pwd)
mkdir -p lists/partial cache/archives/partial
languages=""
for language in en cs de es fr it ja ko nl pl pt pt_BR ru sv tr uk vi zh_CN zh_TW; do
  languages="$languages -o Acquire::Languages::=$language"
done
# shellcheck disable=SC2086
apt-get -o Acquire::Languages="" $languages -o Acquire::GzipIndexes=false -o "Dir::State::lists=$here/lists" \
  -o "Dir::Cache=$here/cache" -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=true update
for path in lists/*_bookworm_main_i18n_Translation-*; do
  cp "$path" "debian/$(basename "$path" | sed 's/.*Translation-/Translation-/; s/%5f/_/')"
done
cp lists/*_bookworm_main_dep11_Components-amd64.yml.gz debian/Components-amd64.yml.gz
apt-get -o "Dir::State::lists=$here/lists" download wordnet-base=1:3.0-37
dpkg-deb -x wordnet-base_*.deb unpacked
cp unpacked/usr/share/wordnet/data.* wordnet/
npm pack cldr-annotations-full@48.2.0 cldr-annotations-derived-full@48.2.0
tar -xzf cldr-annotations-full-48.2.0.tgz -C cldr --strip-components=1
tar -xzf cldr-annotations-derived-full-48.2.0.tgz -C cldr-derived --strip-components=1
# Debian's archive moves on: with other texts other vectors come out.
sha256sum --check --quiet "$sums" || echo "some sources are not those that words.bin was made from" >&2
