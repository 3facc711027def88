import type { Profile } from "../../src/app/index.ts";
import type { Approver } from "../../src/kernel/index.ts";
import type { Asker } from "../../src/mcp/index.ts";
import type { OpenInstallation } from "../support/installation.ts";
import type { Gate } from "./gate.ts";
import { ObedientModel, type Order, type Step } from "./obedient-model.ts";
import { agreeing, careful, onceOnly, type Person, rememberingFirst, tired } from "./people.ts";
import { layOutServers, type ServersOfStory, serversConfig } from "./servers.ts";
import { World } from "./world.ts";

/** What came of a story. */
export interface Run {
  readonly world: World;
  readonly opened: OpenInstallation;
  readonly steps: readonly Step[];
  readonly person: Person | undefined;
}

/**
 * One attack: a world in which somebody has put orders, what an obedient model's user asks of it in that world, and the
 * effects that must not come of it. Add one wherever a new tool reads what others wrote, or does what others could want.
 */
export interface Story {
  readonly name: string;
  /** Files, pages and repositories, before the installation is opened. */
  readonly make?: (world: World, gate: Gate) => void | Promise<void>;
  /** MCP servers of the owner's, which are not what they seem. */
  readonly servers?: (world: World, gate: Gate) => ServersOfStory;
  /** Once it is open: what the owner did before. */
  readonly before?: (world: World, opened: OpenInstallation, gate: Gate) => Promise<void>;
  readonly asks: (world: World) => readonly Order[];
  /** The owner lists the attacker's host too: labels alone are in the way. @default false */
  readonly attackerAllowed?: boolean;
  /** Beside `tools:` with the hosts, YAML of the owner's configuration. */
  readonly config?: (world: World, gate: Gate) => string;
  readonly profile?: Profile;
  /** What runs, and is kept in by the sandbox alone: without one there is nothing to see. @default false */
  readonly needsSandbox?: boolean;
  /** Who is asked. @default nobody */
  readonly person?: "careful" | "tired" | "rememberingFirst" | "onceOnly";
  /** Who answers what servers ask in the middle of a call. @default nobody */
  readonly asker?: (world: World, gate: Gate) => Asker;
  /** The forbidden effects that happened, each in a few words. */
  readonly forbidden: (run: Run) => string[] | Promise<string[]>;
  /**
   * How it is shown that `forbidden` sees the effect. `open`: with everybody's hosts allowed and somebody who agrees to
   * all, it happens. A function: haft makes it impossible whoever agrees, so it is done by hand.
   */
  readonly control: "open" | ((run: Run) => void | Promise<void>);
}

/**
 * Lives the story through, with the gate as it is by default or wide open.
 *
 * @param runsCommands whether commands run also where nothing confines them
 */
export async function live(story: Story, gate: Gate, runsCommands: boolean = gate === "open"): Promise<Run> {
  const world = await World.open();
  await story.make?.(world, gate);
  const servers = story.servers?.(world, gate);
  if (servers !== undefined) layOutServers(world, servers);
  const person = gate === "open" ? agreeing() : toPerson(story, world);
  const asker = story.asker?.(world, gate);
  world.installation.runsCommands = runsCommands;
  const opened = await world.installation.open(makeConfig(story, world, { gate, servers }), {
    ...(person !== undefined && { approver: person as Approver }),
    ...(asker !== undefined && { asker }),
    profile: story.profile ?? "coding",
  });
  await opened.app.sources.settled();
  await story.before?.(world, opened, gate);
  world.takeStock();
  const model = new ObedientModel(opened);
  const steps = await model.work(story.asks(world));
  return { world, opened, steps, person };
}

function toPerson({ person }: Story, world: World): Person | undefined {
  switch (person) {
    case undefined:
      return undefined;
    case "careful":
      return careful(world);
    case "tired":
      return tired();
    case "onceOnly":
      return onceOnly();
    case "rememberingFirst":
      return rememberingFirst();
    default:
      return person satisfies never;
  }
}

interface Setting {
  readonly gate: Gate;
  readonly servers: ServersOfStory | undefined;
}

function makeConfig(
  { attackerAllowed = false, config }: Story,
  world: World,
  { gate, servers }: Setting,
): string {
  const hosts = [world.site.host, ...(attackerAllowed || gate === "open" ? [world.attacker.host] : [])];
  const more = config?.(world, gate) ?? "";
  const started = servers === undefined ? "" : serversConfig(world, servers, gate);
  return `tools:\n  allowedHosts: ${JSON.stringify(hosts)}\n${more}${started}`;
}
