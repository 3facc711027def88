import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "../e2e/cli-process.ts";
import { hasTerminal, PseudoTerminal } from "../e2e/pseudo-terminal.ts";
import { type ProviderTurn, useScriptedProvider } from "../support/scripted-provider.ts";

async function openChat(place: Place): Promise<PseudoTerminal> {
  const terminal = new PseudoTerminal(place, ["chat"]);
  await terminal.shows("› ");
  return terminal;
}

async function leave(terminal: PseudoTerminal): Promise<string> {
  terminal.type("\u0004");
  const { exitCode, screen } = await terminal.ended;
  expect(exitCode).toBe(0);
  return screen;
}

/** Adds a model `open` to the configuration, which is `main` without a key. */
function addOpenModel({ home }: Place): void {
  const config = join(home, "config.yml");
  const [main = "", settings = ""] = / {2}main: (.*)\n/.exec(readFileSync(config, "utf8")) ?? [];
  const open = `  open: ${settings.replace(/, apiKey: "[^"]*"/, "")}\n`;
  writeFileSync(
    config,
    readFileSync(config, "utf8").replace(main, () => main + open),
  );
}

const keyed = { model: 'apiKey: "${secret:MY_KEY}"' };

test.skipIf(!hasTerminal)(
  "/resume tries again what failed, with the model that was chosen since",
  async () => {
    const place = new Place();
    const provider = await useScriptedProvider(place, [{ text: "Now it is done." }], "", keyed);
    addOpenModel(place);
    const terminal = await openChat(place);
    terminal.type("Do it\r");
    await terminal.shows("/resume tries again, once that is put right");
    await terminal.shows("› ");
    terminal.type("/model open\r");
    await terminal.shows('The model "open" is asked');
    await terminal.shows("› ");
    terminal.type("/resume\r");
    await terminal.shows("Now it is done.");
    expect(JSON.stringify(provider.lastMessages())).toContain("Do it");
    await terminal.shows("› ");
    await leave(terminal);
  },
);

test.skipIf(!hasTerminal)("haft chat that comes back to what failed waits for /resume", async () => {
  const place = new Place();
  const provider = await useScriptedProvider(place, [{ text: "Now it is done." }], "", keyed);
  await place.run(["run", "Do it"]);
  await place.run(["secret", "set", "MY_KEY"], "the-right-key-of-it\n");
  const terminal = new PseudoTerminal(place, ["chat", "--resume"]);
  await terminal.shows("It failed (MODEL_SETUP): /resume tries again, or say what is next");
  await terminal.shows("› ");
  expect(provider.asked).toHaveLength(0);
  terminal.type("/resume\r");
  await terminal.shows("Now it is done.");
  await terminal.shows("› ");
  await leave(terminal);
});

test("haft run --resume tries again what failed, also with another model", async () => {
  const place = new Place();
  await useScriptedProvider(place, [{ text: "With the key." }, { text: "Without one." }], "", keyed);
  addOpenModel(place);
  const fail = async () => {
    const { exitCode, stderr } = await place.run(["run", "Do it"]);
    expect(exitCode).toBe(78);
    return /haft run --resume (run_\w+) tries again/.exec(stderr)?.[1] ?? "";
  };
  const [first, second] = [await fail(), await fail()];
  expect((await place.run(["run", "--resume", first, "--model", "opn"])).stderr).toContain(
    'did you mean "open"',
  );
  expect(await place.run(["run", "--resume", first])).toMatchObject({ exitCode: 78 });
  await place.run(["secret", "set", "MY_KEY"], "the-right-key-of-it\n");
  const [{ id }] = JSON.parse((await place.run(["sessions", "--json"])).stdout) as [{ id: string }];
  expect(await place.run(["run", "--resume", id])).toMatchObject({ exitCode: 0, stdout: "With the key.\n" });
  await place.run(["secret", "rm", "MY_KEY"]);
  expect(await place.run(["run", "--resume", second, "--model", "open"])).toMatchObject({
    exitCode: 0,
    stdout: "Without one.\n",
  });
});

test.skipIf(!hasTerminal)("Ctrl-C at the first of two questions shows no second one", async () => {
  const place = new Place();
  const write = (name: string) => ({ name: "write", input: { path: `../${name}.txt`, content: "x" } });
  const both: ProviderTurn = { calls: [write("one"), write("two")] };
  await useScriptedProvider(place, [both]);
  const terminal = await openChat(place);
  terminal.type("Write them\r");
  await terminal.shows("no, and say why");
  terminal.type("\u0003");
  await terminal.shows("interrupted; say what is next");
  await terminal.shows("› ");
  expect((await leave(terminal)).match(/asks for your yes/g)).toHaveLength(1);
});

test.skipIf(!hasTerminal)(
  "an interrupted agent reads what waits for it, and can be interrupted and left again",
  async () => {
    const place = new Place();
    const provider = await useScriptedProvider(place, () => undefined);
    const terminal = await openChat(place);
    terminal.type("First\r");
    for (const [at, said] of ["Second", "Third"].entries()) {
      await expect.poll(() => provider.asked.length).toBe(at + 1);
      terminal.type(`${said}\r`);
      await terminal.shows("(the agent reads it at its next step)");
      terminal.type("/stop\r");
    }
    await expect.poll(() => provider.asked.length).toBe(3);
    expect(JSON.stringify(provider.lastMessages())).toContain("Third");
    terminal.type("Fourth\r");
    await terminal.shows("(the agent reads it at its next step)");
    terminal.type("/exit\r");
    expect((await terminal.ended).exitCode).toBe(0);
    expect((await place.run(["sessions"])).stdout).toContain("stopped (interrupted)");
  },
);
