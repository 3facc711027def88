import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const places = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** A Chromium that is installed here; without one, tests in a browser are skipped, and say so. */
export const chromiumPath: string | undefined = places.find((place) => existsSync(place));

if (chromiumPath === undefined)
  console.warn(`Tests in a browser are skipped: there is no Chromium in ${places.join(", ")}`);

/** Time that a browser may take to start on a busy machine. */
const longestStartMs = 120_000;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? "",
    // Root, as in a container, has no sandbox of its own.
    args: ["--no-sandbox"],
    timeout: longestStartMs,
  });
}
