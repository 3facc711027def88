import { hash } from "node:crypto";
import { canonicalJson, compileGlob, isPromise } from "../../../base/index.ts";
import type { Effect, Tool, ToolContext, ToolPool, Validate } from "../../../kernel/index.ts";
import { compileJsonSchema } from "../../../schema/index.ts";
import { McpError } from "../../errors.ts";
import { toAlias } from "../../names.ts";
import {
  defaultConcurrency,
  defaultTimeoutMs,
  findTarget,
  identify,
  type McpServerConfig,
} from "../config.ts";
import { badAnswer, said } from "../faults.ts";
import type { Result } from "../link.ts";
import { sandboxHint } from "../opening/sandbox-hint.ts";
import type { ServerConnection } from "../server-connection.ts";
import { type ServerTool, toDefinitionText } from "./server-tool.ts";
import { isShownAsIs, shownSchema, shownText } from "./shown-schema.ts";
import { readText, toToolContent } from "./tool-content.ts";
import { getBelievedAnnotations } from "./trusted-hints.ts";

/** The gate waits a little longer than the connection, whose error says more; and for people as long as it takes them. */
const marginMs = 2000;
const maxError = 3500;

/**
 * The tools of a server as haft's own: behind the same gate, with the server's schema checked here, and with nothing
 * believed that it says of itself unless its owner does. What its owner does not offer is left out.
 *
 * @param wrapped what was made of this connection's definitions before: its configuration stays the same
 */
export function wrapTools(
  connection: ServerConnection,
  listed: readonly ServerTool[],
  wrapped: WeakMap<ServerTool, Tool>,
): Tool[] {
  const { server } = connection;
  const isOffered = chooseOffer(server);
  const common = toCommon(server);
  const wrapOnce = (tool: ServerTool) => {
    const known = wrapped.get(tool);
    if (known !== undefined) return known;
    const made = wrap(connection, tool, common);
    wrapped.set(tool, made);
    return made;
  };
  return listed.filter(({ name }) => isOffered(name)).map(wrapOnce);
}

/** What all tools of a server have in common. */
interface Common {
  readonly identity: string;
  readonly pool: ToolPool;
  readonly timeoutMs: number;
}

function toCommon(server: McpServerConfig): Common {
  return {
    identity: canonicalJson(identify(server)),
    pool: toPool(server),
    timeoutMs: (server.timeout ?? defaultTimeoutMs) + marginMs,
  };
}

/** Those that wait for one server wait for nobody else. */
export function toPool({ name, concurrency = defaultConcurrency }: McpServerConfig): ToolPool {
  return { name: `mcp:${name}`, size: concurrency };
}

/** Which of a server's tools its owner offers, by the server's own names. */
export function chooseOffer({ allow, deny = [] }: McpServerConfig): (name: string) => boolean {
  const allowed = allow?.map(compileGlob);
  const denied = deny.map(compileGlob);
  return (name) =>
    (allowed === undefined || allowed.some((matches) => matches(name))) &&
    !denied.some((matches) => matches(name));
}

/** The effect of calling a server: policy decides on it as on any connection. */
export function toEffect(server: McpServerConfig, within: boolean): Effect {
  return { kind: "connect", target: findTarget(server), within };
}

function wrap(connection: ServerConnection, tool: ServerTool, { identity, pool, timeoutMs }: Common): Tool {
  const { server } = connection;
  const annotations = getBelievedAnnotations(server, tool);
  const effects = [toEffect(server, annotations.readOnly === true)];
  const checkOutput =
    tool.outputSchema === undefined ? undefined : outputCheck(server.name, tool.outputSchema);
  const name = server.rename?.[tool.name] ?? tool.name;
  const toShown = isShownAsIs(toDefinitionText(tool)) ? asItIs : shownSchema;
  return {
    name: toAlias(server.name, name),
    title: shownText(tool.title ?? tool.name, 200),
    description: `[${server.name}] ${shownText(tool.description ?? tool.title ?? tool.name)}`,
    category: "mcp",
    pack: server.name,
    origin: `mcp:${server.name}`,
    parameters: toShown(tool.inputSchema),
    ...(tool.outputSchema !== undefined && { output: toShown(tool.outputSchema) }),
    annotations,
    version: hash("sha256", `${identity}\n${toDefinitionText(tool)}`).slice(0, 16),
    timeoutMs,
    pool,
    effects: () => effects,
    check: (_params: unknown, { signal }) => connection.checkThere(tool, signal),
    execute: async (params: unknown, context: ToolContext) => {
      const result = await connection.request({
        what: `the tool "${tool.name}"`,
        method: "tools/call",
        params: { name: tool.name, arguments: params },
        context,
        tool,
        repeatable: connection.repeats(tool),
      });
      if (result["isError"] === true) throw toolFailed(server, tool.name, result, context);
      const misfit = await checkOutput?.(result);
      if (misfit !== undefined) {
        context.output(readText(result));
        throw misfit;
      }
      return toToolContent(result);
    },
  };
}

function asItIs(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return schema;
}

function toolFailed(server: McpServerConfig, tool: string, result: Result, context: ToolContext): McpError {
  const text = readText(result);
  const hint = sandboxHint(server, text);
  const tail = hint === undefined ? "" : `\n[${hint}]`;
  const options = { details: { server: server.name, tool } };
  if (text.length <= maxError)
    return new McpError("MCP_TOOL_FAILED", (text || `"${tool}" failed and did not say why`) + tail, options);
  context.output(text); // Kept whole, where a message would be cut.
  return new McpError(
    "MCP_TOOL_FAILED",
    `"${tool}" of the MCP server "${server.name}" failed: ${said(text)}${tail}`,
    options,
  );
}

type OutputCheck = (result: Result) => Promise<McpError | undefined>;

/** Whether a result is in the form that its tool has promised. A promise that can't be read is none. */
function outputCheck(server: string, schema: Readonly<Record<string, unknown>>): OutputCheck {
  let validate: Validate | null | undefined;
  return async (result) => {
    const structured = result["structuredContent"];
    if (structured === undefined)
      return badAnswer(server, "it lacks the structured result that the tool promises");
    validate ??= compiled(schema);
    const checking = validate?.(structured);
    const checked = isPromise(checking) ? await checking : checking;
    if (checked === undefined || checked.valid) return undefined;
    const [issue] = checked.issues;
    const where = issue === undefined ? "" : ` at "/${issue.path.join("/")}": ${said(issue.message)}`;
    return badAnswer(server, `its result is not in the form that the tool promises${where}`);
  };
}

function compiled(schema: Readonly<Record<string, unknown>>): Validate | null {
  try {
    return compileJsonSchema(schema);
  } catch {
    return null;
  }
}
