import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** Has the import of `node:sqlite` warn, as Node 22 does. */
const warning = `
import { registerHooks } from "node:module";
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "node:sqlite")
      process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
    return next(specifier, context);
  },
});`;

test("SQLite is loaded without the warning of Node 22, and other warnings are shown", () => {
  const url = JSON.stringify(new URL("load-sqlite.ts", import.meta.url).href);
  const program = `
    const { loadSqlite } = await import(${url});
    const [one, other] = await Promise.all([loadSqlite(), loadSqlite()]);
    console.log(one === other, typeof one.DatabaseSync);
    process.emitWarning("SQLite says otherwise");`;
  const preload = `data:text/javascript,${encodeURIComponent(warning)}`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", preload, "--input-type=module", "-e", program],
    { encoding: "utf8" },
  );
  expect(stdout).toBe("true function\n");
  expect(stderr).toContain("SQLite says otherwise");
  expect(stderr).not.toContain("experimental");
});
