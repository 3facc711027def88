import { describe, expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { directClients } from "./direct-clients.ts";
import { ClientWorld, killGroup, untilEnd } from "./world.ts";

describe.each(directClients)("$id", (client) => {
  const options = needs("clients", client.isHere);

  async function connect() {
    const world = new ClientWorld();
    const connected = await client.connect(world);
    const start = (tool: string, args: Readonly<Record<string, unknown>>) => {
      const { program, args: words } = connected.call(tool, args);
      return world.start(program, words);
    };
    return { world, connected, start };
  }

  test("connects, lists the tools, reads, writes, and waits for a long call", options, async (context) => {
    if (client.why !== undefined) return context.skip(client.why);
    const { world, connected, start } = await connect();
    const { program, args } = connected.list();
    const listed = await world.run(program, args);
    expect(listed).toMatchObject({ exitCode: 0, output: expect.stringMatching(/"read"[^]*"write"/) });
    const read = await untilEnd(start("read", { path: "note.txt" }));
    expect(read).toMatchObject({ exitCode: 0, output: expect.stringContaining("a note for haft") });
    const written = await untilEnd(start("write", { path: "made.txt", content: "made" }));
    expect(written).toMatchObject({ exitCode: 0 });
    expect(world.readProject("made.txt")).toBe("made");
    expect(await untilEnd(start("sleep", { duration: 3 }))).toMatchObject({ exitCode: 0 });
    expect(await world.callStates("sleep")).toEqual(["completed"]);
  });

  test("a call that asks does not run unanswered, and its caller is told so", options, async (context) => {
    if (client.why !== undefined) return context.skip(client.why);
    const { world, start } = await connect();
    const { output } = await untilEnd(start("read", { path: world.outside }));
    const id = /the question (a_\w+)/.exec(output)?.[1];
    expect(output).toContain("there is nobody to ask here");
    expect(output).toContain(`a person answers the question ${id}`);
    expect(output).not.toMatch(/approvals approve|--yes|from outside/);
    expect(await world.openQuestions()).toEqual([id]);
    expect(await world.callStates("read")).toEqual(["denied"]);
  });

  test("a client that is stopped in a long call ends, and the call with it", options, async (context) => {
    if (client.why !== undefined) return context.skip(client.why);
    const { world, start } = await connect();
    const child = start("sleep", { duration: 120 });
    const ended = untilEnd(child);
    await expect.poll(() => world.callStates("sleep").catch(() => [])).toEqual(["started"]);
    if (client.interrupted === "group") killGroup(child, "SIGINT");
    else child.kill("SIGINT");
    await ended;
    await expect.poll(() => world.callStates("sleep")).toEqual(["cancelled"]);
  });
});
