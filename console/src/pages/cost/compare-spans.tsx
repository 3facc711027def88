import type { VNode } from "preact";
import type { AnswerTo } from "../../net/api.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { Section } from "../../parts/section.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { go, toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { formatCount } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { writeMs } from "./day-plots.tsx";
import { listSums, writeSpent } from "./figures.tsx";

type SpanCost = AnswerTo<"GET /cost/span">;

/** Days from the first to the last, both included. */
interface Days {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;
/** The names of fields of the address, for each of the two spans. */
const fields = [
  { from: "from", to: "to", name: "First" },
  { from: "from2", to: "to2", name: "Second" },
] as const;

/** The day of this machine that is so many days away. */
function findDay(after: number): string {
  const date = new Date();
  date.setDate(date.getDate() + after);
  return date.toLocaleDateString("sv-SE");
}

function isDay(text: string | null): text is string {
  return /^\d{4}-\d\d-\d\d$/.test(text ?? "") && !Number.isNaN(Date.parse(text ?? ""));
}

/** The two spans of the address; without any, the last seven days and those before. */
function readDays(query: URLSearchParams): readonly [Days, Days] {
  const read = (name: string, usual: string) => {
    const text = query.get(name);
    return isDay(text) ? text : usual;
  };
  return [
    { from: read("from", findDay(-13)), to: read("to", findDay(-7)) },
    { from: read("from2", findDay(-6)), to: read("to2", findDay(0)) },
  ];
}

function toQuery({ from, to }: Days): { readonly since: string; readonly until: string } {
  const midnight = (day: string, after = 0) => {
    const date = new Date(`${day}T00:00:00`);
    date.setDate(date.getDate() + after);
    return String(date.getTime());
  };
  return { since: midnight(from), until: midnight(to, 1) };
}

/** What two spans of time cost, and how the calls of tools went in each. */
export function CompareSpans({
  query,
  tabs,
}: {
  readonly query: URLSearchParams;
  readonly tabs: VNode;
}): VNode {
  const days = readDays(query);
  const [one, two] = days;
  const first = useAnswer("GET /cost/span", { query: toQuery(one) });
  const second = useAnswer("GET /cost/span", { query: toQuery(two) });
  const fault = first.fault ?? second.fault;
  const back = Math.max(1, Math.min(3650, Math.ceil((Date.now() - Number(toQuery(one).since)) / dayMs)));
  return (
    <Page title="Cost and speed" command={`haft usage --days ${back} --json`} class="cost-page" head={tabs}>
      <form class="spans" onSubmit={(event) => event.preventDefault()}>
        {fields.map(({ from, to, name }, at) => (
          <fieldset key={name}>
            <legend>{name}</legend>
            {([from, to] as const).map((field, end) => (
              <input
                key={field}
                type="date"
                aria-label={`${name} span, ${end === 0 ? "first" : "last"} day`}
                value={days[at]?.[end === 0 ? "from" : "to"] ?? ""}
                onChange={(event) => {
                  if (isDay(event.currentTarget.value))
                    go(toHref("cost", { ...Object.fromEntries(query), [field]: event.currentTarget.value }));
                }}
              />
            ))}
          </fieldset>
        ))}
      </form>
      {fault !== undefined && (
        <Fault fault={fault} retry={first.fault === undefined ? second.reload : first.reload} />
      )}
      {first.answer !== undefined && second.answer !== undefined ? (
        <Compared one={first.answer} two={second.answer} />
      ) : (
        fault === undefined && <Loading />
      )}
    </Page>
  );
}

function Compared({ one, two }: { readonly one: SpanCost; readonly two: SpanCost }): VNode {
  const sums = new Map(listSums(two.total, two.byTool).map(([name, value]) => [name, value]));
  const models = [...new Set([...one.byModel, ...two.byModel].map(({ model }) => model ?? ""))];
  const tools = [...new Set([...one.byTool, ...two.byTool].map(({ value }) => value))];
  return (
    <>
      <Section title="In all">
        <Rows
          label="Sums of both spans"
          columns={["First", "Second"]}
          rows={listSums(one.total, one.byTool).map(([name, value]) => [name, value, sums.get(name) ?? ""])}
        />
      </Section>
      {models.length > 0 && (
        <Section title="By model">
          <Rows
            label="Spent by model in both spans"
            columns={pairs("Spent", "Requests")}
            rows={models.map((model) => {
              const [a, b] = [one, two].map(({ byModel }) => byModel.find((total) => total.model === model));
              return [
                model || "none",
                a === undefined ? "" : writeSpent(a),
                b === undefined ? "" : writeSpent(b),
                formatCount(a?.calls ?? 0),
                formatCount(b?.calls ?? 0),
              ];
            })}
          />
        </Section>
      )}
      {tools.length > 0 && (
        <Section title="By tool">
          <Rows
            label="Calls by tool in both spans"
            columns={pairs("Calls", "Failed", "p50", "p95", "p99")}
            rows={tools.map((tool) => {
              const [a, b] = [one, two].map(({ byTool }) => byTool.find(({ value }) => value === tool));
              return [
                tool,
                formatCount(a?.calls ?? 0),
                formatCount(b?.calls ?? 0),
                formatCount(a?.failed ?? 0),
                formatCount(b?.failed ?? 0),
                writeMs(a?.p50Ms),
                writeMs(b?.p50Ms),
                writeMs(a?.p95Ms),
                writeMs(b?.p95Ms),
                writeMs(a?.p99Ms),
                writeMs(b?.p99Ms),
              ];
            })}
          />
        </Section>
      )}
    </>
  );
}

/** The name of a column for each of the two spans. */
function pairs(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => [`${name}, first`, `${name}, second`]);
}

function Rows({
  label,
  columns,
  rows,
}: {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}): VNode {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <td />
            {columns.map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name = "", ...values]) => (
            <tr key={name}>
              <th scope="row">
                <Text value={name} oneLine />
              </th>
              {values.map((value, at) => (
                <td key={at} class="number">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
