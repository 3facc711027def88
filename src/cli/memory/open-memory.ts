import { hasEntries, type OwnMemory, openOwnMemory } from "../../app/memory/index.ts";
import { ownerIdentity } from "../asking/owner-identity.ts";
import { refuseTools } from "../asking/owner-only.ts";
import { CliError } from "../errors.ts";
import { checkAgent } from "../options/agent.ts";
import type { Session } from "../session.ts";

export { findEntry, type OwnMemory } from "../../app/memory/index.ts";

/** The options that every command of memory has. */
export interface MemoryOptions {
  /** `-`: none. */
  readonly agent?: string;
}

/** @throws {CliError} CLI_UNCONFIRMED where a tool started this: no tool has what its owner has. */
export async function openMemory(session: Session, of: MemoryOptions): Promise<OwnMemory> {
  await refuseTools("work with memory");
  const app = await session.openApp();
  session.warn(app.loaded.warnings);
  const agent = of.agent === "-" ? undefined : of.agent;
  const author = { by: ownerIdentity(), channel: "cli" };
  const own = await openOwnMemory(app, { agent, author });
  if (agent !== undefined && !(await hasEntries(own.store, own.scope))) {
    if (agent === app.context.scope)
      throw new CliError(
        "CLI_NOT_FOUND",
        `Cannot find an agent "${agent}": that is a scope, whose memory you have without --agent`,
      );
    await checkAgent(await session.openApp({ sources: "once", servers: [] }), agent);
  }
  return own;
}
