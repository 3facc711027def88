import type { Module } from "../module.ts";

/** Messages to people. `reply` is no tool of an installation: an agent has it while somebody hears it. */
export const messagesModule: Module<unknown> = { name: "messages" };
