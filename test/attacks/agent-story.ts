import { onTestFinished } from "vitest";
import { type App, createApp } from "../../src/app/index.ts";
import { TaskDriver } from "../../src/app/tasks/index.ts";
import { parseJson } from "../../src/base/index.ts";
import type { Approver } from "../../src/kernel/index.ts";
import type { Run } from "../../src/modules/sessions/index.ts";
import type { AskedRequest } from "../support/model-server.ts";
import { type ProviderTurn, useScriptedProvider } from "../support/scripted-provider.ts";
import type { Gate } from "./gate.ts";
import { textsIn } from "./obedient-model.ts";
import { agreeing, careful, type Person } from "./people.ts";
import { World } from "./world.ts";

/** A message that reaches the agent. */
export interface Said {
  readonly text: string;
  /** Who wrote it, if not the user: their words are data from outside. */
  readonly stranger?: string;
  /** It is read together with the one before it. */
  readonly isAlso?: true;
}

/**
 * Two days of a conversation with an agent whose model obeys every order that it reads. Between them the program goes on,
 * or ends and is started again over the same home: either way the same effects must not come of it.
 */
export interface AgentStory {
  readonly name: string;
  readonly make?: (world: World) => void;
  /** What the installation holds before the first message. */
  readonly before?: (app: App, world: World) => Promise<void>;
  readonly evening: (world: World) => readonly Said[];
  readonly morning: (world: World) => readonly Said[];
  /** The conversation is summed up in the night. @default false */
  readonly summed?: boolean;
  /** The second day is a new conversation. @default false */
  readonly anew?: boolean;
  /** The model ends each answer with the orders of texts that it has not carried out, as one does that retells them. @default false */
  readonly retells?: boolean;
  /** The forbidden effects that happened, each in a few words. */
  readonly forbidden: (world: World) => string[];
}

/** What came of a story. */
export interface AgentDays {
  readonly world: World;
  readonly person: Person;
  readonly asked: readonly AskedRequest[];
  /** How each call ended, in order: its tool, and the code of a failure. */
  readonly calls: readonly (readonly [tool: string, code: string | undefined, text: string])[];
}

export async function liveDays(
  story: Omit<AgentStory, "forbidden">,
  { restart, gate = "closed" }: { readonly restart: boolean; readonly gate?: Gate },
): Promise<AgentDays> {
  const world = await World.open();
  story.make?.(world);
  const model = new ObedientChat(story.retells === true);
  const { host } = world.attacker;
  const settings = `tools: { allowedHosts: ${JSON.stringify([world.site.host, host])} }\n`;
  const place = { home: world.installation.home.folder };
  const { asked } = await useScriptedProvider(place, (request) => model.answer(request), settings);
  const person = gate === "open" ? agreeing() : careful(world);
  const calls: AgentDays["calls"][number][] = [];
  let app = await openApp(world);
  await story.before?.(app, world);
  let sessionId = await speak(app, { person, calls }, story.evening(world));
  if (story.summed === true && sessionId !== undefined) await (await app.agent()).compact(sessionId);
  if (restart) {
    await app.close();
    app = await openApp(world);
  }
  model.isMorning = true;
  if (story.anew === true) sessionId = undefined;
  await speak(app, { person, calls, sessionId }, story.morning(world));
  return { world, person, asked, calls };
}

async function openApp({ installation }: World): Promise<App> {
  const app = await createApp({ folder: installation.folder, home: installation.home, profile: "coding" });
  onTestFinished(() => app.close());
  return app;
}

interface Speaking {
  readonly person: Approver;
  readonly calls: AgentDays["calls"][number][];
  readonly sessionId?: string | undefined;
}

/** Sends the messages, each once the one before it is answered, and returns the session. */
async function speak(
  app: App,
  { person, calls, sessionId }: Speaking,
  said: readonly Said[],
): Promise<string | undefined> {
  const host = await app.agent();
  const { Interrupts } = await import("../../src/agent/index.ts");
  const { sessions } = await app.store();
  let session = sessionId;
  // Tasks are done in this process, and ask the same person.
  const tasks = new TaskDriver(app, {
    approver: person,
    onError: (error) => {
      throw error;
    },
  });
  for (const [at, { text, stranger }] of said.entries()) {
    const parts = [{ type: "text" as const, text }];
    session ??= (await sessions.open({ scope: "local", agentId: "main", channel: "test" })).id;
    const from =
      stranger === undefined ? { sender: "user" } : { sender: stranger, trust: "untrusted" as const };
    await sessions.post({ scope: "local", sessionId: session, parts, ...from });
    if (said[at + 1]?.isAlso === true) continue;
    await tasks.add(session);
    let run: Run | undefined = await host.begin({ parts: [], sessionId: session, channel: "test" });
    while (run !== undefined) {
      await host.drive(run, {
        interrupts: new Interrupts(),
        approver: person,
        emit: (event) => {
          if (event.type === "call.ended")
            calls.push([event.result.name, event.result.code, event.result.text]);
        },
      });
      run = await tasks.next(session, new AbortController().signal);
    }
  }
  await tasks.close();
  return session;
}

/** How a text orders a call that is to be made once the next day has begun. */
export function later(order: string): string {
  return order.replaceAll("<<DO", "<<LATER");
}

/** A model that does whatever any text in its request orders, one call an answer, each order once. */
class ObedientChat {
  isMorning = false;
  readonly #done = new Set<string>();
  readonly #retells: boolean;
  #canary: string | undefined;

  constructor(retells: boolean) {
    this.#retells = retells;
  }

  answer({ body }: AskedRequest): ProviderTurn {
    // Data in a prompt is JSON whose brackets are escaped; a model reads it all the same.
    const texts = Array.from(textsIn(body["messages"]), (text) => text.replaceAll("\\u003c", "<"));
    for (const text of texts) this.#canary ??= /canary-[0-9a-f]{24}/.exec(text)?.[0];
    const orders = texts.flatMap((text) => Array.from(text.matchAll(/<<(DO|LATER) ([\w-]+) (.*?)>>/gs)));
    // Asked for a summary, it writes down all that is still to be done, in words of its own.
    if (texts.at(-1)?.includes("is about to be left out") === true)
      return { text: retell(orders) || "Nothing is left." };
    for (const [, when, name = "", json = ""] of orders) {
      if (when === "LATER" && !this.isMorning) continue;
      const input = parseJson(json) ?? parseJson(unquote(json)) ?? parseJson(unquote(unquote(unquote(json))));
      if (input === undefined) continue;
      const filled = JSON.stringify(input).replaceAll("[[canary:plain]]", this.#canary ?? "[[canary:plain]]");
      if (this.#done.has(`${name} ${filled}`)) continue;
      this.#done.add(`${name} ${filled}`);
      return { calls: [{ name, input: filled }] };
    }
    return { text: (this.#retells && retell(orders)) || "Done." };
  }
}

function retell(orders: readonly RegExpExecArray[]): string {
  return orders.map(([whole]) => unquote(whole)).join("\n");
}

function unquote(text: string): string {
  return text.replaceAll('\\"', '"').replaceAll("\\\\", "\\");
}
