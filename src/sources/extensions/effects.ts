import {
  type Connector,
  describeIsolation,
  HostError,
  keepsPromises,
  type Processes,
  type Workspace,
} from "../../host/index.ts";
import type { CallContext, Effect, ToolAnnotations } from "../../kernel/index.ts";
import type { WorkerPowers } from "./worker-process.ts";

export interface EffectServices {
  readonly processes: Pick<Processes, "open" | "isolation">;
  readonly workspace: Pick<Workspace, "locate">;
  readonly connector?: Pick<Connector, "origin">;
}

/** What a worker returns that nothing keeps from the network, and that does not say that it stays here. */
export async function isFromOutside(
  { annotations }: Pick<EffectSubject, "annotations">,
  { processes }: EffectServices,
): Promise<boolean> {
  const isOffline = keepsPromises((await processes.isolation())?.level, ["no network"]);
  return annotations.openWorld !== false && !isOffline;
}

export interface EffectSubject {
  readonly extension: string;
  readonly tool: string;
  readonly annotations: ToolAnnotations;
  readonly powers: WorkerPowers;
}

const unbounded = "no sandbox keeps its extension to what it declares";
const undeclared =
  "the tool declares no annotations; if it destroys nothing, its author adds annotations: { destructive: false }";

/**
 * What a call may do: run the extension, and whatever that declares, since nothing else bounds it. Where the sandbox
 * leaves it nothing to change and nobody to reach, running it is known to change nothing, whatever its author says;
 * where it has such a power, its author's word, which its owner has accepted with the code, says whether that asks.
 *
 * @throws {HostError} SANDBOX_REFUSED; CONNECT_DENIED, CONNECT_BLOCKED.
 */
export async function extensionEffects(
  { extension, tool, annotations, powers }: EffectSubject,
  { processes, workspace, connector }: EffectServices,
  context: CallContext,
): Promise<Effect[]> {
  const isolation = await processes.isolation();
  const confined = keepsPromises(isolation?.level);
  const isPowerless = powers.write.length === 0 && powers.hosts.length === 0;
  const isHarmless = annotations.readOnly === true || annotations.destructive === false;
  const asksUndeclared = !isPowerless && Object.keys(annotations).length === 0;
  const run: Effect = {
    kind: "run",
    target: `extension:${extension}/${tool}`,
    within: confined && isPowerless,
    isolation: isolation === undefined ? "no sandbox" : describeIsolation(isolation),
    ...(confined ? { confined, ...(isHarmless && { routine: true }) } : { asks: unbounded }),
    ...(confined && asksUndeclared && { asks: undeclared }),
  };
  const files = (kind: "read" | "write", paths: readonly string[]) =>
    paths.map((given): Effect => {
      const { path, within } = workspace.locate(given, context);
      return { kind, target: path, within };
    });
  const connections = powers.hosts.map((host) => {
    if (connector !== undefined) return connector.origin(`https://${host}`, context);
    throw new HostError("CONNECT_DENIED", "Cannot connect to a host: this installation has no network");
  });
  return [
    run,
    ...files("read", powers.read),
    ...files("write", powers.write),
    ...(await Promise.all(connections)),
  ];
}
