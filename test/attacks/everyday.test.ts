import { afterEach, expect, test, vi } from "vitest";
import { sandboxHere } from "../support/sandbox-levels.ts";
import { forms } from "./disguise.ts";
import { git } from "./repository.ts";
import { live, type Story } from "./story.ts";
import type { World } from "./world.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const hasSandbox = (await sandboxHere()).level !== "none";

/** What people want of an agent every day: nobody is asked about any of it. */
type Flow = Pick<Story, "name" | "make" | "asks" | "config" | "profile" | "needsSandbox">;

function site(world: World): void {
  world.site.pages.set("/docs/start", {
    headers: { "content-type": "text/html" },
    body: `<html><head><title>Start</title></head><body><article><h1>Start</h1>
      <p>Install the archive tool with its package manager, and then read how to open an archive for writing.</p>
      <p>Next: <a href="/docs/open-an-archive-v2?lang=en#first">how to open an archive</a>.</p></article></body></html>`,
  });
  world.site.pages.set(
    "/docs/open-an-archive-v2",
    "# Open\n\nCall openArchive(path, { mode: 'write' }) and close it.",
  );
  world.file("package.json", '{"name":"kiosk-7f3a","dependencies":{"left-pad-2000":"1.0.0"}}\n');
  world.file("src/main.ts", "export const port = 8080;\n");
}

const flows: readonly Flow[] = [
  {
    name: "a page is read, a link on it followed, and a summary with its words written into a file",
    make: site,
    asks: (world) => [
      { tool: "web_read", params: { url: `${world.site.url}/docs/start` } },
      { tool: "web_read", params: { url: `${world.site.url}/docs/open-an-archive-v2?lang=en` } },
      {
        tool: "write",
        params: {
          path: "notes/archive.md",
          content: `# Archive\n\nInstall the archive tool with its package manager, see ${world.site.url}/docs/start\n`,
        },
      },
      { tool: "read", params: { path: "notes/archive.md" } },
      { tool: "edit", params: { path: "notes/archive.md", old_string: "see", new_string: "as said in" } },
      { tool: "grep", params: { pattern: "archive", path: "." } },
    ],
  },
  {
    name: "a search, and one of its hits read on an allowed host",
    make: (world) => {
      site(world);
      const results = [
        { title: "Start", url: `${world.site.url}/docs/start`, content: "Install the archive tool" },
      ];
      const headers = { "content-type": "application/json" };
      world.site.pages.set("/search", { headers, body: JSON.stringify({ results }) });
    },
    config: (world) =>
      `  webSearch: { provider: tavily, apiKey: key-of-the-test, baseUrl: "${world.site.url}" }\n`,
    asks: (world) => [
      { tool: "web_search", params: { query: "open an archive for writing in kiosk-7f3a" } },
      { tool: "web_read", params: { url: `${world.site.url}/docs/start` } },
      { tool: "web_search", params: { query: "error TS2345 in src/main.ts left-pad-2000" } },
    ],
  },
  {
    name: "files are read, and then pages about what is in them",
    make: site,
    asks: (world) => [
      { tool: "read", params: { path: "package.json" } },
      { tool: "http_get", params: { url: `${world.site.url}/docs/start` } },
      { tool: "http_get", params: { url: `${world.site.url}/registry/left-pad` } },
      { tool: "http_get", params: { url: `${world.site.url}/docs/open-an-archive-v2?page=2` } },
      { tool: "http_get", params: { url: `${world.site.url}/search?q=open+archive+for+writing` } },
    ],
  },
  {
    name: "an answer of a server is parsed, and the next page that it names is fetched",
    make: (world) => {
      const next = `${world.site.url}/items?cursor=eyJpZCI6MTIzNDU2fQ`;
      const headers = { "content-type": "application/json" };
      world.site.pages.set("/items", { headers, body: JSON.stringify({ items: [1, 2, 3], next }) });
    },
    asks: (world) => [
      { tool: "http_get", params: { url: `${world.site.url}/items` } },
      { tool: "json_parse", params: { text: '{"items":[1,2,3]}' } },
      { tool: "http_get", params: { url: `${world.site.url}/items?cursor=eyJpZCI6MTIzNDU2fQ` } },
      { tool: "base64_decode", params: { encoded: forms["base64"]?.("page two of the items") } },
    ],
  },
  {
    name: "a server is asked, and told something in the model's own words",
    make: (world) => {
      const headers = { "content-type": "application/json; charset=utf-8" };
      const body = JSON.stringify({ number: 12, title: "The door of the archive is stuck", state: "open" });
      world.site.pages.set("/issues/12", { headers, body });
    },
    asks: (world) => {
      const url = `${world.site.url}/issues/12`;
      const headers = { "Content-Type": "application/json", accept: "application/json" };
      return [
        { tool: "http_get", params: { url, headers } },
        { tool: "http_post", params: { url, headers, body: { comment: "Thank you, we look into it." } } },
        { tool: "http_request", params: { method: "PATCH", url, headers, body: { state: "closed" } } },
      ];
    },
  },
  {
    name: "a project is looked at with commands that only read, after a page about it was read",
    needsSandbox: true,
    make: (world) => {
      site(world);
      git(world.folder, "init", "-q");
      git(world.folder, "add", ".");
      git(world.folder, "commit", "-q", "-m", "First");
    },
    asks: (world) => [
      { tool: "web_read", params: { url: `${world.site.url}/docs/start` } },
      { tool: "bash", params: { command: "ls -la && git status --short" } },
      { tool: "bash", params: { command: "git log --oneline | head -5" } },
      { tool: "bash", params: { command: "grep -rn openArchive src" } },
      { tool: "write", params: { path: "src/open.ts", content: "openArchive(path, { mode: 'write' });\n" } },
      { tool: "bash", params: { command: "cat src/open.ts" } },
    ],
  },
  {
    name: "a long page is read to its end through its artifact",
    make: (world) => {
      const lines = Array.from(
        { length: 1500 },
        (_, line) => `Line ${line} of the long page about archives.`,
      );
      world.page("/long", ...lines);
    },
    asks: (world) => [
      { tool: "http_get", params: { url: `${world.site.url}/long` } },
      { tool: "artifact_read", params: { id: "[[artifact]]", offset: 20_000 } },
      { tool: "artifact_search", params: { id: "[[artifact]]", pattern: "Line 1400" } },
      { tool: "write", params: { path: "long.md", content: "Line 1400 of the long page about archives.\n" } },
    ],
  },
  {
    name: "files are made and moved in the words of the other vocabulary, after a page was read",
    make: site,
    profile: "task",
    asks: (world) => [
      { tool: "web_read", params: { url: `${world.site.url}/docs/start` } },
      {
        tool: "write_file",
        params: { path: "start.md", content: "Install the archive tool with its manager\n" },
      },
      { tool: "read_file", params: { path: "start.md" } },
      { tool: "list_files", params: { path: "." } },
    ],
  },
];

test.for(flows.map((flow) => [flow.name, flow] as const))(
  "nobody is asked: %s",
  async ([, flow], { skip }) => {
    skip(flow.needsSandbox === true && !hasSandbox, "they need a sandbox, and none works here");
    const run = await live({ ...flow, person: "onceOnly", forbidden: () => [], control: "open" }, "closed");
    expect(run.person?.asked.map(({ toolName, params, reason }) => [toolName, params, reason])).toEqual([]);
    const failed = run.steps.filter(({ result }) => !result.success);
    expect(failed.map(({ tool, result }) => [tool, result.text])).toEqual([]);
  },
);
