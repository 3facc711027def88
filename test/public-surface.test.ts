import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const { exports: subpaths } = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, string | { "haft-source": string; types: string; default: string }>;
};
const modules = Object.entries(subpaths).flatMap(([subpath, target]) =>
  typeof target === "string" ? [] : [{ subpath, ...target }],
);

test("every subpath names a source, its types and its built form alike", () => {
  const wrong = modules.filter(({ "haft-source": source, types, default: built }) => {
    const stem = source.replace("./src/", "./dist/").replace(/\.ts$/, "");
    return types !== `${stem}.d.ts` || built !== `${stem}.js`;
  });
  expect(wrong).toEqual([]);
});

test.for(modules)(
  "haft $subpath exports these names and no others",
  async ({ "haft-source": source, subpath }) => {
    const names = Object.keys((await import(pathToFileURL(resolve(source)).href)) as object).sort();
    await expect(`${names.join("\n")}\n`).toMatchFileSnapshot(
      `./pins/exports-${subpath.replace(/^\.\/?/, "").replaceAll("/", "-") || "root"}.txt`,
    );
  },
);
