import type { Module } from "../module.ts";

/** Messages to people. The tool `reply` is not registered here: an agent has it only while somebody listens. */
export const messagesModule: Module<unknown> = {
  name: "messages",
  collections: { mainAgentTools: ["reply"] },
};
