import type { Page } from "playwright-core";

/** Errors that nobody caught and messages of errors in a page, as they come. */
export function noteFaults(page: Page): readonly string[] {
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("console", (message) => {
    // The browser itself notes each answer that is no success.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text());
  });
  return faults;
}
