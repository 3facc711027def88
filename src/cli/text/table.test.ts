import { expect, test } from "vitest";
import { displayWidth } from "./display-width.ts";
import { type Column, renderTable } from "./table.ts";

const columns: readonly Column[] = [
  { title: "Name" },
  { title: "Tokens", align: "right" },
  { title: "Description", overflow: "cut" },
];
const rows = [
  ["read", "120", "Reads a file and shows a page of its lines"],
  ["日本", "7", "Short"],
];

test("renderTable() gives one column what the terminal leaves and cuts it there", () => {
  expect(renderTable(columns, rows, { width: 40 })).toBe(
    ["Name  Tokens  Description", "read     120  Reads a file and shows a…", "日本       7  Short", ""].join(
      "\n",
    ),
  );
});

test("renderTable() cuts nothing where there is no terminal", () => {
  expect(renderTable(columns, rows, { width: Number.POSITIVE_INFINITY })).toContain(
    "Reads a file and shows a page of its lines\n",
  );
});

test("renderTable() wraps a column over several lines, each with its indent", () => {
  const wrapped = renderTable(
    [{ title: "" }, { title: "", overflow: "wrap" }],
    [["path", "The folder where it starts to look"]],
    {
      width: 32,
      indent: "  ",
      titles: false,
    },
  );
  expect(wrapped).toBe("  path  The folder where it\n        starts to look\n");
});

test("renderTable() paints cells after they are measured", () => {
  const painted = renderTable(
    [{ title: "A", paint: (text) => `<${text}>` }, { title: "B" }],
    [
      ["x", "y"],
      ["long", "z"],
    ],
    {
      width: 80,
      titles: false,
    },
  );
  expect(painted).toBe("<x   >  y\n<long>  z\n");
});

test.for([80, 60, 40])(
  "renderTable() fits %i columns with long cells in every column, and loses none of it",
  (width) => {
    const long =
      "c_mfy3k2ab_x7k2p1 and /home/ada/projects/a-folder-with-a-long-name 日本語日本語日本語".repeat(2);
    const table = renderTable(
      [
        { title: "When" },
        { title: "A long title of a column" },
        { title: "C" },
        { title: "D", overflow: "wrap" },
      ],
      [
        ["2026-11-22 23:02:11", long, long, long],
        ["now", "short", "short", "short"],
      ],
      { width, indent: "  " },
    );
    expect(table.split("\n").filter((line) => displayWidth(line) > width)).toEqual([]);
    const letters = (text: string) => text.replaceAll(/\s/g, "").length;
    expect(letters(table)).toBeGreaterThanOrEqual(3 * letters(long));
  },
);

test("columns that tell least are left out, the first one first, so that the others stay whole", () => {
  const columns = [
    { title: "When" },
    { title: "Call" },
    { title: "What", overflow: "cut" },
    { title: "By" },
  ] as const;
  const rows = [["11-23 03:56:10", "c_mwsqh77g_vom160", "write a long text", "cli"]];
  const table = (width: number) =>
    renderTable(columns, rows, { width, leastTold: ["By", "When"] }).split("\n")[1];
  expect(table(80)).toBe("11-23 03:56:10  c_mwsqh77g_vom160  write a long text  cli");
  expect(table(47)).toBe("11-23 03:56:10  c_mwsqh77g_vom160  write a lon…");
  expect(table(40)).toBe("c_mwsqh77g_vom160  write a long text");
});

test("an id stays whole as long as the other columns can give way", () => {
  const columns = [{ title: "Call", whole: true }, { title: "Tool" }, { title: "Folder" }] as const;
  const rows = [["c_mwsqh77g_vom160", "write_in_folder", "a-long-folder"]];
  const table = (width: number) => renderTable(columns, rows, { width, titles: false });
  expect(table(40)).toMatch(/^c_mwsqh77g_vom160 /);
  expect(
    table(40)
      .split("\n")
      .filter((line) => line.length > 40),
  ).toEqual([]);
  expect(table(20)).not.toContain("c_mwsqh77g_vom160");
});
