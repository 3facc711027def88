import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApp, Home } from "../../src/app/index.ts";
import { HeldProcess } from "../support/injected-fault.ts";

function newPlace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-unfinished-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const project = join(root, "project");
  mkdirSync(join(project, "sub"), { recursive: true });
  mkdirSync(join(root, "home"));
  return { project, home: new Home(join(root, "home")) };
}

type Place = ReturnType<typeof newPlace>;

async function writeHalf({ project, home }: Place, path: string): Promise<HeldProcess> {
  const writer = await HeldProcess.start("unfinished-write.js", [home.database, project, path]);
  writer.go();
  await writer.until(() => writer.lines.includes("half"));
  return writer;
}

/** As at the next start of haft, whose store is opened by its first call. */
async function startAndEnd({ project, home }: Place): Promise<void> {
  const app = await createApp({ folder: project, home });
  await app.store();
  await app.close();
}

const filesIn = (place: Place) => readdirSync(join(place.project, "sub"));
const unfinished = expect.stringMatching(/^\.haft-.*\.tmp$/);

test("what a writer left that was killed in the middle is removed at the next start; what a living one writes stays", async () => {
  const place = newPlace();
  await using killed = await writeHalf(place, "sub/one");
  const [left] = filesIn(place);
  expect(left).toEqual(unfinished);
  await using living = await writeHalf(place, "sub/two");
  killed.kill();
  await killed.closed;
  await startAndEnd(place);
  expect(filesIn(place)).toEqual([unfinished]);
  expect(filesIn(place)).not.toContain(left);
  living.kill();
  await living.closed;
  await startAndEnd(place);
  expect(filesIn(place)).toEqual([]);
});
