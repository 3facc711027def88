import { spawn } from "node:child_process";

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32.exe", "url.dll,FileProtocolHandler"],
};

/** Characters that no address needs as they are, and that a script on the way to the browser could misread. */
const risky = /[^A-Za-z0-9\-._~:/?#[\]@!*+,;=&%]/g;

/**
 * Shows a web page in the user's browser; false where there is none. No shell is started here, and nothing in the
 * address means anything to one.
 *
 * @throws {TypeError} for an address that is neither http nor https.
 */
export function openInBrowser(url: URL): Promise<boolean> {
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new TypeError(`Cannot open "${url.protocol}" in a browser: only http and https are web pages`);
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  const address = url.href.replace(
    risky,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
  return new Promise((resolve) => {
    const child = spawn(program, [...args, address], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
