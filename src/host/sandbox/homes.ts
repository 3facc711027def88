import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, relative, sep } from "node:path";
import { isSecretName } from "../files/secret-files.ts";
import { canonical, contains, isFolder } from "./places.ts";

/** The folders of users on this machine, and this user's own: what is in them is nobody's business. */
export function homeRoots(environment: Readonly<Record<string, string>>): string[] {
  const candidates = ["/home", "/root", homedir(), environment["HOME"] ?? ""];
  const roots = new Set(candidates.flatMap((path) => (path === "" ? [] : (canonical(path) ?? []))));
  roots.delete("/");
  return Array.from(roots).filter(isFolder);
}

/** The home folders among which `path` lies: `/home/me` for `/home/me/bin`. */
export function homeOf(path: string, roots: readonly string[]): string | undefined {
  const root = roots.find((one) => one !== "/home" && contains(one, path));
  if (root !== undefined) return root;
  const name = contains("/home", path) ? relative("/home", path).split(sep)[0] : undefined;
  return name === undefined || name === "" ? undefined : join("/home", name);
}

/** The folders of `PATH`, as they are written there. */
export function programFolders(environment: Readonly<Record<string, string>>): string[] {
  return (environment["PATH"] ?? "")
    .split(delimiter)
    .filter((path) => path.startsWith("/") && existsSync(path));
}

/** What of the homes programs need: the first folder on the way to each folder of `PATH`, and git's settings. */
export function neededOfHomes(
  environment: Readonly<Record<string, string>>,
  roots: readonly string[],
): string[] {
  const found = new Set<string>();
  for (const folder of programFolders(environment)) {
    const home = homeOf(folder, roots);
    const first = home === undefined ? undefined : relative(home, folder).split(sep)[0];
    if (home !== undefined && first !== undefined && first !== "" && !isSecretName(first))
      found.add(join(home, first));
  }
  const home = environment["HOME"] ?? homedir();
  for (const name of [".gitconfig", ".config/git"]) {
    if (homeOf(home, roots) !== undefined && existsSync(join(home, name))) found.add(join(home, name));
  }
  return Array.from(found);
}

/** Folders of key rings, which lie deeper than the first level of what programs are found in. */
const keyRings = [".local/share/keyrings", ".local/share/kwalletd", ".local/share/gnupg"];

/** What may hold secrets among the entries of a folder. */
export function secretsIn(folder: string): string[] {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    // It can't be listed, and so neither be read by a command.
  }
  const rings = keyRings.map((ring) => join(dirname(folder), ring)).filter((ring) => contains(folder, ring));
  return [...names.filter(isSecretName).map((name) => join(folder, name)), ...rings.filter(existsSync)];
}

/** Files by which a shell, an editor or a desktop starts what is written in them, in a home folder. */
export const startupFiles: readonly string[] = [
  ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout",
  ".kshrc .cshrc .tcshrc .inputrc .pam_environment .xprofile .xsession .xinitrc .tmux.conf .screenrc .vimrc .emacs",
  ".gitconfig .config/git .config/fish .config/autostart .config/systemd .ssh .gnupg",
].flatMap((line) => line.split(" "));

/** Secrets of the system that only root can read. */
const systemSecrets: readonly string[] = [
  "/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/ssl/private /etc/krb5.keytab /etc/wireguard",
  "/etc/ssh/ssh_host_dsa_key /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key /etc/ssh/ssh_host_rsa_key",
  "/var/spool/cron /var/mail",
].flatMap((line) => line.split(" "));

/** Those of them that are here, and that this user could read. */
export function readableSystemSecrets(): string[] {
  return systemSecrets.flatMap((path) => {
    try {
      accessSync(path, constants.R_OK);
      return canonical(path) ?? [];
    } catch {
      return [];
    }
  });
}
