import { getErrorMessage } from "../../base/index.ts";
import type { Call, CallSoFar, DecidedCall, Taint, TracedCall, ValidCall } from "../call/call.ts";
import type { CallContext } from "../call/context.ts";
import type { HookOutcome } from "../call/hooks.ts";
import type { ToolResult } from "../call/result.ts";
import { ToolContent } from "../tool/content.ts";
import type { Effect } from "../tool/effect.ts";
import type { Tool } from "../tool/tool.ts";
import { addressesIn } from "./address.ts";
import { listChoices } from "./choices.ts";
import { KnownPieces } from "./known-pieces.ts";
import { type Seen, type SeenMessage, type SeenText, ShownText, withoutForgotten } from "./seen.ts";
import { describeSource, type Finding, nothingFound, type Source } from "./sources.ts";
import { commandsIn, textsIn } from "./texts.ts";
import { UntrustedFiles, writtenFiles } from "./untrusted-files.ts";
import { mostWaiting, WaitingTexts } from "./waiting-texts.ts";

export interface TaintTrackerOptions {
  /** The most pieces of all conversations; beyond it the oldest of the fullest go. @default 200,000 */
  readonly maxPieces?: number;
  /** Characters of all that was said before anything came from outside. @default 1,000,000 */
  readonly maxWaitingChars?: number;
}

/** Those who share what they have seen: a scope, and within it a session where the channel knows one. */
interface Conversation {
  readonly key: string;
  readonly pieces: KnownPieces;
  /** Something from outside was seen: from now on there is something to look for. */
  isOpen: boolean;
  /** How far its caller has told what it shows again, in the caller's own count. */
  /** How far each teller was told of, by its id. */
  readonly recalledUpTo: Map<string, number>;
}

/** A call that was made before. */
interface RecalledCall {
  readonly call: Call;
  /** Undefined where the registry no longer has it. */
  readonly tool: Tool | undefined;
}

const maxConversations = 1000;

/**
 * Remembers the telling pieces of what each conversation has seen, as numbers made of them, and knows them again in the
 * arguments of later calls. What a caller said, or what was read here, before the same came from outside is not from
 * outside.
 */
export class TaintTracker {
  readonly #maxPieces: number;
  readonly #conversations = new Map<string, Conversation>();
  /** The conversation of the last lookup, which is the most recently used one. */
  #latest: Conversation | undefined;
  readonly #files = new UntrustedFiles();
  readonly #waiting: WaitingTexts<Conversation>;
  /** Conversations that have seen something from outside, the forgotten ones too. */
  #opened = 0;
  /** Pieces of all conversations. */
  #pieces = 0;
  #seeds = 0;

  constructor({ maxPieces = 200_000, maxWaitingChars = 1_000_000 }: TaintTrackerOptions = {}) {
    this.#maxPieces = maxPieces;
    this.#waiting = new WaitingTexts(maxWaitingChars);
  }

  /** How many pieces are remembered. */
  get size(): number {
    return this.#pieces;
  }

  /** Looks through the arguments of a call for untrusted data. */
  trace(call: ValidCall): TracedCall {
    if (this.#opened === 0 && call.context.trust !== "untrusted") return call.trace(nothingTraced);
    const { untrusted, disclosed = this.#disclosedWithin(call) } = this.#findIn(call);
    const isStrange = call.context.trust === "untrusted";
    const taints: string[] = [];
    if (isStrange) taints.push(strangeness(call));
    if (untrusted.length > 0) taints.push(`holds data from ${untrusted.map(describeSource).join(", ")}`);
    if (disclosed !== undefined) {
      const { host, source } = disclosed;
      const what =
        source === undefined ? "something of unknown origin" : `data from ${describeSource(source)}`;
      taints.push(`would send ${what} to ${host}, an address from outside`);
    }
    for (const said of taints) call.notes.push(`untrusted: ${said}`);
    const trust = isStrange || untrusted.length > 0 ? "untrusted" : "trusted";
    return call.trace({ trust, discloses: disclosed !== undefined, taints });
  }

  /** What a call says itself was there before the answer to it. */
  recordArguments(call: TracedCall): void {
    const { id: callId, toolName, trust } = call;
    if (trust === "untrusted" && call.context.trust !== "untrusted") return;
    const source: Source = { callId, toolName, trust, isPrivate: false };
    this.#learn(this.#findConversation(call), call.shownParams, source);
  }

  /** Somebody wrote this. What a person named who is trusted, a call may hold. */
  recordInput(text: string, context: CallContext): void {
    const callId = context.origin?.id ?? "message";
    const toolName = context.origin?.channel ?? "channel";
    const trust = context.trust ?? "trusted";
    const source: Source = { callId, toolName, trust, isPrivate: false, ...(trust === "trusted" && given) };
    this.#learn(this.#getConversation(context), text, source);
  }

  /** What a model was shown before and is shown again, in its order. */
  recall(
    seen: readonly Seen[],
    { scope, origin }: CallContext,
    toCall: (toolName: string, params: unknown, context: CallContext) => RecalledCall,
  ): void {
    const where = { ...(scope !== undefined && { scope }), ...(origin !== undefined && { origin }) };
    const isOpen = this.#getConversation(where).isOpen || seen.some(({ trust }) => trust === "untrusted");
    // While nothing has come from outside, values only wait, and of more than may wait the newest are left.
    for (const one of isOpen ? withoutForgotten(seen) : seen.slice(-mostWaiting)) {
      if (one.kind !== "call") this.#recallText(one, where);
      else
        this.#recallArguments(
          toCall(one.toolName, one.params, { ...where, callId: one.callId, trust: one.trust }),
        );
    }
  }

  #recallText(seen: SeenMessage | SeenText, context: CallContext): void {
    const { callId, toolName, trust, text } = seen;
    const conversation = this.#getConversation(context);
    const isPrivate = seen.kind === "text" && seen.private;
    const isGiven = seen.kind === "message" && trust === "trusted";
    if (seen.kind === "text" && trust === "untrusted")
      for (const host of seen.hosts ?? []) conversation.pieces.answered(host);
    const source: Source = { callId, toolName, trust, isPrivate, ...(isGiven && given) };
    this.#learn(conversation, seen.kind === "text" ? new ShownText(text) : text, source);
  }

  /** Arguments are traced and remembered as they were when the call was made. */
  #recallArguments({ call, tool }: RecalledCall): void {
    const { id: callId, toolName, shownParams: params } = call;
    const trust = call.context.trust ?? "trusted";
    const conversation = this.#findConversation(call);
    if (trust === "trusted" && this.#findUntrusted(conversation, params, tool).untrusted.length > 0) return;
    this.#learn(conversation, params, { callId, toolName, trust, isPrivate: false });
  }

  /** How far {@link markRecalled} was told; 0 where nothing is known of the conversation, or no more. */
  recalledUpTo(context: CallContext, of: string): number {
    return this.#getConversation(context).recalledUpTo.get(of) ?? 0;
  }

  markRecalled(context: CallContext, upTo: number, of: string): void {
    const { recalledUpTo } = this.#getConversation(context);
    recalledUpTo.set(of, Math.max(recalledUpTo.get(of) ?? 0, upTo));
  }

  /** Files that an earlier process wrote with data from outside. */
  recallFiles(paths: readonly string[]): void {
    this.#files.add(paths);
  }

  /** Notes the files that a call is about to write with data from outside, so that they survive a crash within it. */
  foreseeFiles(call: DecidedCall): void {
    if (!call.effects.some(({ kind }) => kind === "write")) return;
    const isUntrusted =
      call.trust === "untrusted" ||
      comesFromOutside(call.soFar) ||
      this.#files.touchedBy(call.effects, () => "");
    if (isUntrusted) call.soFar.untrustedFiles = writtenFiles(call.effects);
  }

  /** Says of a call that came out whether its result is from outside, from which hosts, and whether it is private. */
  label(call: CallSoFar, outcome: HookOutcome): void {
    const { inner, effects } = call;
    call.resultIsPrivate = inner.metPrivate || this.#isPrivate(call);
    if (call.ran && (inner.hosts.length > 0 || effects.some(({ kind }) => kind === "connect")))
      call.resultHosts = Array.from(new Set([...listHosts(effects), ...inner.hosts]));
    try {
      if (this.#isFromOutside(call, outcome)) call.resultTrust = "untrusted";
    } catch {
      call.resultTrust = "untrusted"; // A value that can't be looked at.
    }
  }

  /** Remembers what a call showed, and the files that it wrote with data from outside. */
  learn(call: CallSoFar, result: ToolResult): void {
    const { id: callId, toolName, effects, resultTrust: trust, resultIsPrivate: isPrivate } = call;
    const conversation = this.#findConversation(call);
    const source: Source = { callId, toolName, trust, isPrivate };
    if (trust === "untrusted") call.outer?.call.noteInner({ metUntrusted: true });
    if (isPrivate) call.outer?.call.noteInner({ metPrivate: true });
    if (call.outer !== undefined && call.resultHosts.length > 0) {
      const { call: outer } = call.outer;
      outer.noteInner({ hosts: Array.from(new Set([...outer.inner.hosts, ...call.resultHosts])) });
    }
    if (trust === "untrusted" && call.ran) {
      if (call.untrustedFiles.length === 0) call.untrustedFiles = writtenFiles(effects);
      this.#files.add(call.untrustedFiles);
      for (const host of call.resultHosts) conversation.pieces.answered(host);
    }
    this.#learn(conversation, shownIn(result), source);
  }

  #findIn(call: ValidCall): Finding {
    return this.#findUntrusted(this.#findConversation(call), call.params, call.tool);
  }

  #findUntrusted(conversation: Conversation, params: unknown, tool: Tool | undefined): Finding {
    if (!conversation.isOpen) return nothingFound;
    const offered = tool === undefined ? undefined : listChoices(tool);
    const texts = textsIn(params).filter((text) => offered?.has(text) !== true);
    return conversation.pieces.find(texts, commandsIn(params));
  }

  /** A program that has seen both may have put what is private here into any text, and have made up any address. */
  #disclosedWithin(call: ValidCall): Finding["disclosed"] {
    if (call.context.trust !== "untrusted" || !hasMetPrivate(call)) return undefined;
    const { pieces } = this.#findConversation(call);
    const host = pieces.unknownHostIn(textsIn(call.params));
    return host === undefined ? undefined : { host, source: undefined };
  }

  #learn(conversation: Conversation, value: unknown, source: Source): void {
    if (!conversation.isOpen) {
      if (source.trust === "trusted") return this.#keepWaiting(conversation, value, source);
      conversation.isOpen = true;
      this.#opened++;
      for (const earlier of this.#waiting.take(conversation))
        this.#learnTexts(conversation, earlier.value, { ...earlier.source, ...given });
    }
    this.#learnTexts(conversation, value, source);
    this.#makeRoom();
  }

  #keepWaiting(conversation: Conversation, value: unknown, source: Source): void {
    try {
      this.#waiting.add(conversation, value, source);
    } catch {} // A value that can't be looked at has no texts either.
  }

  #learnTexts({ pieces }: Conversation, value: unknown, source: Source): void {
    const before = pieces.size;
    for (const part of value instanceof ShownText ? value.read() : [value])
      for (const text of textsIn(part)) pieces.learn(text, source);
    this.#pieces += pieces.size - before;
  }

  #makeRoom(): void {
    while (this.#pieces > this.#maxPieces) {
      let fullest: KnownPieces | undefined;
      for (const { pieces } of this.#conversations.values())
        if (fullest === undefined || pieces.size > fullest.size) fullest = pieces;
      if (fullest === undefined) return;
      const before = fullest.size;
      fullest.forgetOldest(Math.min(this.#pieces - this.#maxPieces, before));
      this.#pieces -= before - fullest.size;
    }
  }

  #getConversation(context: CallContext): Conversation {
    return this.#findConversation({ context, scope: context.scope ?? "local" });
  }

  #findConversation({ context, scope }: Pick<Call, "context" | "scope">): Conversation {
    const session = context.origin?.session;
    const key = session === undefined ? scope : `${scope}\u0000${session}`;
    if (this.#latest?.key === key) return this.#latest;
    const known = this.#conversations.get(key);
    const conversation = known ?? {
      key,
      pieces: new KnownPieces(++this.#seeds),
      isOpen: false,
      recalledUpTo: new Map(),
    };
    this.#latest = conversation;
    this.#conversations.delete(key); // The one used longest ago goes first.
    this.#conversations.set(key, conversation);
    if (this.#conversations.size > maxConversations) {
      const [oldest] = this.#conversations;
      if (oldest !== undefined) {
        this.#conversations.delete(oldest[0]);
        this.#pieces -= oldest[1].pieces.size;
        this.#waiting.take(oldest[1]);
      }
    }
    return conversation;
  }

  /** Whether the call reads data of this machine, or data made of it. */
  #isPrivate(call: CallSoFar): boolean {
    if (!call.ran) return false;
    if (call.effects.some(({ kind }) => kind === "read" || kind === "run")) return true;
    if (comesFromOutside(call)) return false;
    if (call.trust === "trusted") return true;
    return this.#findConversation(call).pieces.holdsPrivate(textsIn(call.params));
  }

  #isFromOutside(call: CallSoFar, outcome: HookOutcome): boolean {
    if (call.trust === "untrusted" && !onlyReads(call.effects)) return true;
    if (!call.ran) return false;
    if (call.inner.metUntrusted || comesFromOutside(call) || isMarked(outcome)) return true;
    return this.#files.touchedBy(call.effects, () => formatOutcome(outcome));
  }
}

const nothingTraced: Taint = { trust: "trusted", discloses: false, taints: [] };

/** Nothing from outside can be the cause of it. */
const given = { isGiven: true } as const;

/** Why a call is untrusted: a stranger asked for it, or a program made it out of what it was given from outside. */
function strangeness({ context, outer }: Call): string {
  if (outer === undefined || outer.call.context.trust === context.trust) return "asked for from outside";
  return `made by "${outer.call.toolName}" with data from outside`;
}

/** One of the calls that it is part of was given what is private here. */
function hasMetPrivate({ outer }: Call): boolean {
  return outer !== undefined && (outer.call.inner.metPrivate || hasMetPrivate(outer.call));
}

/**
 * Whether the result is untrusted: by what the call was decided to do, where its tool says that; else by what
 * the tool says of itself.
 */
function comesFromOutside({ tool, effects }: CallSoFar): boolean {
  if (effects.some(({ kind }) => kind === "connect")) return true;
  if (tool === undefined || tool.composes !== undefined) return false; // Its calls say it.
  return tool.effects === undefined && tool.annotations.openWorld !== false;
}

/** Whatever the arguments are, the result is what the files hold. */
function onlyReads(effects: readonly Effect[]): boolean {
  return effects.length > 0 && effects.every(({ kind }) => kind === "read");
}

function isMarked(outcome: HookOutcome): boolean {
  return outcome.success && outcome.value instanceof ToolContent && outcome.value.trust === "untrusted";
}

function formatOutcome(outcome: HookOutcome): string {
  const { value } = outcome.success ? outcome : { value: getErrorMessage(outcome.error) };
  return textsIn(value instanceof ToolContent ? value.blocks : value).join("\n");
}

/** What a result shows; of data the value itself, as JSON would hide the ends of its texts. */
function shownIn(result: ToolResult): unknown {
  if (!result.success || typeof result.result !== "object" || result.result === null) return result.text;
  return result.content === undefined ? result.result : [result.text, result.result];
}

function listHosts(effects: readonly Effect[]): string[] {
  return effects.flatMap(({ kind, target }) =>
    kind === "connect" ? addressesIn(target.toLowerCase()).map(({ host }) => host) : [],
  );
}
