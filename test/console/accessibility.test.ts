import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { describeInChromium } from "../support/in-chromium.ts";
import { openConsole } from "./open-console.ts";
import type { FixtureKind } from "./serve-fixture.ts";
import { untilSettled } from "./settled-page.ts";

const kinds: readonly FixtureKind[] = ["full", "empty", "error"];
const paths = [
  "",
  "questions",
  "questions/q_1",
  "questions?state=all",
  "calls",
  "calls?text=nothing+fits",
  "calls/c_3997",
  "calls/c_3997/output?offset=20000",
  "memory",
  "memory?q=nuts",
  "memory/entry/m_1",
  "memory/prompt",
  "memory/graph?name=ada",
  "memory/graph/n_0?name=ada",
  "tasks",
  "tasks?column=done",
  "tasks?column=archive",
  "tasks/brave-fox",
  "tasks/proud-yak",
  "tasks/graph",
  "secrets",
  "hooks",
  "hooks/guard",
  "doctor",
  "tools",
  "tools?text=nothing+fits",
  "tools/write",
  "tools/read/try",
  "servers",
  "servers/github",
  "servers/database",
  "servers?add=1",
  "policy",
  "policy?source=all",
  "policy/explain?tool=bash",
  "policy/edit",
  "policy/grants",
  "chat",
  "chat/new",
  "chat/s_1",
  "trace",
  "trace/r_1?span=c_3997",
  "trace/r_1?view=flame&critical=1",
  "trace/r_1?with=c_1",
  "cost",
  "cost?by=model",
  "cost?by=tool&days=7",
  "cost?view=compare",
  "nowhere",
];

/** The addresses of each page; those of Now, Questions and Calls together. */
const groups = Map.groupBy(paths, (path) => {
  const [name = ""] = path.split(/[/?]/, 1);
  return ["", "questions", "calls", "nowhere"].includes(name) ? "now, questions, calls" : name;
});

/** Texts that have so little room that each of their lines is a letter or two. */
const listSqueezed = `[...document.querySelectorAll("main :is(a, h2, p, span, strong, td)")].filter((element) => {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && width < 32 && height > 90;
}).map(({ textContent }) => textContent)`;

interface Violation {
  readonly id: string;
  readonly targets: readonly string[];
}

/** What axe finds on the page, under the page's own policy. */
async function findViolations(page: Page, rules?: readonly string[]): Promise<readonly Violation[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const options = JSON.stringify(rules === undefined ? {} : { runOnly: rules });
  return page.evaluate<readonly Violation[]>(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target.join(" ")) })))`,
  );
}

/** Goes to another page in the same document, by way of one that is not there: nothing of the last page is left. */
async function moveTo(page: Page, path: string): Promise<void> {
  const go = (to: string) =>
    page.evaluate(
      `history.pushState(null, "", ${JSON.stringify(`/console/${to}`)}); dispatchEvent(new PopStateEvent("popstate"))`,
    );
  await go("nowhere");
  await page.getByRole("heading", { name: "No such page" }).waitFor();
  if (path === "nowhere") return;
  await go(path);
  await page.locator("h1", { hasNotText: "No such page" }).first().waitFor();
}

describeInChromium("every page of the console", (browser) => {
  describe.each(kinds)("%s", (kind) => {
    test.each([...groups.keys()])(
      "%s, light and dark, at 1280 and 360 px: axe finds nothing, and nothing is cut off",
      async (group) => {
        // No colour is on its way to another while axe looks at it.
        const { page, faults } = await openConsole(browser, kind, { reducedMotion: "reduce" });
        for (const path of groups.get(group) ?? []) {
          await moveTo(page, path);
          await untilSettled(page);
          for (const width of [1280, 360]) {
            await page.setViewportSize({ width, height: 740 });
            for (const colorScheme of ["light", "dark"] as const) {
              await page.emulateMedia({ colorScheme });
              // In the dark a page is the same but for its colours.
              const rules = colorScheme === "dark" ? ["color-contrast"] : undefined;
              const place = `${path} at ${width} px, ${colorScheme}`;
              expect({ place, violations: await findViolations(page, rules) }).toEqual({
                place,
                violations: [],
              });
              const size = await page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]",
              );
              const squeezed = await page.evaluate(listSqueezed);
              expect({ place, size, squeezed }).toEqual({ place, size: [width, 740], squeezed: [] });
            }
          }
        }
        expect(faults).toEqual([]);
      },
      300_000,
    );
  });

  test("what is seen without a session, and the help, are accessible, too", async () => {
    const { page, fixture } = await openConsole(browser, "full");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await findViolations(page)).toEqual([]);
    fixture.endSession();
    fixture.endStreams();
    await page.getByRole("heading", { name: "This session is over" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
  });
});
