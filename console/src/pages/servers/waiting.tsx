import type { VNode } from "preact";
import { showInvisible } from "../../../../src/base/index.ts";
import type { ServerDetail } from "../../../../src/server/console/api/index.ts";
import { ask } from "../../net/api.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { Fault } from "../../parts/states.tsx";
import { OwnerPin, useOwnerAct } from "../../parts/use-owner-act.tsx";
import { Text } from "../../text/text.tsx";

type WaitingDefinition = ServerDetail["waiting"][number];

/** What is offered beside what may be used, line by line, and the yes to it. */
export function Waiting({
  server,
  waiting: { tool, isNew, after, diff },
  reload,
}: {
  readonly server: string;
  readonly waiting: WaitingDefinition;
  readonly reload: () => void;
}): VNode {
  const act = useOwnerAct();
  return (
    <div class="waiting">
      <p>
        <strong>
          <Text value={tool} oneLine />
        </strong>{" "}
        <span class="dim">
          {isNew
            ? "is new: agents don't have it yet."
            : "was changed: agents have it as it was before, or not at all."}
        </span>
      </p>
      <div class="diff">
        <pre
          tabIndex={0}
          role="region"
          aria-label={`How the definition of ${showInvisible(tool)} would change`}
        >
          {diff.map((line, at) =>
            line === null ? (
              <span key={at} class="diff-line" data-kind="place">
                …
              </span>
            ) : (
              <span
                key={at}
                class="diff-line"
                data-kind={{ "+": "added", "-": "removed", " ": undefined }[line.kind]}
              >
                <Text value={`${line.kind} ${line.text}`} />
              </span>
            ),
          )}
        </pre>
      </div>
      <div class="actions">
        <GuardedButton
          disabled={act.busy}
          act={() =>
            act.run(async () => {
              await ask("POST /server/accept", { body: { name: server, tool, after, ...act.owner } });
              reload();
              return `${tool} may be used as it is offered now.`;
            })
          }
        >
          Accept {isNew ? "the tool" : "the change"}
          <span class="unseen">
            {" "}
            of <Text value={tool} oneLine />
          </span>
        </GuardedButton>
        <OwnerPin act={act} />
        <Confirm
          label="Refuse"
          name={<Text value={tool} oneLine />}
          question={
            <>
              Refuse <Text value={tool} oneLine />? No agent gets it, whatever the server says of it from now
              on. It goes onto <code>deny</code> of the server in your configuration; take it off there to
              look at it again.
            </>
          }
          yes="Refuse it"
          no="Not now"
          act={async (pin) => {
            const body = { name: server, tool, ...(pin !== undefined && { pin }) };
            const { file } = await ask("POST /server/refuse", { body });
            reload();
            return `Refused: it is on deny in ${file}.`;
          }}
        />
      </div>
      {act.fault !== undefined && <Fault fault={act.fault} retry={reload} />}
    </div>
  );
}
