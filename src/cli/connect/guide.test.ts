import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { clientEntries } from "./index.ts";

test("docs/guide/mcp-clients.md has a row for each client, with the version that tests drive", () => {
  const rows = readFileSync("docs/guide/mcp-clients.md", "utf8")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(
      (cells) => cells.length === 7 && (cells[2] ?? "").startsWith("`") && cells[2] !== "`haft connect`",
    )
    .map((cells) => ({ title: cells[1], id: cells[2], driven: cells[5] }));
  expect(rows).toEqual(
    clientEntries
      .map(({ id, title, driven = "" }) => ({ title, id: `\`${id}\``, driven }))
      .toSorted(
        (one, other) =>
          rows.findIndex((row) => row.id === one.id) - rows.findIndex((row) => row.id === other.id),
      ),
  );
});
