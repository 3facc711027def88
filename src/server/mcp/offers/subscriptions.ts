import { isRecord } from "../../../base/index.ts";
import type { ServerCore } from "../core.ts";
import { modernAnswer } from "../messages/answer.ts";
import type { Exchange } from "../messages/exchange.ts";
import type { Params } from "../messages/message.ts";
import { metaKeys, rpcCodes } from "../messages/protocol.ts";
import { invalidParams, RpcError } from "../messages/rpc-error.ts";
import { type Change, toNotification } from "./changes.ts";

const mostUris = 1000;

/** The kinds of news one subscription is for; those that this server has. */
interface Filter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** `subscriptions/listen`: a request that is answered with news until the client, or the server, ends it. */
export function openSubscription(core: ServerCore, exchange: Exchange): void {
  const filter = toFilter(exchange.params, core);
  if (core.subscriptions.size >= core.maxSubscriptions) {
    throw new RpcError(
      rpcCodes.internalError,
      `Cannot open a subscription: ${core.subscriptions.size} are open already; end one first`,
    );
  }
  const _meta = { [metaKeys.subscriptionId]: exchange.id };
  exchange.notify("notifications/subscriptions/acknowledged", { _meta, notifications: filter });
  const stopListening = core.changes.listen((change) => {
    if (!isWanted(change, filter)) return;
    const { method, params } = toNotification(change);
    exchange.notify(method, { _meta, ...params });
  });
  const stop = () => {
    stopListening();
    core.subscriptions.delete(end);
    exchange.onCancel = undefined;
  };
  const end = () => {
    stop();
    const meta = JSON.stringify(_meta).slice(1, -1);
    exchange.answer(modernAnswer(exchange.id, { reply: { members: "", meta } }, core));
  };
  core.subscriptions.add(end);
  exchange.onCancel = () => {
    stop();
    exchange.outlet.abandon();
  };
}

function toFilter({ notifications }: Params, { prompts, resources }: ServerCore): Filter {
  if (!isRecord(notifications))
    throw invalidParams('Cannot open a subscription: "notifications" must be an object');
  const {
    toolsListChanged,
    promptsListChanged,
    resourcesListChanged,
    resourceSubscriptions: uris,
  } = notifications;
  if (uris !== undefined && !(Array.isArray(uris) && uris.every((uri) => typeof uri === "string"))) {
    throw invalidParams('Cannot open a subscription: "resourceSubscriptions" must be a list of URIs');
  }
  if (Array.isArray(uris) && uris.length > mostUris) {
    throw invalidParams(`Cannot open a subscription: it may name at most ${mostUris} resources`);
  }
  return {
    ...(toolsListChanged === true && { toolsListChanged }),
    ...(promptsListChanged === true && prompts?.onListChange !== undefined && { promptsListChanged }),
    ...(resourcesListChanged === true && resources?.onListChange !== undefined && { resourcesListChanged }),
    ...(uris !== undefined &&
      resources?.onUpdate !== undefined && { resourceSubscriptions: uris as string[] }),
  };
}

function isWanted(change: Change, filter: Filter): boolean {
  switch (change.type) {
    case "tools":
      return filter.toolsListChanged === true;
    case "prompts":
      return filter.promptsListChanged === true;
    case "resources":
      return filter.resourcesListChanged === true;
    case "resource":
      return filter.resourceSubscriptions?.includes(change.uri) === true;
    default:
      return change satisfies never;
  }
}
