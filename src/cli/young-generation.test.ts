import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** A program in whose heap much outlives the young generation, as calls do that wait for each other. */
const program = `
  import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
  setFlagsFromString("--semi-space-growth-factor=1");
  const kept = [];
  const churn = () => { for (let at = 0; at < 2_000_000; at++) kept[at % 50_000] = { at, text: "x" + at }; };
  // A collection may leave pages over, or have some to fetch: the second one after the load has its very size.
  const read = () => {
    for (let time = 0; time < 2; time++) gc({ type: "minor" });
    return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size;
  };
  churn();
  const before = read();
  const { growYoungGeneration } = await import("./src/cli/young-generation.ts");
  growYoungGeneration();
  const grown = read();
  churn();
  console.log(JSON.stringify([before, grown, read()].map((bytes) => bytes / 1024 / 1024)));
`;

test("growYoungGeneration() makes two halves of 8 MiB of a young generation that was kept small, and it stays so", () => {
  const said = execFileSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  expect(JSON.parse(said)).toEqual([2, 16, 16]);
});
