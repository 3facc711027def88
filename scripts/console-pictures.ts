// Takes the pictures of the console in `docs/guide/pictures/`: `npm run build:console && node scripts/console-pictures.ts`.
// What they show is the data of the tests in a browser, so no picture has anything of anybody's.

import { serveFixture } from "../test/console/serve-fixture.ts";
import { launchChromium } from "../test/support/chromium.ts";

const pictures = [
  { name: "console", path: "questions/q_4", seen: ".answer-buttons .yes[data-ready=true]" },
  { name: "console-trace", path: "trace/r_1", seen: ".trace-chart, canvas" },
] as const;

const browser = await launchChromium();
try {
  for (const colorScheme of ["light", "dark"] as const) {
    const fixture = await serveFixture("dist/console", "full");
    fixture.ask("q_4", {
      params: {
        command: "git push origin main --force-with-lease && npm publish --access public",
        timeout_ms: 120_000,
      },
    });
    const page = await browser.newPage({ viewport: { width: 1120, height: 760 }, colorScheme });
    await page.goto(fixture.link);
    await page.locator("h1").first().waitFor();
    // The same question with what attackers write stays out of the picture.
    await page.evaluate(`fetch("/console/api/v1/questions/q_1/answer", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer " + sessionStorage.getItem("haft-session") },
      body: JSON.stringify({ decision: "deny" }),
    })`);
    for (const { name, path, seen } of pictures) {
      await page.goto(`${fixture.url}/console/${path}`);
      await page.locator(seen).first().waitFor();
      await page.locator('.connection[data-state="live"]').waitFor();
      await page.screenshot({ path: `docs/guide/pictures/${name}-${colorScheme}.png` });
    }
    await page.close();
    await fixture.close();
  }
} finally {
  await browser.close();
}
