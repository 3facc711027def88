import { expect, test } from "vitest";
import { Place } from "../e2e/cli-process.ts";
import { hasTerminal, PseudoTerminal } from "../e2e/pseudo-terminal.ts";
import { type ProviderTurn, useScriptedProvider } from "../support/scripted-provider.ts";

const look: ProviderTurn = { calls: [{ name: "listdir", input: { path: "." } }], inputTokens: 45_000 };

/** A place whose runs pause after their first answer. */
async function makePlace(
  budget: string,
  script: readonly ProviderTurn[] = [look, { text: "Nothing is here." }],
) {
  const place = new Place();
  const provider = await useScriptedProvider(place, script, "", {
    model: "prices: { input: 10, output: 100 }, maxOutputTokens: 4000",
    agent: `budget: { ${budget} }`,
  });
  return { place, provider };
}

test.skipIf(!hasTerminal)(
  "haft run asks once at the end of its budget, and goes on after a yes",
  async () => {
    const { place, provider } = await makePlace("run: { usd: 0.5 }");
    const terminal = new PseudoTerminal(place, ["run", "What is here?"]);
    await terminal.shows("It has spent $0.45 of $0.50, and the rest does not suffice for another answer.");
    await terminal.shows("Go on with $1 more? (y/N)");
    terminal.type("y");
    await terminal.shows("Nothing is here.");
    expect((await terminal.ended).exitCode).toBe(0);
    expect(provider.asked).toHaveLength(2);
  },
);

test.skipIf(!hasTerminal)("haft run stays paused after a no, and says how it goes on", async () => {
  const { place, provider } = await makePlace("run: { usd: 0.5 }");
  const terminal = new PseudoTerminal(place, ["run", "What is here?"]);
  await terminal.shows("Go on with $1 more?");
  terminal.type("n");
  const [, id = "", budget = ""] = await terminal.shows(/haft run --resume (run_\w+)\s+--budget\s+(\S+)/);
  expect((await terminal.ended).exitCode).toBe(8);
  expect(provider.asked).toHaveLength(1);
  expect(await place.run(["run", "--resume", id, "--budget", budget])).toMatchObject({
    exitCode: 0,
    stdout: "Nothing is here.\n",
  });
});

test.skipIf(!hasTerminal)("haft chat asks too, and asks again at the end of what it was given", async () => {
  const { place, provider } = await makePlace("run: { usd: 0.5 }", [
    look,
    look,
    look,
    { text: "Nothing is here." },
  ]);
  const terminal = new PseudoTerminal(place, ["chat"]);
  await terminal.shows("› ");
  terminal.type("What is here?\r");
  await terminal.shows("It has spent $0.45 of $0.50");
  await terminal.shows("Go on with $1 more?");
  terminal.type("y");
  await terminal.shows("It has spent $1.35 of $1.50");
  await terminal.shows("Go on with $1 more?");
  terminal.type("\r");
  await terminal.shows(/--budget\s+2\.50\s+goes on/);
  expect(provider.asked).toHaveLength(3);
  await terminal.shows("› ");
  terminal.type("/resume\r");
  await terminal.shows("Go on with $1 more?");
  terminal.type("y");
  await terminal.shows("Nothing is here.");
  await terminal.shows("› ");
  terminal.type("\u0004");
  expect((await terminal.ended).exitCode).toBe(0);
});

test.skipIf(!hasTerminal)("as much again is offered of a limit that is not money", async () => {
  const { place } = await makePlace("run: { steps: 1 }");
  const terminal = new PseudoTerminal(place, ["run", "What is here?"]);
  await terminal.shows("It has spent 1 step of 1 step.");
  await terminal.shows("Go on with 1 step more?");
  terminal.type("y");
  await terminal.shows("Nothing is here.");
  expect((await terminal.ended).exitCode).toBe(0);
});

test.skipIf(!hasTerminal)(
  "nobody is asked about the budget of a day, nor for events or through a pipe",
  async () => {
    const { place } = await makePlace("day: { usd: 0.5 }");
    const day = new PseudoTerminal(place, ["run", "What is here?"]);
    await day.shows(/goes\s+on\s+tomorrow,\s+or\s+once\s+`agent\.budget\.day`\s+is\s+raised/);
    expect(await day.ended).toMatchObject({ exitCode: 8, screen: expect.not.stringContaining("Go on with") });
    const { place: other } = await makePlace("run: { usd: 0.5 }", [look, look]);
    const events = new PseudoTerminal(other, ["run", "--json", "What is here?"]);
    const { exitCode, screen } = await events.ended;
    expect([exitCode, screen.includes("Go on with")]).toEqual([8, false]);
    expect(JSON.parse(screen.trim().split("\n").at(-1) ?? "")).toMatchObject({
      type: "run.ended",
      end: {
        state: "paused",
        why: "budget",
        budget: { scope: "run", kind: "micros", limit: 500_000, spent: 451_000 },
      },
    });
    const piped = await other.run(["run", "What is here?"]);
    expect(piped.exitCode).toBe(8);
    expect(piped.stderr).toMatch(/haft run --resume run_\w+ --budget 1\.50 goes on/);
  },
);
