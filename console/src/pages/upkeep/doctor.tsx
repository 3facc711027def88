import "./upkeep.css";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type AnswerTo, ask, type RequestFault, toFault } from "../../net/api.ts";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { now, Time } from "../../parts/time.tsx";
import { say } from "../../shell/live-region.tsx";
import { Page } from "../../shell/page.tsx";
import { formatCounted } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";

type Check = AnswerTo<"POST /doctor">["checks"][number];

const signs: Readonly<Record<Check["status"], string>> = { failed: "✕", warning: "!", ok: "✓" };
/** What has to be seen to comes first. */
const order: readonly Check["status"][] = ["failed", "warning", "ok"];

/** How each part of haft is, with what to do where one is not well. */
export default function Doctor(): VNode {
  const [known, setKnown] = useState<{ readonly checks: readonly Check[]; readonly at: number }>();
  const [fault, setFault] = useState<RequestFault>();
  const [busy, setBusy] = useState(false);
  const running = useRef<AbortController>(undefined);
  const examine = () => {
    running.current?.abort();
    const run = new AbortController();
    running.current = run;
    setBusy(true);
    ask("POST /doctor", {}, run.signal).then(
      ({ checks }) => {
        if (run.signal.aborted) return;
        setKnown({ checks, at: now.value });
        setFault(undefined);
        setBusy(false);
        say(summarize(checks));
      },
      (error: unknown) => {
        if (run.signal.aborted) return;
        setFault(toFault(error));
        setBusy(false);
      },
    );
  };
  useEffect(() => {
    examine();
    return () => running.current?.abort();
  }, []);
  return (
    <Page
      title="Doctor"
      command="haft doctor"
      head={
        <button type="button" disabled={busy} onClick={examine}>
          {busy ? "Examining…" : "Run again"}
        </button>
      }
    >
      {fault !== undefined && <Fault fault={fault} retry={examine} />}
      {known === undefined ? (
        fault === undefined && <Loading />
      ) : known.checks.length === 0 ? (
        <Empty title="Nothing was examined">
          <p>
            Run it again, or run <code>haft doctor</code> in a terminal.
          </p>
        </Empty>
      ) : (
        <>
          <p>
            {summarize(known.checks)}{" "}
            <span class="dim">
              Examined at <Time at={known.at} />.
            </span>
          </p>
          <ul class="upkeep-rows" aria-label="Checks">
            {known.checks
              .toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status))
              .map((check, at) => (
                <CheckRow key={`${check.name} ${at}`} check={check} />
              ))}
          </ul>
        </>
      )}
    </Page>
  );
}

function CheckRow({ check }: { readonly check: Check }): VNode {
  const { name, status, detail, remedy } = check;
  return (
    <li class="check-row" data-status={status}>
      <span class="check-status">
        <span aria-hidden="true">{signs[status]}</span> <Text value={status} oneLine />
      </span>
      <strong>
        <Text value={name} oneLine />
      </strong>
      <div class="check-detail">
        <Text value={detail} />
        {remedy !== undefined && (
          <p class="check-remedy">
            <span class="dim">What to do: </span>
            <Text value={remedy} />
          </p>
        )}
      </div>
    </li>
  );
}

function summarize(checks: readonly Check[]): string {
  const count = (status: Check["status"]) => checks.filter((check) => check.status === status).length;
  const [failed, warnings] = [count("failed"), count("warning")];
  if (failed === 0 && warnings === 0) return "All is well.";
  const parts = [
    ...(failed > 0 ? [formatCounted(failed, "failure")] : []),
    ...(warnings > 0 ? [formatCounted(warnings, "warning")] : []),
  ];
  return `${parts.join(" and ")} of ${formatCounted(checks.length, "check")}.`;
}
