import { expect, test } from "vitest";
import { Interrupts } from "../../src/agent/index.ts";
import { Installation } from "../support/installation.ts";
import { useScriptedProvider } from "../support/scripted-provider.ts";

test.for(["untrusted", "trusted"] as const)(
  "what goes on with a turn that failed makes its calls with the trust of its message: %s",
  async (trust) => {
    const place = new Installation();
    place.write("project/build.txt", "make -j2");
    const script = [
      { refuse: 400 },
      { refuse: 400 },
      { calls: [{ name: "read", input: { path: "build.txt" } }] },
      { text: "Done." },
    ];
    await useScriptedProvider(
      { home: place.home.folder },
      script,
      "permissions: [{ decision: allow, tool: read }]\n",
    );
    const { app } = await place.open();
    const host = await app.agent();
    const drive = (run: Awaited<ReturnType<typeof host.begin>>) =>
      host.drive(run, { emit: () => {}, interrupts: new Interrupts() });
    const first = await host.begin({ channel: "mail", parts: [{ type: "text", text: "Read it" }], trust });
    await drive(first);
    const second = await host.resume(first.id);
    if (second === undefined) throw new Error("it does not go on");
    await drive(second);
    const third = await host.resume(second.id);
    if (third === undefined) throw new Error("it does not go on again");
    expect(await drive(third)).toMatchObject({ state: "completed" });
    const { rows } = await (await app.records()).listCalls({ tools: ["read"] });
    expect(rows.map(({ notes }) => notes)).toEqual([
      trust === "untrusted" ? ["untrusted: asked for from outside"] : [],
    ]);
  },
);
