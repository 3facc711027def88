import type { HttpRequest, HttpResponse } from "../../host/index.ts";
import {
  type DefinedTool,
  defineTool,
  type ParameterSchema,
  type ParametersOf,
  type ToolAnnotations,
  type ToolContext,
} from "../../kernel/index.ts";
import type { NetworkServices } from "./network-options.ts";

/** Sends one request within the bounds of the call. */
export type Send = (request: HttpRequest) => Promise<HttpResponse>;

export interface NetworkToolDefinition<Schema extends ParameterSchema, Result> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: Schema;
  readonly annotations: ToolAnnotations;
  readonly verify?: string;
  /** Every address that a call connects to, or gives away. */
  readonly addresses: (params: ParametersOf<Schema>) => readonly NetworkAddress[];
  /** The request that a call begins with, where its arguments hold all of it; checked before a person is asked. */
  readonly request?: (params: ParametersOf<Schema>) => HttpRequest;
  readonly run: (params: ParametersOf<Schema>, send: Send, context: ToolContext) => Promise<Result>;
}

/** `isConfigured`: out of the owner's configuration, so that it may be on a net of their own. */
export type NetworkAddress = Pick<HttpRequest, "url" | "isConfigured">;

/**
 * A tool whose result comes from outside. All network tools are made here, and all they receive passes through here:
 * their origins are declared, and nothing else can be reached.
 */
export function defineNetworkTool<const Schema extends ParameterSchema, Result>(
  { connector, options }: NetworkServices,
  { addresses, request, run, annotations, ...definition }: NetworkToolDefinition<Schema, Result>,
): DefinedTool<Schema, Result> {
  const maxBytes = options?.maxResponseBytes;
  return defineTool({
    ...definition,
    category: "network",
    annotations: { openWorld: true, ...annotations },
    effects: (params: ParametersOf<Schema>, context) =>
      Promise.all(addresses(params).map((address) => connector.origin(address.url, context, address))),
    ...(request !== undefined && {
      check: (params: ParametersOf<Schema>) => connector.check(request(params)),
    }),
    execute: (params: ParametersOf<Schema>, context) => {
      const send: Send = (request) =>
        connector.request(maxBytes === undefined ? request : { maxBytes, ...request }, context);
      return run(params, send, context);
    },
  });
}
