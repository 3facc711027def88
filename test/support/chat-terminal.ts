import { expect } from "vitest";
import { Place } from "../e2e/cli-process.ts";
import { PseudoTerminal } from "../e2e/pseudo-terminal.ts";
import { useScriptedProvider } from "./scripted-provider.ts";

/** A `haft chat` at a terminal, with what its model answers. */
export async function openChat(
  script: Parameters<typeof useScriptedProvider>[1],
  ...args: readonly string[]
): Promise<{
  readonly place: Place;
  readonly provider: Awaited<ReturnType<typeof useScriptedProvider>>;
  readonly terminal: PseudoTerminal;
}> {
  const place = new Place();
  const provider = await useScriptedProvider(place, script);
  const terminal = new PseudoTerminal(place, ["chat", ...args]);
  await terminal.shows("› ");
  return { place, provider, terminal };
}

/** Leaves a chat with Ctrl-D, and returns all that its screen had. */
export async function leaveChat(terminal: PseudoTerminal): Promise<string> {
  terminal.type("\u0004");
  const { exitCode, screen } = await terminal.ended;
  expect(exitCode).toBe(0);
  return screen;
}
