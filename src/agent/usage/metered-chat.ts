import { type Clock, formatDay, systemClock, systemZone, type Zone } from "../../base/index.ts";
import { AgentError, type ChatModel, type ChatRequest, countTokens } from "../../model/index.ts";
import { Metered } from "../loop/metered.ts";
import { findNextMidnight } from "./midnight.ts";
import type { MeteredRequest, UsageMeter } from "./usage-meter.ts";

/** The meter that counts a model's requests, and what it is told of each. */
export interface MeteredChatOptions
  extends Pick<MeteredRequest, "scope" | "purpose" | "project" | "budgets"> {
  readonly meter: UsageMeter;
  readonly clock?: Clock;
  /** The zone in which days begin at midnight. @default the zone of this machine */
  readonly zone?: Zone;
}

/** Tokens counted for the frame of each text, message, tool and schema. */
const frameTokens = 16;

/**
 * Wraps a model that no run asks, such as that of memory: each request is counted, and made only if the budgets have room
 * for it and its whole answer. Otherwise it fails with AGENT_BUDGET, and may be made again on the next day.
 */
export function meterChat(
  chat: ChatModel,
  { meter, clock = systemClock, zone = systemZone, ...about }: MeteredChatOptions,
): ChatModel {
  const refuse = (why: string): never => {
    const now = clock.now();
    const midnight = findNextMidnight(now, zone);
    throw new AgentError(
      "AGENT_BUDGET",
      `Cannot ask the model "${chat.id}" before ${formatDay(midnight, zone)}: ${why} Raise \`agent.budget.day\` to have it asked today`,
      { details: { retryAfterMs: midnight - now, isPostponed: true } },
    );
  };
  return {
    id: chat.id,
    facts: chat.facts,
    async *stream(request) {
      const inputTokens = countRequest(request);
      const { maxTokens } = request;
      const begun = await meter.before({
        ...about,
        model: chat,
        inputTokens,
        isFixed: true,
        ...(maxTokens !== undefined && { maxTokens }),
      });
      const metered = new Metered(begun);
      if (metered.pause !== undefined) refuse(metered.pause);
      let isOpen = true;
      try {
        for await (const event of chat.stream(request)) {
          metered.hear(event);
          if (event.type === "withdrawn") await metered.retried(event);
          if (event.type === "end") {
            isOpen = false;
            await metered.ended(event, countTokens(JSON.stringify(event.message)));
          }
          yield event;
        }
      } catch (thrown) {
        if (metered.pause !== undefined) refuse(metered.pause);
        if (isOpen) await metered.failed(thrown);
        isOpen = false;
        throw thrown;
      } finally {
        if (isOpen) await metered.failed(undefined);
      }
    },
  };
}

/** An estimate of a request's tokens that is not too low. */
function countRequest({ system, messages, json, tools }: ChatRequest): number {
  const texts = [
    ...system.map(({ text }) => text),
    ...[...messages, ...tools].map((part) => JSON.stringify(part)),
  ];
  if (json !== undefined) texts.push(JSON.stringify(json));
  return texts.reduce((sum, text) => sum + frameTokens + countTokens(text), 0);
}
