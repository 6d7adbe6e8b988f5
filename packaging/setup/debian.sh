#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# debian.sh GROUP...: installs the packages of debian.txt that belong to one of the groups and are missing or too old.
# The system's own apt configuration (mirrors, proxies) is used as it stands.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

command -v dpkg-query >/dev/null || {
  echo "set-up knows Debian and Ubuntu; elsewhere install what packaging/setup/debian.txt names, then run ./dev build" >&2
  exit 2
}

# Name and version of what is installed, and of the names that installed packages provide (a library split off in one
# release is part of another package in the next).
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package} ${Version} ${Provides}\n' | awk '
  $1 == "installed" {
    print $2, $3
    for (i = 4; i < NF; i++)
      if ($(i + 1) == "(=") { version = $(i + 2); gsub(/[),]/, "", version); print $i, version }
  }')

missing=()
while read -r package lowest group; do
  case " $* " in *" $group "*) ;; *) continue ;; esac
  version=$(awk -v name="$package" '$1 == name { print $2; exit }' <<<"$installed")
  if [ -z "$version" ] || dpkg --compare-versions "$version" lt "$lowest"; then
    missing+=("$package")
  fi
done < <(grep -v '^#' "$here/debian.txt")
[ ${#missing[@]} -gt 0 ] || { echo "system packages: nothing missing"; exit 0; }

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "set-up needs root or sudo to install: ${missing[*]}" >&2; exit 2; }
  as_root=(sudo "--preserve-env=DEBIAN_FRONTEND,http_proxy,https_proxy,no_proxy")
fi
export DEBIAN_FRONTEND=noninteractive
echo "system packages to install: ${missing[*]}"
"${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=300 update
"${as_root[@]}" apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install --no-install-recommends "${missing[@]}"
