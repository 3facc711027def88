import { beginSign, goneSign } from "../process/request.ts";

/** The shell that stands between haft and a command. */
export const shell = "/bin/sh";

/** Runs `prelude` in the shell, which then becomes the command. */
export function becoming(prelude: string, command: readonly string[]): string[] {
  return ["-c", `${prelude}\nexec "$@"`, "sh", ...command];
}

/** One word of a prelude. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

export interface Supervision {
  /** The command finds its script on descriptor 3, which comes in as 4. */
  readonly hasScript: boolean;
  /** Processes that are not the command's: the namespace's first, this shell, and what else was started around it. */
  readonly others: number;
  /** Folders that are gone with the command: what is new in them is said on descriptor 3. @default none */
  readonly vanishing?: readonly string[];
}

/** More than there are threads before the shell in a namespace of its own. */
const lowNumbers = 100;

/**
 * Runs the command as the first of a process namespace of its own, and stays until nothing else is left in there: what
 * still runs 0.2 s after the command has ended is asked to end, and is gone with this shell 0.4 s later. How many
 * there were is said on descriptor 3, and before all else that the command begins. Its own complaints, such as of a command that a signal ended, go nowhere.
 */
export function supervising(
  prelude: string,
  command: readonly string[],
  { hasScript, others, vanishing = [] }: Supervision,
): string[] {
  // Below, every process in sight is signalled. A namespace of its own numbers this shell right after the others, whose
  // threads count too, and haft is not in it; the machine itself never gives so low a number again. In any other place,
  // where something only poses as bubblewrap, nothing is run at all.
  const isOurs = process.pid > lowNumbers ? `[ ! -d /proc/${process.pid} ]` : "true";
  const forEachVanishing = (body: string) =>
    vanishing.length === 0
      ? ""
      : `for folder in ${vanishing.map(quoted).join(" ")}; do for name in "$folder"/*; do ${body}; done; done`;
  const script = `
[ "$$" -le ${others === 2 ? 2 : lowNumbers} ] && ${isOurs} || exit 126
${prelude}
echo ${beginSign} >&3
known=:
${forEachVanishing('known="$known$name:"')}
exec 5>&2 2>/dev/null
trap : TERM INT HUP
(exec "$@" 2>&5 5>&- ${hasScript ? "3<&4 4<&-" : "3>&-"})
code=$?
count() { set -- /proc/[0-9]*; left=$(($# - ${others})); }
await() {
  tries=$1
  count
  while [ "$left" -gt 0 ] && [ "$tries" -gt 0 ]; do
    sleep 0.02
    tries=$((tries - 1))
    count
  done
}
await 10
if [ "$left" -gt 0 ]; then
  echo "$left" >&3
  kill -s TERM -- -1
  await 20
fi
${forEachVanishing(`case "$known" in *":$name:"*) ;; *) echo "${goneSign}$name" >&3 ;; esac`)}
exit "$code"`;
  return ["-c", script, "sh", ...command];
}
