import type { ListedSecret, UpkeepApi } from "../api/index.ts";
import type { Handlers } from "../route.ts";
import { notFound, pinSchema, readInput, requireOwner } from "./input.ts";

const named = {
  type: "object",
  properties: { name: { type: "string", minLength: 1, maxLength: 128 }, pin: pinSchema },
  required: ["name"],
  additionalProperties: false,
} as const;

/** The pages Secrets, Hooks and Doctor. */
export const upkeepHandlers: Handlers<UpkeepApi> = {
  "GET /secrets": async ({ app }) => {
    await app.sources.listed();
    const stored = new Map(
      (await app.secrets.list(app.context.scope ?? "local")).map((secret) => [secret.name, secret]),
    );
    const asking = new Map<string, string[]>();
    for (const { name, secrets = [] } of app.registry.list())
      for (const secret of secrets) asking.set(secret, [...(asking.get(secret) ?? []), name]);
    const names = [...new Set([...stored.keys(), ...asking.keys()])].toSorted();
    return names.map((name): ListedSecret => {
      const kept = stored.get(name);
      return {
        name,
        createdAt: kept && new Date(kept.createdAt).toISOString(),
        changedAt: kept && new Date(kept.changedAt).toISOString(),
        tools: asking.get(name) ?? [],
      };
    });
  },

  "POST /secrets/delete": async (context, request) => {
    const { name, pin } = await readInput(named, request);
    const { app } = context;
    const scope = app.context.scope ?? "local";
    if (!(await app.secrets.list(scope)).some((secret) => secret.name === name))
      throw notFound("the secret", name, "`haft secret list` lists them");
    await requireOwner(context, pin);
    return { deleted: await app.secrets.delete(scope, name) };
  },

  "GET /hooks": async ({ app }) => {
    await app.sources.ready();
    const { listHooks } = await import("../../../app/views/index.ts");
    const problems = app.sources.hookSource?.problems() ?? [];
    return {
      hooks: await listHooks(app),
      problems: problems.map(({ where, message }) => ({ where, message })),
    };
  },

  "POST /doctor": async ({ app }, { signal }) => {
    const { examineApp, examineHome, examineMachine } = await import("../../../app/checks/index.ts");
    await app.sources.settled();
    const checks = [
      ...examineHome(app.home.folder),
      ...(await examineApp(app, signal)),
      ...(await examineMachine(app.loaded.config.sandbox?.atLeast, signal)),
    ];
    return { ok: checks.every(({ status }) => status !== "failed"), checks };
  },
};
