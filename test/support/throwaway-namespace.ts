import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

type Wrap = (base: string, folder: string, command: string) => readonly [program: string, ...args: string[]];

const wrapWithBubblewrap: Wrap = (base, folder, command) => {
  const mounts = ["--ro-bind", "/", "/", "--tmpfs", "/tmp", "--bind", base, base];
  const devices = ["--dev", "/dev", "--proc", "/proc"];
  const namespaces = ["--unshare-net", "--unshare-pid", "--die-with-parent", "--chdir", folder];
  return ["bwrap", ...mounts, ...devices, ...namespaces, "bash", "-c", command];
};

/** Makes every mount read-only but for one folder, or ends. The flags of a mount are locked here, so they are kept. Then gives up all rights. */
const closeMounts = `
set -e
base=$1 folder=$2 command=$3
mount --make-rprivate /
exec 9<"$base"
mount -t tmpfs tmpfs /tmp
mkdir -p "$base"
mount --no-canonicalize --bind /proc/self/fd/9 "$base"
exec 9<&-
# No disks: a few devices stand for all.
mkdir /tmp/dev
for one in null zero full random urandom; do : >/tmp/dev/$one; mount --bind /dev/$one /tmp/dev/$one; done
ln -s /proc/self/fd /tmp/dev/fd
mkdir /tmp/dev/pts
mount -t devpts -o newinstance,ptmxmode=0666 devpts /tmp/dev/pts
ln -s pts/ptmx /tmp/dev/ptmx
mount --rbind /tmp/dev /dev
mount -t proc proc /proc
for one in /proc/sys /proc/sysrq-trigger; do [ ! -e $one ] || mount --bind $one $one; done
while read -r _ _ _ _ point flags _; do
  point=$(printf %b "$point")
  # What is below another mount can't be reached.
  if [ "$point" = "$base" ] || [ "$point" = /tmp ] || [ "$point" = /proc ] || [ ! -e "$point" ]; then continue; fi
  mount -o "remount,bind,ro\${flags#r[wo]}" "$point"
done </proc/self/mountinfo
cd "$folder"
exec setpriv --bounding-set=-all --no-new-privs bash -c "$command"
`;

const wrapWithUnshare: Wrap = (base, folder, command) => {
  const namespaces = ["--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "--kill-child"];
  return ["unshare", ...namespaces, "bash", "-c", closeMounts, "bash", base, folder, command];
};

/** Runs a command that destroys what it can, where that is one folder. */
export type RunThrowaway = (base: string, folder: string, command: string) => void;

/** Finds a program here that keeps such a command to one folder; undefined where none does. */
export function findThrowawayNamespace(): RunThrowaway | undefined {
  return [wrapWithBubblewrap, wrapWithUnshare].map(toRun).find(keepsToFolder);
}

function toRun(wrap: Wrap): RunThrowaway {
  return (base, folder, command) => {
    const [program, ...args] = wrap(base, folder, command);
    const env = { PATH: process.env["PATH"], HOME: base, GIT_CONFIG_NOSYSTEM: "1" };
    spawnSync(program, args, { timeout: 50_000, env });
  };
}

/** Tries it: what it may write is written, and nothing else, in the home folder, beside the folder or in memory. */
function keepsToFolder(run: RunThrowaway): boolean {
  const base = mkdtempSync(join(tmpdir(), "haft-throwaway-"));
  const mark = `haft-throwaway-${process.pid}`;
  const others = [homedir(), join(base, ".."), process.cwd(), "/dev/shm"].map((folder) => join(folder, mark));
  try {
    const touched = others.map((path) => `touch '${path}'`).join("; ");
    run(base, base, `${touched}; git --version && echo done > mark`);
    return existsSync(join(base, "mark")) && !others.some((path) => existsSync(path));
  } finally {
    for (const path of [base, ...others]) rmSync(path, { recursive: true, force: true });
  }
}
