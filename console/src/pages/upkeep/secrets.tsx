import "./upkeep.css";
import type { VNode } from "preact";
import { shellWord } from "../../../../src/base/index.ts";
import { type AnswerTo, ask } from "../../net/api.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Section } from "../../parts/section.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { Text } from "../../text/text.tsx";

type Secret = AnswerTo<"GET /secrets">[number];

/** Names of secrets, and which tools are given each. No value ever comes here. */
export default function Secrets(): VNode {
  const { answer, fault, reload } = useAnswer("GET /secrets");
  return (
    <Page title="Secrets" command="haft secret list">
      {fault !== undefined && <Fault fault={fault} retry={reload} />}
      {answer === undefined ? (
        fault === undefined && <Loading />
      ) : answer.length === 0 ? (
        <Empty title="No secrets">
          <p>
            Nothing is stored, and no tool asks for one. Store one with <code>haft secret set NAME</code>:
            only tools that declare it get it, and no page shows its value.
          </p>
        </Empty>
      ) : (
        <Lists secrets={answer} reload={reload} />
      )}
    </Page>
  );
}

function Lists({
  secrets,
  reload,
}: {
  readonly secrets: readonly Secret[];
  readonly reload: () => void;
}): VNode {
  const missing = secrets.filter(({ createdAt }) => createdAt === undefined);
  const stored = secrets.filter(({ createdAt }) => createdAt !== undefined);
  return (
    <>
      {missing.length > 0 && (
        <Section title="Not stored yet">
          <ul class="upkeep-rows">
            {missing.map((secret) => (
              <li key={secret.name} class="secret-row problem">
                <SecretName secret={secret} />
                <div class="secret-facts">
                  <p>
                    Store it with{" "}
                    <code>
                      <Text value={`haft secret set ${shellWord(secret.name)}`} oneLine />
                    </code>
                  </p>
                  <UsedBy tools={secret.tools} />
                </div>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {stored.length > 0 && (
        <Section title="Stored">
          <ul class="upkeep-rows">
            {stored.map((secret) => (
              <StoredSecret key={secret.name} secret={secret} reload={reload} />
            ))}
          </ul>
        </Section>
      )}
      <p class="dim">
        Values are encrypted in haft's own store. They are shown nowhere, and never leave it by this page.
      </p>
    </>
  );
}

function StoredSecret({ secret, reload }: { readonly secret: Secret; readonly reload: () => void }): VNode {
  const { name, tools } = secret;
  const [created, changed] = [Date.parse(secret.createdAt ?? ""), Date.parse(secret.changedAt ?? "")];
  return (
    <li class="secret-row">
      <SecretName secret={secret} />
      <div class="secret-facts">
        <p class="dim">
          stored {Number.isFinite(created) && <Time at={created} seconds={false} />}
          {Number.isFinite(changed) && changed !== created && (
            <>
              , changed <Time at={changed} seconds={false} />
            </>
          )}
        </p>
        <UsedBy tools={tools} />
      </div>
      <Confirm
        label="Delete"
        name={<Text value={name} oneLine />}
        question={
          <>
            Delete <Text value={name} oneLine />? Its value is gone for good
            {tools.length > 0 && ", and the tools that use it fail until it is stored again"}.
          </>
        }
        yes="Delete it for good"
        act={async (pin) => {
          const { deleted } = await ask("POST /secrets/delete", {
            body: { name, ...(pin !== undefined && { pin }) },
          });
          reload();
          return deleted ? "The secret is deleted." : "The secret was gone already.";
        }}
      />
    </li>
  );
}

function SecretName({ secret: { name } }: { readonly secret: Secret }): VNode {
  return (
    <strong class="mono">
      <Text value={name} oneLine />
    </strong>
  );
}

function UsedBy({ tools }: { readonly tools: readonly string[] }): VNode {
  if (tools.length === 0) return <p class="dim">No tool asks for it.</p>;
  return (
    <p class="tool-names">
      <span class="dim">Used by</span>
      {tools.map((tool) => (
        <a key={tool} href={toHref("calls", { tools: tool })} title="Calls of this tool">
          <Text value={tool} oneLine />
        </a>
      ))}
    </p>
  );
}
