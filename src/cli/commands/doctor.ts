import type { Command } from "commander";
import { type Finding, failed } from "../../app/checks/index.ts";
import type { App } from "../../app/index.ts";
import { getErrorMessage } from "../../base/index.ts";
import type { SandboxLevel } from "../../host/index.ts";
import { addExamples } from "../examples.ts";
import { exitCodes } from "../exit-codes.ts";
import { awaitServers } from "../mcp/await-servers.ts";
import { mcpCommand } from "../mcp/command.ts";
import { servePort } from "../serve-port.ts";
import type { Session } from "../session.ts";
import type { Paint, Terminal } from "../terminal.ts";
import { renderTable } from "../text/table.ts";

export function defineDoctor(command: Command, session: Session): void {
  command
    .option(
      "--client <name>",
      "look at an MCP client alone: is haft in it, and is its own shell still there?",
    )
    .option("--fix", "offer to install what is missing for a better isolation: bubblewrap")
    .action(async ({ client, fix = false }: { readonly client?: string; readonly fix?: boolean }) => {
      const { findings, atLeast } =
        client === undefined
          ? await examine(session)
          : { findings: await examineClient(session, client), atLeast: undefined };
      if (!session.asJson) session.terminal.out(renderFindings(findings, session.terminal));
      const fixed = fix ? await applyFix(session, findings, atLeast) : undefined;
      const healthy = findings.every(({ status }) => status !== "failed");
      if (!healthy) session.exitCode = exitCodes.failed;
      if (session.asJson) session.terminal.json({ ok: healthy, checks: findings, ...fixed });
    });
  addExamples(command, [
    ["haft doctor", "leaves with 1 if something has to be done"],
    ["haft doctor --client claude-code", "whether its own shell is still there"],
    ["haft doctor --fix", "asks, and then installs bubblewrap with this machine's package manager"],
  ]);
  command.addHelpText(
    "after",
    "\nIt looks at Node, haft's own folder, the configuration, its trust and the policy, every tool's schema,\nwhat you brought (files, and MCP servers, to which it connects), the store and its ledger, memory, the model\nof agents, which it does not ask, and what its cache serves, isolation, ripgrep and the port of `haft serve`.\nIt changes nothing but what a first start makes.\nWith --fix it installs bubblewrap after a yes; where nobody can be asked, it says what to run.",
  );
}

/** Puts what was found afterwards in the place of what was found before. */
async function applyFix(
  session: Session,
  findings: Finding[],
  atLeast: SandboxLevel | undefined,
): Promise<{ readonly fix: { readonly commands: readonly string[]; readonly done: boolean } }> {
  const { fixIsolation } = await import("../checks/fix-isolation.ts");
  const { commands, finding } = await fixIsolation(session, atLeast);
  if (finding !== undefined) {
    const place = findings.findIndex(({ name }) => name === finding.name);
    findings.splice(place, place === -1 ? 0 : 1, finding);
    if (!session.asJson) session.terminal.out(renderFindings([finding], session.terminal));
  }
  return { fix: { commands, done: finding !== undefined && finding.status !== "failed" } };
}

async function examine(
  session: Session,
): Promise<{ readonly findings: Finding[]; readonly atLeast: SandboxLevel | undefined }> {
  const [{ examineApp, examineHome, examineMachine }, { checkPort }] = await Promise.all([
    import("../../app/checks/index.ts"),
    import("../checks/port.ts"),
  ]);
  const ownHome = await session.home();
  const findings = [...examineHome(ownHome.folder)];
  const app = await openApp(session, findings);
  if (app !== undefined) {
    await awaitServers(session, app);
    findings.push(...(await examineApp(app, session.signal)));
  }
  const atLeast = app?.loaded.config.sandbox?.atLeast;
  findings.push(...(await examineMachine(atLeast, session.signal)));
  const port = servePort(app);
  if (port !== 0) findings.push(await checkPort(ownHome, port));
  return { findings, atLeast };
}

async function examineClient(session: Session, id: string): Promise<Finding[]> {
  const [{ checkClientFiles }, { clientSetting, findClient }] = await Promise.all([
    import("../checks/client.ts"),
    import("../connect/index.ts"),
  ]);
  const entry = findClient(id);
  const folder = session.folder();
  const command = mcpCommand(session, await session.home(), folder);
  return checkClientFiles(entry, clientSetting(entry, { command, folder }));
}

async function openApp(session: Session, findings: Finding[]): Promise<App | undefined> {
  try {
    return await session.openApp({ sources: "once" });
  } catch (error) {
    findings.push(
      failed("config", getErrorMessage(error), "correct it; the tools and the store were not looked at"),
    );
    return undefined;
  }
}

const marks: Readonly<Record<Finding["status"], readonly [text: string, paint: Paint]>> = {
  ok: ["ok", "green"],
  warning: ["warning", "yellow"],
  failed: ["FAILED", "red"],
};

function renderFindings(findings: readonly Finding[], terminal: Terminal): string {
  const rows = findings.map(({ name, status, detail, remedy }) => [
    marks[status][0],
    name,
    terminal.foreign(remedy === undefined ? detail : `${detail}\n→ ${remedy}`),
  ]);
  const table = renderTable(
    [
      { title: "", paint: (text) => terminal.paint(choosePaint(text.trim()), text) },
      { title: "" },
      { title: "", overflow: "wrap" },
    ],
    rows,
    { width: terminal.width, titles: false },
  );
  const count = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length;
  const [failures, warnings] = [count("failed"), count("warning")];
  if (failures + warnings === 0) return `${table}\nEverything is in place.\n`;
  return `${table}\n${failures} failed, ${warnings} ${warnings === 1 ? "warning" : "warnings"}.\n`;
}

function choosePaint(text: string): Paint {
  return Object.values(marks).find(([mark]) => mark === text)?.[1] ?? "reset";
}
