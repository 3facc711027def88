import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { readPortable, saysTheSame } from "../../src/modules/memory/index.ts";
import { memoriesTools } from "../../src/modules/memory/tools/index.ts";
import { openMemoryFileWorld } from "../support/memory-file-world.ts";
import { needs } from "../support/needs.ts";

/** Each of these took minutes where an expression began again at each of their characters. */
const rows = [".", "!", " .", "\t", "\u00a0"].map((one) => one.repeat(150_000 / one.length));

test("a long row of one character costs no more than its length, where two memories are compared", async () => {
  for (const row of rows) {
    expect(saysTheSame(`Ada lives in Rome${row}x`, `Ada lives in Rome${row}`)).toBe(false);
    expect(saysTheSame(`Ada lives in Rome${row}`, "ada lives in rome.")).toBe(true);
  }
  await using world = await openMemoryFileWorld((memory) => memoriesTools({ memory }));
  const texts = rows.map((row) => ({ kind: "memory", text: `Ada lives in Rome${row}x` }));
  await world.put({}, ...texts);
  const stored = await world.call("memory_store", { content: "Ada lives in Rome" });
  expect(stored).toMatchObject({ success: true });
});

test("a heading with a long row of one character costs an import no more than its length", async () => {
  for (const row of [" ", "\t", "#", " #"].map((one) => one.repeat(100_000 / one.length))) {
    const document = { format: "md", name: "x", project: "p" } as const;
    const titles: (string | undefined)[] = [];
    for await (const { entry } of readPortable([`# a${row}b\ntext\n## c ##\ntext\n`], document))
      titles.push(entry.title);
    expect(titles).toMatchObject([expect.stringMatching(/^a/), "c"]);
  }
});

test(
  "what is no plain file in the memory folder keeps nobody waiting, and is none of memory",
  needs("a POSIX system", process.platform !== "win32"),
  async () => {
    await using world = await openMemoryFileWorld((memory) => memoriesTools({ memory }));
    world.byHand("facts/ada.md", "Ada lives in Rome");
    execFileSync("mkfifo", [world.path("facts/pipe.md")]);
    symlinkSync("/dev/zero", world.path("facts/zero.md"));
    symlinkSync(".", world.path("facts/loop"));
    symlinkSync(world.path("facts"), world.path("facts/again.md"));
    expect(await world.passages()).toEqual(["Ada lives in Rome"]);
    expect(await world.call("memory_list", {})).toMatchObject({ result: [{ path: "facts/ada.md" }] });
    for (const path of ["facts/pipe.md", "facts/zero.md", "facts/loop/ada.md", "facts/again.md"]) {
      expect(await world.call("memory_read", { path })).toMatchObject({ success: false });
      expect(await world.call("memory_append", { path, entry: "x" })).toMatchObject({ success: false });
    }
  },
);
