import { cutHead, cutTail } from "../../base/index.ts";
import type { ProcessResult, SandboxLevel } from "../../host/index.ts";

/** What programs say when a sandbox is in their way, and what to do about it. */
interface Sign {
  readonly said: RegExp;
  readonly hint: string;
}

const noNetwork: Sign = {
  said: /network is unreachable|could not resolve|couldn't resolve|name or service not known|temporary failure in name resolution|nodename nor servname|getaddrinfo|ENOTFOUND|EAI_AGAIN|ENETUNREACH|no route to host|failed to lookup address/i,
  hint: "there is no network in the sandbox but to the hosts that are named: name those it needs in `hosts`",
};

const signs: readonly Sign[] = [
  noNetwork,
  {
    said: /read-only file system|EROFS/i,
    hint: "in the sandbox only the working folders can be written, and some files in them are protected: write elsewhere, or say `unconfined: true`, which asks",
  },
  {
    said: /cannot connect to the docker daemon|docker\.sock|system has not been booted with systemd|failed to connect to bus/i,
    hint: "services of the machine can't be reached from the sandbox: say `unconfined: true`, which asks",
  },
  {
    said: /bad system call|no usable sandbox|failed to move to new namespace|unshare failed|creating new namespace failed|no permissions to creat\w+ new namespace/i,
    hint: "no user namespace is made in the sandbox, and no 32-bit program runs there: turn off the program's own sandbox, such as a browser's with --no-sandbox, or say `unconfined: true`, which asks",
  },
];

/** On a Mac what may not be written fails as what one has no right to. */
const inSeatbelt: Sign = {
  said: /operation not permitted|EPERM/i,
  hint: "in the sandbox only the working folders and $TMPDIR can be written, not /tmp, and nothing of the machine can be reached but the named hosts: write elsewhere, or say `unconfined: true`, which asks",
};

const asOtherUser: Sign = {
  said: /permission denied|EACCES|operation not permitted|EPERM/i,
  hint: "commands run as another user here, who can write only what anybody may: say `unconfined: true`, which asks",
};

/** What programs say at each level. */
const signsOfLevel: Readonly<Partial<Record<SandboxLevel, readonly Sign[]>>> = {
  bubblewrap: signs,
  unshare: signs,
  seatbelt: [noNetwork, inSeatbelt],
  "other-user": [asOtherUser],
};

/** What of a failure the sandbox seems to have caused; only where the command failed and said something of the kind. */
export function* sandboxHints({ exitCode, stderr, stdout, confinement }: ProcessResult): Generator<string> {
  if (confinement === undefined) return;
  const { level, refusedHosts, failedHosts, findings } = confinement;
  if (refusedHosts.length > 0)
    yield `[the sandbox refused to connect to ${refusedHosts.join(", ")}: name it in \`hosts\`]`;
  for (const why of [...failedHosts, ...findings]) yield `[${why}]`;
  if (exitCode === 0) return;
  const said = [
    cutHead(stderr.text, mostChars),
    cutTail(stderr.text, mostChars),
    cutTail(stdout.text, tailChars),
  ].join("\n");
  for (const sign of signsOfLevel[level] ?? []) {
    const isAnswered = refusedHosts.length + failedHosts.length > 0 && sign === noNetwork;
    if (!isAnswered && sign.said.test(said)) yield `[${sign.hint}]`;
  }
}

/** Complaints stand at the beginning or the end of what may be many megabytes. */
const mostChars = 50_000;
/** Some programs complain on stdout, at its end. */
export const tailChars = 4000;

/** Programs that mostly wait for the network when they hang. */
const networkPrograms =
  /\b(npm|npx|pnpm|yarn|bun|pip3?|uv|poetry|curl|wget|ssh|scp|rsync|apt|apt-get|apk|dnf|cargo|go|gem|bundle|mvn|gradle|docker|git\s.*?\b(fetch|clone|pull|push|ls-remote|submodule))\b/;

/** What to say of a command without hosts that was stopped at its deadline; empty where nothing suggests the network. */
export function deadlineHint(command: string, end: string): string {
  const isLikely = networkPrograms.test(command) || noNetwork.said.test(end) || /\bnetwork\b/i.test(end);
  return isLikely ? `\n[it may have waited for the network: ${noNetwork.hint}]\n` : "";
}
