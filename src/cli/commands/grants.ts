import { Argument, type Command } from "commander";
import type { GrantStore } from "../../modules/grants/index.ts";
import { confirm } from "../asking/confirm.ts";
import { ownerIdentity } from "../asking/owner-identity.ts";
import { requireOwner } from "../asking/owner-only.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import type { Session } from "../session.ts";

const actions = ["list", "revoke"] as const;
type Action = (typeof actions)[number];

interface GrantsOptions {
  readonly all?: boolean;
  readonly yes?: boolean;
}

export function defineGrants(command: Command, session: Session): void {
  command
    .addArgument(new Argument("[action]", "what to do").choices(actions).default("list"))
    .argument("[grant]", "the id of one grant, for revoke")
    .option("--all", "with list: those that ended, too; with revoke: every one that stands")
    .option("-y, --yes", "with revoke --all: without being asked")
    .action(async (action: Action, id: string | undefined, options: GrantsOptions) => {
      if (action === "revoke") {
        refuseUnclear(id, options);
        await requireOwner(session, "revoke a grant");
      }
      const app = await session.openApp();
      session.warn(app.loaded.warnings);
      const { grants } = await app.store();
      if (action === "list") await list(session, grants, options.all === true);
      else if (id === undefined) await revokeAll(session, grants, options.yes === true);
      else await revoke(session, grants, id);
    });
  addExamples(command, [
    ["haft grants", "what was allowed for longer than once, how often it was used, when it ends"],
    ["haft grants revoke g_7k2p1x9m4c", "from now on it is asked about again"],
    ["haft grants revoke --all", "everything is asked about again"],
  ]);
  command.addHelpText(
    "after",
    "\nA grant is made by a yes that is remembered: at the question, or with `haft approvals approve ID --remember`.\nOne that nothing uses for 30 days ends by itself; the yes to a project's own programs stays until it is revoked.\nRules that deny are above every grant.",
  );
}

async function list(session: Session, grants: GrantStore, includeEnded: boolean): Promise<void> {
  const found = await grants.list({ includeEnded });
  if (session.asJson) session.terminal.json(found);
  else if (found.length === 0) session.terminal.err("Nothing is allowed beyond what the rules say\n");
  else {
    const { renderGrantList } = await import("../text/grant.ts");
    session.terminal.out(renderGrantList(found, session.terminal, Date.now()));
  }
}

async function revoke(session: Session, grants: GrantStore, id: string): Promise<void> {
  if (!(await grants.revoke(id, ownerIdentity()))) {
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot revoke the grant "${id}": none of that name stands; \`haft grants\` lists them`,
    );
  }
  if (session.asJson) session.terminal.json({ id, revoked: true });
  else session.terminal.out(`${id} is revoked\n`);
}

async function revokeAll(session: Session, grants: GrantStore, yes: boolean): Promise<void> {
  await confirm(session, { message: "Revoke every grant?", action: "revoke every grant", yes });
  const revoked = await grants.revokeAll(ownerIdentity());
  if (session.asJson) session.terminal.json({ revoked });
  else session.terminal.out(`${revoked} ${revoked === 1 ? "grant is" : "grants are"} revoked\n`);
}

function refuseUnclear(id: string | undefined, { all }: GrantsOptions): void {
  if ((id === undefined) === (all === true)) return;
  const fault = id === undefined ? "name one" : `it is either "${id}" or --all`;
  throw new CliError(
    "CLI_USAGE",
    `Cannot revoke a grant: ${fault}, as in \`haft grants revoke ID\`; \`haft grants\` lists them`,
  );
}
