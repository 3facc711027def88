import { dirname } from "node:path";
import { contains } from "../places.ts";

/** What a command may see and change of a Mac. All paths are absolute and canonical. */
export interface SeatbeltView {
  /** Folders and files that it may change. */
  readonly writable: readonly string[];
  /** Paths in them that it may neither change nor make, whether or not they exist. */
  readonly protected: readonly string[];
  /** Folders whose content it may not read: homes, temporary files of others. */
  readonly closed: readonly string[];
  /** What it may read in these all the same; what is writable is readable too. */
  readonly readable: readonly string[];
  /** Paths of which it may know nothing, wherever they are. */
  readonly hidden: readonly string[];
  /** Its own folder for temporary files, among what is writable: sockets may be made there. */
  readonly temporary: string;
  /** The loopback port of haft's proxy; undefined: no network. */
  readonly proxyPort: number | undefined;
}

export interface SeatbeltProfile {
  /** The profile in Apple's language. Paths are parameters, or patterns of harmless characters: none can end a string. */
  readonly text: string;
  /** Values of the parameters that the text names. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What programs ask of the system before they do anything: names of services that start nothing and reach no network. */
const services = [
  "com.apple.bsd.dirhelper",
  "com.apple.logd",
  "com.apple.PowerManagement.control",
  "com.apple.system.logger",
  "com.apple.system.notification_center",
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
];

/** Facts about the machine. The rest of what `sysctl` tells includes other processes' arguments. */
const facts = [
  ..."kern.argmax kern.boottime kern.clockrate kern.hostname kern.iossupportversion kern.maxfilesperproc".split(
    " ",
  ),
  ..."kern.maxproc kern.ngroups kern.osproductversion kern.osrelease kern.ostype kern.osvariant_status".split(
    " ",
  ),
  ..."kern.osversion kern.secure_kernel kern.tcsm_available kern.tcsm_enable kern.usrstack64 kern.version".split(
    " ",
  ),
  ..."kern.waketime sysctl.proc_cputype vm.loadavg".split(" "),
];

const base = `(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read
  (sysctl-name-prefix "hw.")
  (sysctl-name-prefix "machdep.cpu.")
${facts.map((name) => `  (sysctl-name "${name}")`).join("\n")})
(allow sysctl-write (sysctl-name "kern.tcsm_enable"))
(allow mach-lookup
${services.map((name) => `  (global-name "${name}")`).join("\n")})
(allow ipc-posix-sem)
(allow ipc-posix-shm-read* (ipc-posix-name "apple.shm.notification_center"))
(allow pseudo-tty)
(if (defined? 'file-map-executable) (allow file-map-executable))
(allow file-read*)
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
(allow file-write-data file-ioctl
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/stdout") (literal "/dev/stderr")
  (regex #"^/dev/fd/[0-9]+$"))`;

/**
 * Writes the profile that holds a command to its view. A later rule of a profile stands over an earlier one. Paths that
 * nothing may change are matched in any case of their letters, since most Macs' disks take those for the same, and neither
 * they nor a folder above them can be moved away.
 */
export function writeProfile(view: SeatbeltView): SeatbeltProfile {
  const parameters: Record<string, string> = {};
  const parameter = (kind: string, path: string) => {
    const name = `${kind}_${Object.keys(parameters).length}`;
    parameters[name] = path;
    return `(param "${name}")`;
  };
  const subpaths = (kind: string, paths: readonly string[]) =>
    paths.map((path) => `(subpath ${parameter(kind, path)})`);
  const literals = (kind: string, paths: readonly string[]) =>
    paths.map((path) => `(literal ${parameter(kind, path)})`);
  const { writable, closed, hidden, temporary, proxyPort } = view;
  const readable = [...view.readable, ...writable];
  const kept = [...view.protected, ...hidden];
  const text = [
    base,
    rule("deny file-read*", subpaths("CLOSED", closed)),
    rule("allow file-read-metadata", literals("ABOVE", foldersAbove(readable))),
    rule("allow file-read*", subpaths("READABLE", readable)),
    rule("allow file-write*", subpaths("WRITABLE", writable)),
    "(if (defined? 'file-write-setugid) (deny file-write-setugid))",
    rule("deny file-write*", kept.map(inAnyCase)),
    "(if (defined? 'file-link) (deny file-link))",
    rule("deny file-write-unlink file-write-create", pinned(kept, writable).map(asNamed)),
    rule("deny file-read*", hidden.map(inAnyCase)),
    rule("allow system-socket", ["(socket-domain AF_UNIX)"]),
    rule("allow network-bind", [`(local unix-socket (subpath ${parameter("SOCKETS", temporary)}))`]),
    rule("allow network-outbound", [`(remote unix-socket (subpath ${parameter("SOCKETS", temporary)}))`]),
    rule("allow network-outbound", proxyPort === undefined ? [] : [`(remote ip "localhost:${proxyPort}")`]),
  ];
  return { text: `${text.filter(Boolean).join("\n")}\n`, parameters };
}

/** One rule; none without filters, as it would be for everything then. */
function rule(what: string, filters: readonly string[]): string {
  return filters.length === 0 ? "" : `(${what}\n  ${filters.join("\n  ")})`;
}

/** All folders above some paths: programs look at each to find out where they are. */
function foldersAbove(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) for (let at = dirname(path); !found.has(at); at = dirname(at)) found.add(at);
  return Array.from(found);
}

/**
 * What can be neither moved away nor put there by moving: the writable folders themselves, and those between them and a path
 * that is kept, whether or not they exist.
 */
function pinned(kept: readonly string[], writable: readonly string[]): string[] {
  const found = new Set(writable);
  for (const path of kept)
    for (let at = dirname(path); writable.some((one) => contains(one, at)); at = dirname(at)) found.add(at);
  return Array.from(found);
}

/** Matches a path and all below it, whatever the case of its letters. */
export function inAnyCase(path: string): string {
  return `(regex #"^${toPattern(path)}($|/)")`;
}

/** Matches a path alone, whatever the case of its letters. */
function asNamed(path: string): string {
  return `(regex #"^${toPattern(path)}$")`;
}

/** Signs other than the usual match whatever a name may have, a line end too: so none can end the pattern. */
function toPattern(path: string): string {
  return path.replaceAll(/[^\w/-]+|[a-z]/gi, (signs) => {
    if (/^[a-z]$/i.test(signs)) return `[${signs.toUpperCase()}${signs.toLowerCase()}]`;
    return /^[.]+$/.test(signs) ? signs.replaceAll(".", "[.]") : "[^/]+";
  });
}
