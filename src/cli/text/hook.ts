import type { ListedHook } from "../../app/views/index.ts";
import { oneLine } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { renderTable } from "./table.ts";

export function renderHookList(hooks: readonly ListedHook[], terminal: Terminal): string {
  const rows = hooks.map((hook) => [
    terminal.foreign(hook.id),
    hook.type,
    terminal.foreign(hook.tools.length === 0 ? "all tools" : hook.tools.join(" ")),
    formatState(hook),
    String(hook.runs),
    String(hook.blocks),
    String(hook.errors),
    hook.runs === 0 ? "-" : hook.meanMs.toFixed(0),
    terminal.foreign(oneLine(hook.command)),
  ]);
  return renderTable(
    [
      { title: "Hook" },
      { title: "When" },
      { title: "For" },
      { title: "Says no" },
      { title: "Runs", align: "right" },
      { title: "Noes", align: "right" },
      { title: "Errors", align: "right" },
      { title: "ms", align: "right" },
      { title: "Command", overflow: "cut" },
    ],
    rows,
    { width: terminal.width, paintTitle: (text) => terminal.paint("bold", text) },
  );
}

export function renderHook(hook: ListedHook, terminal: Terminal): string {
  const lines: (readonly [string, string] | undefined)[] = [
    ["Name", hook.name],
    hook.description === "" ? undefined : ["About", hook.description],
    ["When", hook.type === "pre_tool" ? "before a call is decided" : "after a call has come out"],
    ["For", hook.tools.length === 0 ? "all tools" : hook.tools.join(", ")],
    ["Runs", hook.command],
    ["Hosts", hook.hosts.length === 0 ? "none, it has no network" : hook.hosts.join(", ")],
    ["Says no", formatState(hook)],
    ["Time", `${hook.timeoutMs / 1000} s at most`],
    ["Priority", String(hook.priority)],
    ["File", hook.file],
    [
      "Asked",
      `times: ${hook.runs}, said no: ${hook.blocks}, failed: ${hook.errors}, ${hook.meanMs.toFixed(0)} ms on average`,
    ],
    hook.lastRunAt === undefined ? undefined : ["Last", new Date(hook.lastRunAt).toISOString()],
    hook.lastError === undefined ? undefined : ["Error", hook.lastError],
  ];
  const title = `${terminal.paint("bold", terminal.foreign(hook.id))}\n`;
  const rows = lines.flatMap((line) => (line === undefined ? [] : [[line[0], terminal.foreign(line[1])]]));
  return (
    title +
    renderTable([{ title: "" }, { title: "", overflow: "wrap" }], rows, {
      width: terminal.width,
      titles: false,
      indent: "  ",
    })
  );
}

function formatState({ enabled, blocking }: ListedHook): string {
  if (!enabled) return "is off";
  return blocking ? "and it counts" : "as advice";
}
