import { expect, test } from "vitest";
import { Interrupts } from "../../src/agent/index.ts";
import { countStatements, type StatementCounts } from "../support/count-statements.ts";
import { Installation, type OpenInstallation } from "../support/installation.ts";
import { useScriptedProvider } from "../support/scripted-provider.ts";

// What one step of a run costs the store: one answer with one call, and its result.

/** A run of so many steps that each read a file in another way, and one more that ends it. */
async function runSteps({ app }: OpenInstallation, steps: number): Promise<void> {
  const host = await app.agent();
  const run = await host.begin({
    parts: [{ type: "text", text: `Make ${steps} steps.` }],
    channel: "terminal",
    maxSteps: steps + 1,
  });
  const end = await host.drive(run, { emit: () => undefined, interrupts: new Interrupts() });
  expect(end).toMatchObject({ state: "completed", stop: "end" });
}

async function openPlace(): Promise<OpenInstallation> {
  const place = new Installation();
  place.write("project/small.txt", "A small file.\n");
  let step = 0;
  await useScriptedProvider(
    { home: place.home.folder },
    ({ body }) => {
      const messages = body["messages"] as readonly { readonly role: string; readonly content?: unknown }[];
      const asked = messages.findLast(({ role }) => role === "user");
      const steps = Number(/Make (\d+)/.exec(JSON.stringify(asked))?.[1]);
      const done = messages.length - messages.indexOf(asked as (typeof messages)[0]) - 1;
      if (done >= steps * 2) return { text: "Done." };
      return { calls: [{ name: "read", input: { path: "small.txt", limit: ++step } }] };
    },
    // Vectors would be made meanwhile, in as many commits as there is time for.
    "permissions: [{ decision: allow, tool: read }]\ntools: { search: { embedder: none } }\n",
  );
  const opened = await place.open();
  await opened.app.sources.listed();
  return opened;
}

test("a step of a run is five commits: the request before it is made, the answer, what it cost, the call, its result", async () => {
  const opened = await openPlace();
  await runSteps(opened, 3);
  const few = await countStatements(() => runSteps(opened, 2));
  const many = await countStatements(() => runSteps(opened, 12));
  const perStep = (name: keyof StatementCounts) => (many[name] - few[name]) / 10;
  expect({ commits: perStep("commits"), statements: perStep("statements") }).toEqual({
    commits: 5,
    // Three of them are the rows of events that tell the console, one looks whether the run is still had.
    statements: 31,
  });
});
