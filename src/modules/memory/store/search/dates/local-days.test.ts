import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const imported = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** Sunday evening in Los Angeles, Monday in UTC: in a program of its own, with its own TZ. */
const program = `
import { openStore } from ${imported("../../../../../app/store/index.ts")};
import { createFakeClock } from ${imported("../../../../../testing/index.ts")};
import { withAbsoluteDates } from ${imported("../../../tools/memories/absolute-dates.ts")};
import { formatDay } from ${imported("../../../../../base/index.ts")};
const clock = createFakeClock(Date.parse("2026-11-22T19:00:00-08:00"));
const store = await openStore({ path: ":memory:", clock });
const dated = withAbsoluteDates("I see Ada tomorrow", formatDay(clock.now()));
const texts = ["The appointment with Ada is on 2026-11-23", "The appointment with Eve is on 2026-11-24"];
await store.memory.edit("ada", texts.map((text) => ({ do: "create_block", entry: { kind: "memory", text } })), { by: "t" });
const found = await store.memory.search("ada", { query: "which appointment is tomorrow" });
const asked = await store.memory.search("ada", { query: "what appointment did I mention today" });
console.log(JSON.stringify({ dated, first: found.hits[0]?.entry.text, since: asked.time?.since }));
await store.close();
`;

test("what is dated by the day here is found by the day here", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--disable-warning=ExperimentalWarning", "-e", program],
    { env: { ...process.env, TZ: "America/Los_Angeles" } },
  );
  expect(JSON.parse(stdout)).toEqual({
    dated: "I see Ada tomorrow (2026-11-23)",
    first: "The appointment with Ada is on 2026-11-23",
    since: Date.parse("2026-11-22T00:00-08:00"),
  });
});
