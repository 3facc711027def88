import { isRecord } from "../../../base/index.ts";
import { type CallContext, type ToolFailure, unwrapCall } from "../../../kernel/index.ts";
import { PeerApprover } from "../asking/approver.ts";
import { canElicit, formatIdentity, type McpClient } from "../client.ts";
import { channel, type ServerCore } from "../core.ts";
import { CallPeer } from "../messages/peer.ts";
import { rpcCodes } from "../messages/protocol.ts";
import { invalidParams, RpcError } from "../messages/rpc-error.ts";
import type { Call, Reply } from "./call.ts";
import { toCallResult, withNote } from "./content.ts";
import { ProgressTeller } from "./progress.ts";

/** `tools/call`: takes the call through the gate. */
export async function callTool(core: ServerCore, call: Call): Promise<Reply> {
  const { name, arguments: given = {} } = call.params;
  if (typeof name !== "string") throw invalidParams('Cannot call a tool: "name" must be a string');
  if (!isRecord(given))
    throw invalidParams(`Cannot call "${name.slice(0, 200)}": "arguments" must be an object`);
  const { registry, executor } = core.options;
  if (!registry.has(unwrapCall(registry, name, given).name)) await core.options.arriving?.();
  const loaded = call.interaction?.handle;
  const progress = call.progressToken === undefined ? undefined : new ProgressTeller(call, core.clock);
  const context = toContext(core, call, progress);
  const result = await executor.execute(name, registry.fromLLMArguments(name, given, "mcp"), context);
  progress?.end();
  // Told to this session alone: the lists of others have not changed.
  if (!call.modern && call.interaction?.handle !== loaded)
    call.notify("notifications/tools/list_changed", {});
  const after = () => executor.emitCompletion(name, result, context);
  if (!result.success) {
    const fault = registry.has(name)
      ? toCapabilityFault(result, call)
      : invalidParams(result.error, result.details);
    if (fault !== undefined) return { members: "", fault, after };
  }
  const form = {
    protocolVersion: call.client.protocolVersion,
    name,
    hasOutputSchema: registry.get(name)?.output !== undefined,
  };
  return { ...toCallResult(withNote(result, call.note), form), after };
}

function toContext(core: ServerCore, call: Call, progress: ProgressTeller | undefined): CallContext {
  const { client } = call;
  const peer = new CallPeer(call);
  const context: CallContext = {
    ...core.getBounds(client),
    ...(call.interaction !== undefined && { interaction: call.interaction }),
    origin: {
      channel,
      id: call.id,
      principal: formatIdentity(client),
      ...(client.session !== undefined && { session: client.session }),
      client: { name: client.name, version: client.version },
      peer,
    },
    signal: call.signal,
    watcherWaitMs: progress === undefined ? untoldWaitMs : watcherWaitMs(client),
    ...(progress !== undefined && { onUpdate: progress.update, onAwaited: progress.waits }),
  };
  return canElicit(client.capabilities, "form")
    ? { ...context, approver: new PeerApprover(peer, core, call.unattended) }
    : context;
}

/** Longest wait for a client without progress: clients time out after 60 s by default and cannot show why they wait. */
const untoldWaitMs = 50_000;
/** Names of clients that time out after 60 s even if they receive progress. */
const impatientClients: ReadonlySet<string> = new Set(["codex-mcp-client"]);

function watcherWaitMs({ name }: Pick<McpClient, "name">): number {
  return impatientClients.has(name) ? untoldWaitMs : Number.POSITIVE_INFINITY;
}

/**
 * The protocol error for a capability that a client of the modern era lacks; every other failure is the
 * tool's own answer.
 */
function toCapabilityFault({ code, error, details }: ToolFailure, call: Call): RpcError | undefined {
  if (code !== "MCP_CAPABILITY" || !call.modern) return undefined;
  const data = { requiredCapabilities: details?.["requiredCapabilities"] ?? {} };
  return new RpcError(rpcCodes.missingCapability, error, { data, httpStatus: 400 });
}
