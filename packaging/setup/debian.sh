#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# debian.sh GROUP...: installs the packages of debian.txt that belong to one of the groups and are missing or too old.
# The system's own apt configuration (mirrors, proxies) is used as it stands.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

command -v dpkg-query >/dev/null || {
  echo "set-up knows Debian and Ubuntu; elsewhere install what packaging/setup/debian.txt names, then create .deps/.system" >&2
  exit 2
}

missing=()
while read -r package lowest group; do
  case " $* " in *" $group "*) ;; *) continue ;; esac
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$package" 2>/dev/null | sed -n 's/^installed //p;q' || true)
  if [ -z "$installed" ] || dpkg --compare-versions "$installed" lt "$lowest"; then
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
