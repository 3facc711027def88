import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { type AnswerTo, ask } from "../../net/api.ts";
import { useLiveReload } from "../../net/live.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { needsPin, PinField } from "../../parts/owner-pin.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useAct } from "../../parts/use-act.ts";
import { toHref } from "../../shell/address.ts";
import { formatCounted } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";

type Grant = AnswerTo<"GET /grants">[number];

/** Answers that are remembered, each with what it covers and a way to take it back. */
export function GrantList({ all }: { readonly all: boolean }): VNode {
  const { answer, fault, reload } = useAnswer("GET /grants", { query: all ? { all: "true" } : {} });
  useLiveReload(["question"], reload, 1000);
  if (answer === undefined) return fault === undefined ? <Loading /> : <Fault fault={fault} retry={reload} />;
  return (
    <>
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      <p class="rules-bar">
        <span class="dim">
          {all ? "Also those that cover nothing any more." : "Those that answer for you now."}
        </span>
        {all ? (
          <a href={toHref("policy/grants")}>Only those that stand</a>
        ) : (
          <a href={toHref("policy/grants", { all: "true" })}>Ended ones, too</a>
        )}
      </p>
      {answer.length === 0 ? (
        <Empty title="No answer is remembered">
          <p>
            A yes that you give for longer than once, at <a href={toHref("questions")}>Questions</a> or in a
            terminal, is here until it ends or you revoke it.
          </p>
        </Empty>
      ) : (
        <ul class="grants" aria-label="Remembered answers">
          {answer.map((grant) => (
            <GrantRow key={grant.id} grant={grant} reload={reload} />
          ))}
        </ul>
      )}
    </>
  );
}

function GrantRow({ grant, reload }: { readonly grant: Grant; readonly reload: () => void }): VNode {
  const act = useAct();
  const [pin, setPin] = useState("");
  const { id, toolName, patterns, paramsText, state, folder } = grant;
  return (
    <li>
      <div class="grant-what">
        <strong>
          <Text value={toolName} oneLine />
        </strong>{" "}
        {patterns === undefined ? (
          <>
            <span class="dim">exactly</span>{" "}
            <code>
              <Text value={paramsText ?? "one call"} oneLine />
            </code>
          </>
        ) : (
          <ul class="patterns">
            {patterns.map((pattern) => (
              <li key={`${pattern.kind} ${pattern.target}`}>
                <Text value={pattern.kind} oneLine />{" "}
                <code>
                  <Text value={pattern.target} oneLine />
                </code>{" "}
                <span class="dim">
                  <Text value={reaches.get(pattern.reach) ?? pattern.reach} oneLine />
                  {pattern.confined === true && ", in the sandbox"}
                </span>
              </li>
            ))}
          </ul>
        )}
        <p class="dim grant-facts">
          <span>{describeEnd(grant)}</span>
          <span>{grant.uses === 0 ? "never used" : `used ${formatCounted(grant.uses, "time")}`}</span>
          <span>
            given <Time at={grant.createdAt} seconds={false} /> by <Text value={grant.by} oneLine />
          </span>
          {grant.agentId !== undefined && (
            <span>
              to <Text value={grant.agentId} oneLine />
            </span>
          )}
          {folder !== undefined && (
            <span>
              in <Text value={folder} oneLine />
            </span>
          )}
          <span>
            <Text value={id} oneLine />
          </span>
        </p>
      </div>
      {state === "standing" ? (
        <div class="grant-act">
          {needsPin(act.fault) && <PinField pin={pin} change={setPin} />}
          <GuardedButton
            disabled={act.busy || act.done !== undefined}
            act={() =>
              act.run(async () => {
                await ask("POST /grants/:id/revoke", {
                  segments: { id },
                  body: pin === "" ? {} : { pin },
                });
                reload();
                return "Revoked: such calls ask again.";
              })
            }
          >
            {act.done === undefined ? "Revoke" : "Revoked"}
            <span class="unseen">
              {" "}
              the answer for <Text value={toolName} oneLine />
            </span>
          </GuardedButton>
        </div>
      ) : (
        <span class="mark">
          <Text value={state} oneLine />
        </span>
      )}
      {act.fault !== undefined && (
        <div class="grant-fault">
          <Fault fault={act.fault} />
        </div>
      )}
    </li>
  );
}

const reaches: ReadonlyMap<string, string> = new Map([
  ["same", "and nothing else"],
  ["arguments", "with any words after it"],
  ["below", "and all in it"],
  ["project", "programs of the project"],
]);

function describeEnd({ term, expiresAt, unusedAt }: Grant): VNode | string {
  if (expiresAt !== undefined)
    return (
      <>
        until <Time at={expiresAt} seconds={false} />
      </>
    );
  if (term === "session") return "for its session";
  if (unusedAt === undefined) return "always";
  return (
    <>
      always; ends <Time at={unusedAt} seconds={false} /> if unused
    </>
  );
}
