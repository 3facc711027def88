import { findMemoryScope, type MemoryPermission, memoryPermissions } from "../../../modules/memory/index.ts";
import { findEntry, type MemoryOptions, type OwnMemory, openMemory } from "../../memory/open-memory.ts";
import { checkAgent } from "../../options/agent.ts";
import type { Session } from "../../session.ts";
import { tellEntry } from "./add.ts";

export interface ShareRequest {
  readonly key: string;
  /** `-`: none. */
  readonly agent: string;
  readonly permission?: string;
}

const usual: MemoryPermission = "append";

export async function share(session: Session, of: MemoryOptions, request: ShareRequest): Promise<void> {
  const own = await openMemory(session, of);
  const { id, permission } = await findEntry(own, request.key);
  if (request.agent !== "-")
    await checkAgent(await session.openApp({ sources: "once", servers: [] }), request.agent);
  const wanted = memoryPermissions.find((one) => one === request.permission) ?? stricter(usual, permission);
  const entry = await own.memory.shareBlock(id, findScope(own, request.agent), wanted);
  tellEntry(session, entry, `is shared with ${formatName(request.agent)}, as ${wanted}`);
}

export async function unshare(session: Session, of: MemoryOptions, request: ShareRequest): Promise<void> {
  const own = await openMemory(session, of);
  const { id, revision } = await findEntry(own, request.key);
  const entry = await own.memory.unshareBlock(id, findScope(own, request.agent));
  const was = entry.revision === revision ? "was not shared" : "is no longer shared";
  tellEntry(session, entry, `${was} with ${formatName(request.agent)}`);
}

function stricter(one: MemoryPermission, other: MemoryPermission): MemoryPermission {
  return memoryPermissions.indexOf(one) < memoryPermissions.indexOf(other) ? one : other;
}

function formatName(agent: string): string {
  return agent === "-" ? "calls that name no agent" : agent;
}

function findScope({ app }: OwnMemory, agent: string): string {
  return findMemoryScope({ scope: app.context.scope, agentId: agent === "-" ? undefined : agent });
}
