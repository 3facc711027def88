import { accessSync, constants, existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, relative, sep } from "node:path";
import { isSecretName } from "../../files/secret-files.ts";
import { FolderSearch, listEntries } from "../folder-search.ts";
import { canonical, contains, isFolder, kindAt } from "../places.ts";
import { programsOfHomes } from "../programs.ts";

/** Folders that hold the homes of users: on Linux, and on a Mac. */
const sharedRoots = ["/home", "/Users"];

/** Whether a path holds the homes of users, and is none itself. */
export function isSharedRoot(path: string): boolean {
  return sharedRoots.includes(path);
}

/** The folders of users on this machine, and this user's own: what is in them is nobody's business. */
export function homeRoots(environment: Readonly<Record<string, string>>): string[] {
  const candidates = [...sharedRoots, "/root", "/var/root", homedir(), environment["HOME"] ?? ""];
  const roots = new Set(candidates.flatMap((path) => (path === "" ? [] : (canonical(path) ?? []))));
  roots.delete("/");
  return Array.from(roots).filter(isFolder);
}

/** The home folders among which `path` lies: `/home/me` for `/home/me/bin`. */
export function findHome(path: string, roots: readonly string[]): string | undefined {
  const root = roots.find((one) => !isSharedRoot(one) && contains(one, path));
  if (root !== undefined) return root;
  const shared = sharedRoots.find((one) => contains(one, path));
  const name = shared && relative(shared, path).split(sep)[0];
  return shared === undefined || name === undefined || name === "" ? undefined : join(shared, name);
}

/** The folders of `PATH`, as they are written there. */
export function programFolders(environment: Readonly<Record<string, string>>): string[] {
  const written = new Set((environment["PATH"] ?? "").split(delimiter));
  return Array.from(written).filter((path) => path.startsWith("/") && existsSync(path));
}

/** What of the homes programs need: what belongs to the folders of `PATH`, and git's settings. */
export function neededOfHomes(
  environment: Readonly<Record<string, string>>,
  { roots, programs }: { readonly roots: readonly string[]; readonly programs: readonly string[] },
): string[] {
  const home = environment["HOME"] ?? homedir();
  const settings = findHome(home, roots) === undefined ? [] : [".gitconfig", ".config/git"];
  return [
    ...programsOfHomes(programs, (path) => findHome(path, roots)),
    ...settings.map((name) => join(home, name)).filter(existsSync),
  ];
}

/** Folders of key rings, which lie deeper than the first level of a home. */
const keyRings = [".local/share/keyrings", ".local/share/kwalletd", ".local/share/gnupg"];

/** What may hold secrets among the entries of a home. */
export function secretsIn(home: string): string[] {
  const names = listEntries(home).map(({ name }) => name);
  const secrets = [...names.filter(isSecretName), ...keyRings].map((name) => join(home, name));
  return secrets.flatMap(splitEnd);
}

/** Folders in which programs keep what others have published: there, such names are those of samples and of public certificates. */
const published =
  /^(node_modules|site-packages|dist-packages|vendor|gems|registry|rustlib|pkg|share|include|python\d.*|\.git)$/;

/** Each takes some 20 µs to look into, and 2 µs once it is known. */
const mostFolders = 500;

const secretSearch = new FolderSearch({
  look: (_path, entry) => {
    if (isSecretName(entry.name)) return "found";
    return entry.isDirectory() && !published.test(entry.name) ? "enter" : "pass";
  },
  mostFolders,
});

/** What may hold secrets at any depth below a folder of programs, in the 500 folders nearest to it. */
export function secretsBelow(folder: string): readonly string[] {
  return secretSearch.search(folder).found.flatMap(splitEnd);
}

/** Nothing can lie over a link; what it leads to is hidden, if it can be seen. */
function splitEnd(path: string): string[] {
  const kind = kindAt(path);
  if (kind === "link") return [canonical(path) ?? []].flat();
  return kind === "nothing" ? [] : [path];
}

/** Files by which a shell, an editor or a desktop starts what is written in them, in a home folder. */
export const startupFiles: readonly string[] = [
  ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout",
  ".kshrc .cshrc .tcshrc .inputrc .pam_environment .xprofile .xsession .xinitrc .tmux.conf .screenrc .vimrc .emacs",
  ".gitconfig .config/git .config/fish .config/autostart .config/systemd .ssh .gnupg",
  ...(process.platform === "darwin" ? ["Library/LaunchAgents"] : []),
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
      // Most are not there, and Node would make an error of each.
      if (!existsSync(path)) return [];
      accessSync(path, constants.R_OK);
      return canonical(path) ?? [];
    } catch {
      return [];
    }
  });
}
