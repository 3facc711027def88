import { isRecord } from "../../../base/index.ts";
import { type HttpRequest, readHeader } from "../../http/port.ts";
import type { ServerCore } from "../core.ts";
import type { RpcRequest } from "../messages/message.ts";
import { readMeta } from "../messages/meta.ts";
import { metaKeys, modernVersions, rpcCodes } from "../messages/protocol.ts";
import { RpcError } from "../messages/rpc-error.ts";
import { decodeHeader, readRepeatedValue } from "./header-params.ts";

/** The methods whose target a client names in `Mcp-Name`. */
const namedBy: Readonly<Record<string, "name" | "uri">> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** A header says that a request is of a revision that carries its version with it. */
export function saysModern(request: HttpRequest): boolean {
  const version = readHeader(request, "mcp-protocol-version");
  return version !== undefined && modernVersions.includes(version);
}

/**
 * Checks that the headers say of a request what its body says, so that nothing between client and server can be
 * told one thing while another is done.
 *
 * @throws {RpcError} headerMismatch
 */
export function checkHeaders(core: ServerCore, http: HttpRequest, request: RpcRequest): void {
  const version = readMeta(request)[metaKeys.protocolVersion];
  if (typeof version !== "string") return; // Refused for that by whoever reads the request.
  expectHeader(http, "MCP-Protocol-Version", version);
  expectHeader(http, "Mcp-Method", request.method);
  const target = request.params[namedBy[request.method] ?? ""];
  if (typeof target !== "string") return;
  expectHeader(http, "Mcp-Name", target);
  if (request.method === "tools/call") checkParams(core, http, target, request.params["arguments"]);
}

function checkParams(core: ServerCore, http: HttpRequest, tool: string, args: unknown): void {
  for (const { header, path } of core.tools.headerParams(tool)) {
    const name = `Mcp-Param-${header}`;
    const value = isRecord(args) ? readRepeatedValue(args, path) : undefined;
    if (value !== undefined) expectHeader(http, name, value);
    else if (readHeader(http, name.toLowerCase()) !== undefined) {
      throw mismatch(`${name} is set, and the argument it stands for is not`);
    }
  }
}

function expectHeader(http: HttpRequest, name: string, expected: string | number | boolean): void {
  const value = readHeader(http, name.toLowerCase());
  if (value === undefined) throw mismatch(`${name} is missing`);
  const said = name.startsWith("Mcp-N") || name.startsWith("Mcp-P") ? decodeHeader(value) : value;
  if (said === undefined) throw mismatch(`${name} holds characters or an encoding that it must not`);
  // 42.0 and 42 say the same.
  const same =
    typeof expected === "number" ? said !== "" && Number(said) === expected : said === String(expected);
  if (!same)
    throw mismatch(`${name} says "${said.slice(0, 200)}", the body says "${String(expected).slice(0, 200)}"`);
}

function mismatch(why: string): RpcError {
  return new RpcError(
    rpcCodes.headerMismatch,
    `Cannot take the request: its headers do not match its body: ${why}`,
    {
      httpStatus: 400,
    },
  );
}
