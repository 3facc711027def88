import { expect, test } from "vitest";
import { checkOrigin, readAddress } from "./guard.ts";

const served = "127.0.0.1:4280";

test("readAddress() takes a path apart as it was sent, and decodes each segment once", () => {
  const { segments, query } = readAddress({ url: "/console/a%20b/%252e/c@d?x=1%2B1&y=" });
  expect(segments).toEqual(["console", "a b", "%2e", "c@d"]);
  expect([...query]).toEqual([
    ["x", "1+1"],
    ["y", ""],
  ]);
  expect(readAddress({ url: "/console/" }).segments).toEqual(["console", ""]);
  expect(readAddress({ url: "/console" }).segments).toEqual(["console"]);
});

test.for([
  "",
  "console",
  "http://127.0.0.1:4280/console",
  "//console",
  "/console//x",
  "/console/.",
  "/console/..",
  "/console/%2E",
  "/console/%2e.",
  "/console/a%2Fb",
  "/console/a%5cb",
  "/console/a\\b",
  "/console/%00",
  "/console/%0a",
  "/console/%7f",
  "/console/%c2%80",
  "/console/%",
  "/console/%4",
  "/console/%ff",
  "/console/ä",
  "/console/<x>",
  "/console/x#y",
])("readAddress() refuses %j", (url) => {
  expect(() => readAddress({ url })).toThrow(expect.objectContaining({ code: "CONSOLE_PATH" }));
});

test("readAddress() refuses a name that is in the query twice", () => {
  expect(() => readAddress({ url: "/console?after=1&after=2" })).toThrow(
    expect.objectContaining({ code: "CONSOLE_INPUT" }),
  );
});

const own = { host: served, origin: `http://${served}`, "sec-fetch-site": "same-origin" };

test("checkOrigin() lets in the console's own page, programs, and the first visit to the page", () => {
  expect(() => checkOrigin({ headers: own }, served, "api")).not.toThrow();
  expect(() => checkOrigin({ headers: { host: served } }, served, "api")).not.toThrow();
  expect(() =>
    checkOrigin({ headers: { host: served, "sec-fetch-site": "none" } }, served, "page"),
  ).not.toThrow();
});

test.for([
  { ...own, host: "localhost:4280" },
  { ...own, host: "127.0.0.1:4281" },
  { ...own, host: "127.0.0.1:4280.attacker.example" },
  { ...own, host: undefined },
  { ...own, origin: "http://127.0.0.1:4281" },
  { ...own, origin: "http://localhost:4280" },
  { ...own, origin: "https://127.0.0.1:4280" },
  { ...own, origin: "null" },
  { ...own, origin: "" },
  { ...own, "sec-fetch-site": "none" },
  { ...own, "sec-fetch-site": "same-site" },
  { ...own, "sec-fetch-site": "cross-site" },
  { ...own, "sec-fetch-site": "same-origin, same-origin" },
])("checkOrigin() refuses %j", (headers) => {
  expect(() => checkOrigin({ headers }, served, "api")).toThrow(
    expect.objectContaining({ code: "CONSOLE_ORIGIN" }),
  );
});
