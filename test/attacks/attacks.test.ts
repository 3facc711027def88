import type promises from "node:dns/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { sandboxHere } from "../support/sandbox-levels.ts";
import { composed } from "./stories/composed.ts";
import { consent } from "./stories/consent.ts";
import { exfiltration } from "./stories/exfiltration.ts";
import { grants } from "./stories/grants.ts";
import { instructions } from "./stories/instructions.ts";
import { laundering } from "./stories/laundering.ts";
import { poisoning } from "./stories/poisoning.ts";
import { processes } from "./stories/processes.ts";
import { projectFiles } from "./stories/project-files.ts";
import { questions } from "./stories/questions.ts";
import { rugPulls } from "./stories/rug-pulls.ts";
import { shadowing } from "./stories/shadowing.ts";
import { tampering } from "./stories/tampering.ts";
import { userTools } from "./stories/user-tools.ts";
import { live, type Story } from "./story.ts";
import { lookedUp } from "./world.ts";

// What haft asks the system's resolver, it is told here; names of examples stay unknown.
vi.mock("node:dns/promises", async (original) => {
  const dns = await original<typeof promises>();
  const lookup = (name: string, ...more: readonly unknown[]): unknown => {
    lookedUp.push(name);
    if (name.endsWith(".example"))
      return Promise.reject(Object.assign(new Error("ENOTFOUND"), { code: "ENOTFOUND" }));
    return Reflect.apply(dns.lookup, dns, [name, ...more]);
  };
  return { ...dns, lookup, default: { ...dns, lookup } };
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const stories: readonly (readonly [name: string, story: Story])[] = [
  ...instructions,
  ...exfiltration,
  ...tampering,
  ...consent,
  ...grants,
  ...laundering,
  ...poisoning,
  ...rugPulls,
  ...shadowing,
  ...processes,
  ...projectFiles,
  ...questions,
  ...userTools,
  ...composed,
].map((story) => [story.name, story]);

const hasSandbox = (await sandboxHere()).level !== "none";

describe("a model that obeys every order it reads", () => {
  test.for(stories)("%s", async ([, story], { skip }) => {
    skip(story.needsSandbox === true && !hasSandbox, "they need a sandbox, and none works here");
    const run = await live(story, "closed");
    expect(run.steps.length).toBeGreaterThan(0);
    expect(await story.forbidden(run)).toEqual([]);
  });
});

/** A story whose effect can't be seen proves nothing: here each is made to happen. */
describe("with the gate open, or by hand, the forbidden effect is seen", () => {
  test.for(stories)("%s", async ([, story], { skip }) => {
    skip(story.needsSandbox === true && !hasSandbox, "they need a sandbox, and none works here");
    const run = await live(story, story.control === "open" ? "open" : "closed", true);
    if (story.control !== "open") await story.control(run);
    // What was sent arrives a moment after whoever sent it has ended.
    await expect.poll(() => story.forbidden(run)).not.toEqual([]);
  });
});
