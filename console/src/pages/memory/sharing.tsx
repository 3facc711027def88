import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { showInvisible } from "../../../../src/base/index.ts";
import type { MemoryDetail } from "../../../../src/server/console/api/index.ts";
import { ask } from "../../net/api.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { Section } from "../../parts/section.tsx";
import { Fault } from "../../parts/states.tsx";
import { useAct } from "../../parts/use-act.ts";
import { Text } from "../../text/text.tsx";
import { type Change, memoryPermissions, toChange } from "./change.ts";

type Permission = (typeof memoryPermissions)[number];

/** Who else has the entry, and a way to let another agent have it. */
export function Sharing({
  change,
  shares,
}: {
  readonly change: Change;
  readonly shares: MemoryDetail["shares"];
}): VNode {
  const { entry, agent, reload } = change;
  const act = useAct();
  const { answer: overview } = useAnswer("GET /memory/overview", { query: {} });
  const others = [...(agent === "" ? [] : ["-"]), ...(overview?.agents ?? []).filter((id) => id !== agent)];
  const [chosen, setChosen] = useState("");
  const [permission, setPermission] = useState<Permission>("append");
  const other = others.includes(chosen) ? chosen : others[0];
  const share = (to: string, wanted: Permission | "none") =>
    act.run(async () => {
      try {
        await ask("POST /memory/entries/:id/share", {
          segments: { id: entry.id },
          body: { ...toChange(change), with: to, permission: wanted },
        });
      } finally {
        reload();
      }
      const name = showInvisible(nameAgent(to));
      return wanted === "none" ? `No longer shared with ${name}.` : `Shared with ${name}.`;
    });
  return (
    <Section title="Shared with">
      {shares.length === 0 ? (
        <p class="dim">Nobody else has it.</p>
      ) : (
        <ul class="shares">
          {shares.map((one) => (
            <li key={one.scope}>
              <span>
                <Text value={one.with === undefined ? one.scope : nameAgent(one.with)} oneLine />{" "}
                <span class="dim">
                  <Text value={one.permission} oneLine />
                </span>
              </span>
              {one.with !== undefined && (
                <GuardedButton class="quiet" disabled={act.busy} act={() => share(one.with ?? "-", "none")}>
                  Take back
                  <span class="unseen">
                    {" "}
                    the share with <Text value={nameAgent(one.with)} oneLine />
                  </span>
                </GuardedButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {other === undefined ? (
        <p class="dim">
          There is no other agent: name one under <code>agents</code> in <code>haft.config.yml</code>.
        </p>
      ) : (
        <div class="memory-acts">
          <select
            aria-label="Share with"
            value={other}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            {others.map((id) => (
              <option key={id} value={id}>
                {showInvisible(nameAgent(id))}
              </option>
            ))}
          </select>
          <select
            aria-label="What it may do there"
            value={permission}
            onChange={(event) =>
              setPermission(memoryPermissions.find((one) => one === event.currentTarget.value) ?? "append")
            }
          >
            {memoryPermissions.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
          <GuardedButton disabled={act.busy} act={() => share(other, permission)}>
            Share
          </GuardedButton>
        </div>
      )}
      {act.done !== undefined && <p class="done">{act.done}</p>}
      {act.fault !== undefined && <Fault fault={act.fault} />}
    </Section>
  );
}

function nameAgent(id: string): string {
  return id === "-" ? "calls without an agent" : id;
}
