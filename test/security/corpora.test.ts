import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseConfig } from "../../src/app/config/config.ts";
import { Processes } from "../../src/host/index.ts";
import { quoteArgument } from "../../src/modules/shell/command/syntax/word.ts";
import { Installation } from "../support/installation.ts";

function lines(name: string): string[] {
  const text = readFileSync(new URL(`../corpora/${name}`, import.meta.url), "utf8");
  return text.split("\n").filter((line) => line !== "");
}

const values = [...lines("commands/injection.txt"), ...lines("commands/injection-unix.txt")];
const templates = lines("strings/template-injection.txt");

/** Far below what one argument or command line may hold. */
const atOnce = 100;

function inParts(all: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(all.length / atOnce) }, (_, at) =>
    all.slice(at * atOnce, (at + 1) * atOnce),
  );
}

test("531 values that inject commands reach a program byte for byte, as arguments and quoted in a command line", async () => {
  expect(values).toHaveLength(531);
  await using processes = new Processes();
  const options = { cwd: "/", environment: { PATH: "/usr/bin:/bin" }, signal: AbortSignal.timeout(60_000) };
  for (const part of inParts(values)) {
    const expected = part.map((value) => `${value}\0`).join("");
    const direct = await processes.run(["printf", "%s\\0", ...part], options);
    expect(direct.stdout.text).toBe(expected);
    const words = part.map((text) => quoteArgument({ text, fixed: true }));
    const line = await processes.runShell(`printf '%s\\0' ${words.join(" ")}`, options);
    expect(line.stdout.text).toBe(expected);
  }
});

test("107 template injections are text wherever haft reads text: in arguments and in its configuration", async () => {
  expect(templates).toHaveLength(107);
  const place = new Installation();
  const haft = await place.open();
  for (const template of templates) {
    const encoded = await haft.call("base64_encode", { text: template });
    expect(encoded).toMatchObject({ result: { encoded: Buffer.from(template).toString("base64") } });
    const text = JSON.stringify({ permissions: [{ decision: "deny", reason: template }] });
    const read = await parseConfig(text, "haft.config.yml", () => undefined).catch(
      (error: { code?: string }) => error.code,
    );
    // `${NAME}` is a variable there, and one that is not set is an error: nothing is ever computed.
    if (/\$\{[A-Za-z_]\w*(:-[^}]*)?\}/.test(template)) expect(read).toBe("CONFIG_VARIABLE");
    else expect(read).toMatchObject({ permissions: [{ reason: template }] });
  }
});
