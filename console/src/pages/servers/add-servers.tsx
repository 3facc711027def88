import "../../form/form.css";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { shellWord, showInvisible } from "../../../../src/base/index.ts";
import { type AnswerTo, ask } from "../../net/api.ts";
import { type FactEntry, Facts } from "../../parts/facts.tsx";
import { GuardedButton } from "../../parts/guarded-button.tsx";
import { Section } from "../../parts/section.tsx";
import { Fault } from "../../parts/states.tsx";
import { useAct } from "../../parts/use-act.ts";
import { OwnerPin, useOwnerAct } from "../../parts/use-owner-act.tsx";
import { go, toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { formatCounted } from "../../text/format.ts";
import { LongText, Text } from "../../text/text.tsx";
import { toServerHref } from "./server-state.tsx";

type Offered = AnswerTo<"POST /servers/read">;
type OfferedServer = Offered["servers"][number];

const example = `{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "some-mcp-server"] } } }`;

/** A text with servers, what adding them would do, and the yes to that. */
export function AddServers(): VNode {
  const [text, setText] = useState("");
  const [read, setRead] = useState<{ readonly text: string; readonly offered: Offered }>();
  const act = useAct();
  return (
    <Page title="Add servers" command="haft mcp add NAME -- COMMAND" class="servers-page">
      <a class="to-all" href={toHref("servers")}>
        All servers
      </a>
      <Section title="Paste JSON as a client's configuration has it">
        <textarea
          class="area mono"
          rows={8}
          aria-label="JSON of servers"
          placeholder={example}
          value={text}
          autoComplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <div class="actions">
          <button
            type="button"
            disabled={act.busy || text.trim() === ""}
            onClick={() =>
              act.run(async () => {
                const offered = await ask("POST /servers/read", { body: { text } });
                setRead({ text, offered });
                return `${formatCounted(offered.servers.length, "server")} found`;
              })
            }
          >
            Show what it would add
          </button>
          <span class="dim">Nothing is added or started by that.</span>
        </div>
        {act.fault !== undefined && <Fault fault={act.fault} />}
      </Section>
      {read !== undefined &&
        (read.text === text ? (
          <Offer key={text} text={text} offered={read.offered} />
        ) : (
          <p class="dim">The text is another one by now: have it shown again.</p>
        ))}
    </Page>
  );
}

function Offer({ text, offered }: { readonly text: string; readonly offered: Offered }): VNode {
  const free = offered.servers.filter(({ isTaken }) => !isTaken).map(({ server }) => server.name);
  const [names, setNames] = useState<ReadonlySet<string>>(new Set(free));
  const [withNeeds, setWithNeeds] = useState<ReadonlySet<string>>(new Set());
  const act = useOwnerAct();
  const add = () =>
    act.run(async () => {
      const chosen = free.filter((name) => names.has(name));
      const { names: added } = await ask("POST /servers/add", {
        body: { text, names: chosen, withNeeds: chosen.filter((name) => withNeeds.has(name)), ...act.owner },
      });
      const [first] = added;
      go(added.length === 1 && first !== undefined ? toServerHref(first) : toHref("servers"));
      return `${formatCounted(added.length, "server")} added`;
    });
  return (
    <>
      <Section title="It would add">
        <ul class="offered">
          {offered.servers.map((one) => (
            <li key={one.server.name}>
              <OfferedView
                offered={one}
                isChosen={names.has(one.server.name)}
                choose={(is) => setNames(withName(names, one.server.name, is))}
                hasNeeds={withNeeds.has(one.server.name)}
                giveNeeds={(is) => setWithNeeds(withName(withNeeds, one.server.name, is))}
              />
            </li>
          ))}
        </ul>
        {offered.passedOver.map(({ name, reason }) => (
          <p key={name} class="warning">
            <Text value={name} oneLine /> is passed over: <Text value={reason} />
          </p>
        ))}
      </Section>
      <div class="actions add-bar">
        <GuardedButton class="primary" disabled={act.busy || names.size === 0} act={add}>
          Add {formatCounted(names.size, "server")}
        </GuardedButton>
        <OwnerPin act={act} />
        <span class="dim">haft starts them at once, in the sandbox unless it says otherwise above.</span>
      </div>
      {act.fault !== undefined && <Fault fault={act.fault} />}
    </>
  );
}

function withName(names: ReadonlySet<string>, name: string, is: boolean): ReadonlySet<string> {
  const others = [...names].filter((one) => one !== name);
  return new Set(is ? [...others, name] : others);
}

function OfferedView({
  offered,
  isChosen,
  choose,
  hasNeeds,
  giveNeeds,
}: {
  readonly offered: OfferedServer;
  readonly isChosen: boolean;
  readonly choose: (is: boolean) => void;
  readonly hasNeeds: boolean;
  readonly giveNeeds: (is: boolean) => void;
}): VNode {
  const { server, notes, needs, hasBareSecret, isTaken } = offered;
  const command = server.command === undefined ? undefined : [server.command, ...(server.args ?? [])];
  return (
    <div class="offered-server">
      <label class="offered-head">
        <input
          type="checkbox"
          class="check"
          checked={isChosen}
          disabled={isTaken}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
        <strong>
          <Text value={server.name} oneLine />
        </strong>
        {isTaken && (
          <span class="warning">You have a server of this name. Remove it first: haft mcp remove</span>
        )}
      </label>
      {command !== undefined && (
        <>
          <p>It would start exactly this program:</p>
          <LongText
            value={command.map(shellWord).join(" ")}
            label={`The command of ${showInvisible(server.name)}`}
          />
        </>
      )}
      {server.url !== undefined && (
        <>
          <p>It would connect to:</p>
          <LongText value={server.url} label={`The address of ${showInvisible(server.name)}`} />
        </>
      )}
      <Facts facts={listFacts(offered)} />
      {server.unconfined === true && (
        <p class="warning">It would run outside the sandbox, with all your rights.</p>
      )}
      {hasBareSecret && (
        <p class="warning">
          Something that looks like a secret stands in its arguments or address, where other programs can see
          it.
        </p>
      )}
      {notes.map((note) => (
        <p key={note} class="dim">
          <Text value={note} />
        </p>
      ))}
      {needs !== undefined && (needs.hosts.length > 0 || needs.paths.length > 0) && (
        <label class="offered-needs">
          <input
            type="checkbox"
            class="check"
            checked={hasNeeds}
            disabled={isTaken}
            onChange={(event) => giveNeeds(event.currentTarget.checked)}
          />
          <span>
            Servers of its kind are known to need more. Let it{" "}
            {needs.hosts.length > 0 && (
              <>
                reach <Text value={needs.hosts.join(", ")} />
              </>
            )}
            {needs.hosts.length > 0 && needs.paths.length > 0 && " and "}
            {needs.paths.length > 0 && (
              <>
                change <Text value={needs.paths.join(", ")} />
              </>
            )}
          </span>
        </label>
      )}
      {needs?.note !== undefined && (
        <p class="dim">
          <Text value={needs.note} />
        </p>
      )}
    </div>
  );
}

function listFacts({ server, secrets, needs }: OfferedServer): readonly FactEntry[] {
  const list = (name: string, values: readonly string[] | undefined): FactEntry => [
    name,
    values !== undefined && values.length > 0 && <Text value={values.join(", ")} />,
  ];
  const pairs = (values: Readonly<Record<string, string>> | undefined, sign: string) =>
    Object.entries(values ?? {}).map(([key, value]) => `${key}${sign}${value}`);
  return [
    ["Folder", server.cwd && <Text value={server.cwd} />],
    list("Variables", pairs(server.env, "=")),
    list("Headers", pairs(server.headers, ": ")),
    list("Kept secret", secrets),
    list("May reach", server.hosts),
    list("May read", server.reads),
    list("May change", server.paths),
    list("Wants keys", needs?.secrets),
    list("Only tools", server.allow),
    list("No tools", server.deny),
  ];
}
