import { existsSync, readlinkSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isSecretName } from "../files/secret-files.ts";
import { listEntries } from "./folder-search.ts";
import { contains, withoutNested } from "./places.ts";

/** What version managers and package managers keep in a home: whatever runs one of their programs needs them whole. */
const managers: readonly string[] = [
  ".asdf .bun .cabal .cargo .deno .dotnet .elan .fnm .foundry .ghcup .goenv .jenv .jbang .juliaup .krew .linuxbrew .n",
  ".nodenv .nvm .opam .phpenv .plenv .proto .pub-cache .pyenv .rbenv .rustup .rvm .rye .sdkman .stack .swiftly .tfenv",
  ".tofuenv .volta go/bin go/pkg sdk miniconda3 miniforge3 mambaforge anaconda3 .gem/ruby .yarn/bin .config/nvm",
  ".local/pipx .local/lib .local/share/asdf .local/share/fnm .local/share/gem .local/share/mise .local/share/pipx",
  ".local/share/pnpm .local/share/rtx .local/share/swiftly .local/share/uv .local/share/virtualenvs",
].flatMap((line) => line.split(" "));

/** What they need beside the one that their programs stand in. */
const companions: Readonly<Record<string, readonly string[]>> = {
  ".cargo": [".rustup"],
  "go/bin": ["go/pkg"],
  ".local/bin": [".local/lib"],
  ".juliaup": [".julia/juliaup"],
};

/** Beside `bin`, of what was installed into a folder of its own. */
const installed = ["bin", "sbin", "lib", "lib64", "libexec", "share", "include", "pyvenv.cfg"];
/** Folders of packages, which need each other. */
const packages = /^(node_modules|vendor|site-packages)$/;

/** A folder of more programs than these is searched no further for where its links lead, and so with more folders. */
const mostLinks = 2000;
const mostFolders = 200;

/**
 * What of the homes has to be seen so that the programs in `folders` run: the folder itself, what was installed with
 * it, and the same for each program that a link in it leads to. Nothing on the way that looks like a secret.
 *
 * @param findHome the home a path lies in
 */
export function programsOfHomes(
  folders: readonly string[],
  findHome: (path: string) => string | undefined,
): string[] {
  const needed = new Set<string>();
  const waiting = new Set<string>();
  const isThere = rememberExisting();
  const show = (program: string, isFolder: boolean) => {
    const home = findHome(program);
    if (home === undefined || home === program || relative(home, program).split(sep).some(isSecretName))
      return;
    if (isFolder) needed.add(program);
    for (const path of listNeighbours(program, { home, isFolder, isThere })) needed.add(path);
    const folder = isFolder ? program : dirname(program);
    if (Array.from(needed).some((one) => contains(one, folder))) waiting.add(folder);
  };
  for (const folder of folders) show(folder, true);
  // What is found is looked through in turn.
  for (const folder of waiting) {
    if (waiting.size > mostFolders) break;
    for (const target of linkTargets(folder)) show(target, false);
  }
  // A mount in a mount would have to follow its links.
  return withoutNested(needed);
}

type IsThere = (path: string) => boolean;

/** Looks once for each path. */
function rememberExisting(): IsThere {
  const known = new Map<string, boolean>();
  return (path) => {
    let is = known.get(path);
    if (is === undefined) known.set(path, (is = existsSync(path)));
    return is;
  };
}

interface Neighbourhood {
  readonly home: string;
  readonly isFolder: boolean;
  readonly isThere: IsThere;
}

function listNeighbours(program: string, { home, isFolder, isThere }: Neighbourhood): string[] {
  const path = relative(home, program);
  const manager = managers.find((one) => contains(one, path));
  const known = [...(manager === undefined ? [] : [manager]), ...listCompanions(path)].map((one) =>
    join(home, one),
  );
  if (manager !== undefined) return known.filter(isThere);
  const bundle = findBundle(path);
  if (bundle !== undefined) return [join(home, bundle)];
  const bin = isFolder ? program : dirname(program);
  const prefix = dirname(bin);
  const isInstalled = basename(bin) === "bin" && contains(home, prefix) && prefix !== home;
  // `~/.local/share` is everybody's.
  const beside =
    isInstalled && relative(home, prefix) !== ".local" ? installed.map((one) => join(prefix, one)) : [];
  return [...known, ...beside, ...(isFolder ? [] : [program])].filter(isThere);
}

function listCompanions(path: string): readonly string[] {
  return Object.entries(companions).flatMap(([one, needed]) => (contains(one, path) ? needed : []));
}

/** Up to the outermost folder of packages on the way. */
function findBundle(path: string): string | undefined {
  const names = path.split(sep);
  const at = names.findIndex((name) => packages.test(name));
  return at === -1 ? undefined : names.slice(0, at + 1).join(sep);
}

function linkTargets(folder: string): string[] {
  const links = listEntries(folder).filter((entry) => entry.isSymbolicLink());
  return links.slice(0, mostLinks).flatMap(({ name }) => {
    try {
      return resolve(folder, readlinkSync(join(folder, name)));
    } catch {
      return [];
    }
  });
}
