import { dirname } from "node:path";
import {
  canWorkIn,
  confinedPromises,
  describeIsolation,
  HostError,
  keepsPromises,
  outsideSandbox,
  type ProcessBounds,
  type SandboxPromise,
  type SandboxReport,
} from "../../host/index.ts";
import type { CallContext, Effect, ToolContext } from "../../kernel/index.ts";
import type { ShellServices } from "./services.ts";

/** Confinement of a command. `outside`: it has none, with the reason. Undefined: no sandbox exists. */
export type Isolation = SandboxReport | { readonly outside: string } | undefined;

/** Reason of a call that asks to run without a sandbox. */
export const asAsked: Isolation = {
  outside: "no sandbox, as this call asks for: it runs with all your rights",
};

/**
 * Another user can't change the files of a project that is closed to everybody, so a command there would mostly
 * fail: it is asked about as one outside the sandbox, and runs as one. What is known only to read stays inside.
 */
export function isolateIn(
  folder: string,
  report: SandboxReport | undefined,
  effects: readonly Effect[],
): Isolation {
  const onlyReads = effects.every(({ kind, within }) => kind !== "run" || within);
  if (report === undefined || onlyReads || canWorkIn(report.level, folder)) return report;
  return {
    outside: `no sandbox: here there is only another user to run commands as, who can't change this folder; it runs with all your rights (\`haft doctor\` says how to have a sandbox)`,
  };
}

const unbounded = "no sandbox keeps it to the allowed folders";

/** Says of each command how it is kept in, and lets nothing pass for harmless that is not kept in at all. */
export function confine(effects: readonly Effect[], isolation: Isolation): Effect[] {
  if (isolation === undefined) return effects.map(asUnbounded);
  if (!("outside" in isolation)) {
    const confined = keepsPromises(isolation.level);
    const marks = { ...(confined && { confined: true as const }), isolation: describeIsolation(isolation) };
    return effects.map((effect) => {
      if (effect.kind !== "run") return effect;
      return { ...(confined ? effect : asUnbounded(effect)), ...marks };
    });
  }
  const bare = effects.map((effect): Effect => {
    if (effect.kind !== "run") return effect;
    const { confined: _confined, routine: _routine, undoable: _undoable, asks: _asks, ...rest } = effect;
    return { ...rest, within: false, isolation: isolation.outside };
  });
  return [...bare, { ...outside, isolation: isolation.outside }];
}

/** Adds the missing sandbox as a reason to ask, beside any code of the project. */
function asUnbounded({ undoable: _undoable, ...effect }: Effect): Effect {
  const asks = effect.kind === "run" && !effect.within && effect.opaque !== true;
  if (!asks) return effect;
  const tellsCode = effect.asks !== undefined && effect.code !== undefined;
  return { ...effect, asks: tellsCode ? `${effect.asks}; ${unbounded}` : unbounded };
}

/** No rule that allows certain commands means this one. */
const outside: Effect = {
  kind: "run",
  target: outsideSandbox,
  within: false,
  opaque: true,
  unclear: "it runs outside the sandbox, with all your rights",
};

/** Whether this call was decided as one outside the sandbox. */
export function isOutside({ effects }: ToolContext): boolean {
  return effects.some(({ kind, target }) => kind === "run" && target === outsideSandbox);
}

/** @throws {HostError} CONNECT_URL, CONNECT_BLOCKED for what is no host, or one that no decision could open. */
export async function connectEffects(
  hosts: readonly string[],
  { connector }: ShellServices,
  context: CallContext,
): Promise<Effect[]> {
  if (hosts.length === 0) return [];
  if (connector === undefined)
    throw new HostError("CONNECT_DENIED", "Cannot connect to a host: this installation has no network");
  return Promise.all(hosts.map((host) => connector.origin(toOrigin(host), context)));
}

/** The hosts of the call, as far as they were decided. */
export function decidedHosts(hosts: readonly string[], { effects }: ToolContext): string[] {
  const decided = new Set(effects.filter(({ kind }) => kind === "connect").map(({ target }) => target));
  return hosts.map(toOrigin).flatMap((origin) => {
    const url = new URL(origin);
    if (!decided.has(url.origin)) return [];
    return [url.host];
  });
}

/** A host, and a port or none; nothing else may stand there that a reader could take for the host. */
function toOrigin(host: string): string {
  const origin = /^[^/\\?#@\s]+$/.test(host)
    ? URL.parse(`https://${host}`)?.origin.replace(/\.(?=:\d+$|$)/, "")
    : undefined;
  if (origin !== undefined && !host.includes("*")) return origin;
  throw new HostError(
    "CONNECT_URL",
    `Cannot connect to ${JSON.stringify(host.slice(0, 100))}: it is not the name of one host; write it as example.com or example.com:8080`,
  );
}

/** What was let pass because of the sandbox does not run without it, should that fail from now on. */
export function decidedPromises({ effects }: ToolContext): readonly SandboxPromise[] {
  return effects.some(({ confined }) => confined === true) ? confinedPromises : [];
}

/** What the host holds the command to: the call's own folders, and what was decided beside them. */
export function toProcessBounds(context: ToolContext, hosts: readonly string[]): ProcessBounds {
  const { effects, allowedPaths, allowedHosts } = context;
  const targets = (kind: Effect["kind"]) =>
    effects.filter((effect) => effect.kind === kind).map(({ target }) => target);
  return {
    writable: allowedPaths,
    // What is deleted is taken out of its folder.
    changed: [...targets("write"), ...targets("delete").map((target) => dirname(target))],
    readable: targets("read"),
    // The folder it starts in is among these, unless it is only where it starts.
    seesFolder: false,
    hosts,
    allowedHosts,
    temporary: nameTemporary(context),
  };
}

/** Names the session whose commands share their temporary files. */
export function nameTemporary({
  scope = "local",
  agentId = "",
  origin,
}: Pick<Partial<ToolContext>, "scope" | "agentId" | "origin">): string {
  return JSON.stringify([scope, agentId, origin?.principal ?? "", origin?.session ?? ""]);
}
