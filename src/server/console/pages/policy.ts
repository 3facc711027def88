import { explainCall, findOutcome, fitsSome, runPolicyTests } from "../../../app/index.ts";
import { modes } from "../../../kernel/index.ts";
import type { PolicyApi } from "../api/index.ts";
import type { Handlers } from "../route.ts";
import { tallyDecisions } from "./decided-by.ts";
import {
  changedMeanwhile,
  notFound,
  pinSchema,
  readInput,
  readParams,
  readSegment,
  readWord,
  requireOwner,
  toCallContext,
} from "./input.ts";

const word = { type: "string", minLength: 1, maxLength: 200 } as const;
const text = { type: "string", maxLength: 500_000 } as const;

const explained = {
  type: "object",
  properties: {
    tool: word,
    params: {},
    mode: { enum: modes },
    agent: word,
    channel: word,
    untrusted: { type: "boolean" },
  },
  required: ["tool", "params"],
  additionalProperties: false,
} as const;
const tried = {
  type: "object",
  properties: { text, last: { type: "integer", minimum: 1, maximum: 5_000 } },
  required: ["text"],
  additionalProperties: false,
} as const;
const saved = {
  type: "object",
  properties: { text, digest: word, pin: pinSchema },
  required: ["text", "digest"],
  additionalProperties: false,
} as const;
const revoked = { type: "object", properties: { pin: pinSchema }, additionalProperties: false } as const;

/** The page of the policy: rules in force, why a call would be decided how, an editor, and remembered answers. */
export const policyHandlers: Handlers<PolicyApi> = {
  "GET /policy": async ({ app, records }, { signal }) => {
    await app.sources.listed();
    const { readOwnRules } = await import("../../../app/views/index.ts");
    const tools = app.registry.list();
    const { looked, find } = await tallyDecisions(records, signal);
    return {
      mode: app.mode,
      rules: app.rules.map((one) => ({
        ...one,
        unused: !fitsSome(one.rule, tools),
        decided: find(one.rule),
      })),
      looked,
      own: await readOwnRules(app),
      tests: app.loaded.config.policyTests?.length ?? 0,
    };
  },

  "POST /policy/explain": async (context, request) => {
    const { tool, params, mode, agent, channel, untrusted } = await readInput(explained, request);
    const { app } = context;
    await app.sources.listed();
    const caller = toCallContext(context);
    const explanation = await explainCall(app, tool, readParams(params), {
      ...caller,
      ...(mode !== undefined && { mode }),
      ...(agent !== undefined && { agentId: agent }),
      ...(channel !== undefined && { origin: { channel } }),
      ...(untrusted === true && { trust: "untrusted" as const }),
    });
    return { outcome: findOutcome(explanation), ...explanation };
  },

  "POST /policy/test": async ({ app }) => {
    await app.sources.listed();
    const results = await runPolicyTests(app, app.loaded.config.policyTests ?? [], app.context);
    return { passed: results.every(({ passed }) => passed), results };
  },

  "POST /policy/try": async ({ app }, request) => {
    const { text: rules, last = 500 } = await readInput(tried, request);
    await app.sources.listed();
    const { tryOwnRules } = await import("../../../app/views/index.ts");
    return tryOwnRules(app, rules, { most: last, signal: request.signal });
  },

  "POST /policy/save": async (context, request) => {
    const { text: rules, digest, pin } = await readInput(saved, request);
    await requireOwner(context, pin);
    const { saveOwnRules } = await import("../../../app/views/index.ts");
    const written = await saveOwnRules(context.app, rules, digest);
    if (written === undefined) throw changedMeanwhile("the configuration");
    return written;
  },

  "GET /grants": async ({ app }, { query }) => {
    const { grants } = await app.store();
    return grants.list({ includeEnded: readWord(query, "all", ["true"]) !== undefined });
  },

  "POST /grants/:id/revoke": async (context, request) => {
    const { pin } = await readInput(revoked, request);
    const id = readSegment(request, "id");
    await requireOwner(context, pin);
    const { grants } = await context.app.store();
    if (!(await grants.revoke(id, context.by)))
      throw notFound("a grant that stands", id, "`haft grants` lists them");
    return { revoked: true };
  },
};
