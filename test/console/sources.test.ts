import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, inject, test } from "vitest";
import { readBuilt } from "./built-files.ts";

const sources = globSync("console/src/**/*.{ts,tsx}");

/** Ways to make HTML or code of text, and ways around the safe text component. */
const forbidden =
  /\b(?:innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|createContextualFragment|parseFromString|setHTML\w*|srcdoc|DOMParser|XSLTProcessor|document\.write(?:ln)?|eval|setAttribute|createPolicy)\b|\bnew Function\b|\bjavascript:/g;

test("no code of the console makes HTML or code out of text", () => {
  expect(sources.length).toBeGreaterThan(40);
  const found = sources.flatMap((file) =>
    Array.from(readFileSync(file, "utf8").matchAll(forbidden), ([name]) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

test("the console imports preact, what has no packages and no Node, and types of its API", () => {
  const wrong = sources.flatMap((file) =>
    Array.from(
      readFileSync(file, "utf8").matchAll(/^import (type )?(?:[^"]*? from )?"([^"]+)";$/gms),
      ([, isType, target = ""]) => ({ file, isType: isType !== undefined, target }),
    ).filter(({ isType, target }) => {
      if (!target.startsWith(".")) return !/^(?:preact(?:\/hooks)?|@preact\/signals|d3-force)$/.test(target);
      const path = normalize(join(dirname(file), target));
      if (path.startsWith("console/src/")) return false;
      if (path === "src/base/index.ts" || path === "src/kernel/index.ts") return false;
      return !(isType && path === "src/server/console/api/index.ts");
    }),
  );
  expect(wrong).toEqual([]);
});

const folder = join(inject("built"), "dist/console");
const built = readBuilt(folder);

function readText(name: string): string {
  return String(built.get(name));
}

/** The files that the page names, and those that they import before anything is shown. */
function listFirst(): string[] {
  const page = readText("index.html");
  const named = Array.from(
    page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+\.(?:js|css))"/g),
    ([, name]) => name as string,
  );
  const imported = named.flatMap((name) =>
    Array.from(readText(name).matchAll(/(?:from|import) ?"\.\/([^"]+\.js)"/g), ([, one]) => `assets/${one}`),
  );
  return [...new Set([...named, ...imported])];
}

function measureGzip(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + gzipSync(built.get(file) ?? "", { level: 9 }).length, 0);
}

test("the first page and the whole app are small", () => {
  const files = [...built.keys()];
  const first = listFirst();
  expect(first.length).toBeGreaterThan(1);
  // The page that opens first is loaded at once, too.
  const now = files.filter((file) => /^assets\/(?:now|page|section|effects)-[^/]+\.(?:js|css)$/.test(file));
  expect(measureGzip([...new Set([...first, ...now])])).toBeLessThan(35 * 1024);
  expect(measureGzip(files.filter((file) => /\.(?:js|css|html)$/.test(file)))).toBeLessThan(150 * 1024);
  const kept = globSync("**/*", { cwd: folder }).map((file) => statSync(join(folder, file)));
  const bytes = kept.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
  expect(bytes).toBeLessThan(250 * 1024);
});

test("each built file is kept as brotli, and nothing in the page is inline", () => {
  const files = [...built.keys()].filter((name) => /\.(?:js|css|html|svg)$/.test(name));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(statSync(join(folder, `${file}.br`)).size).toBeGreaterThan(0);
  expect(globSync("**/*.{js,css,html,svg}", { cwd: folder })).toEqual([]);
  const page = readText("index.html");
  expect(page).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]* src=)|https?:/);
});

test("the licences of what is built in are in the package", () => {
  const text = readFileSync(join(folder, "licences.md"), "utf8");
  for (const name of ["preact", "@preact/signals", "@preact/signals-core", "d3-force"])
    expect(text).toContain(`## ${name} `);
});
