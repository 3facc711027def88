import type { VNode } from "preact";
import { showInvisible } from "../../../../src/base/index.ts";
import type { QuestionAnswer, QuestionDetail } from "../../../../src/server/console/api/index.ts";
import { formatCounted } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";

/** What a yes is to be remembered as, and for how long. */
export type Remembered = NonNullable<Extract<QuestionAnswer, { decision: "approve" }>["remember"]>;
type Term = Remembered["term"];
type Offer = QuestionDetail["question"]["offers"][number];

const hourMs = 3_600_000;
const times: readonly number[] = [hourMs, 24 * hourMs, 7 * 24 * hourMs, 30 * 24 * hourMs];
const timeWords: ReadonlyMap<Term, string> = new Map<Term, string>([
  ["session", "for this session"],
  ["always", "always"],
  [hourMs, "for an hour"],
  [24 * hourMs, "for a day"],
  [7 * 24 * hourMs, "for 7 days"],
  [30 * 24 * hourMs, "for 30 days"],
]);

/** `once`, `for an hour`, `always`. */
export function describeTerm(term: Term | undefined): string {
  return term === undefined ? "once" : (timeWords.get(term) ?? "for a time");
}

/** What a yes can stand for: this once, or one of the offers, each with what it would cover. */
export function Offers({
  offers,
  covered,
  chosen,
  choose,
}: {
  readonly offers: readonly Offer[];
  readonly covered: QuestionDetail["covered"];
  readonly chosen: Remembered | undefined;
  readonly choose: (remembered: Remembered | undefined) => void;
}): VNode {
  return (
    <fieldset class="offers">
      <legend class="unseen">What a yes is for</legend>
      <label class="offer" data-chosen={chosen === undefined}>
        <input type="radio" name="offer" checked={chosen === undefined} onChange={() => choose(undefined)} />
        <span>
          <strong>This once</strong>
          <span class="dim">The next such call asks again.</span>
        </span>
      </label>
      {offers.map((offer) => (
        <OfferChoice
          key={offer.id}
          offer={offer}
          questions={Object.hasOwn(covered, offer.id) ? covered[offer.id] : undefined}
          term={chosen?.offer === offer.id ? chosen.term : undefined}
          choose={(term) => choose({ offer: offer.id, term })}
        />
      ))}
    </fieldset>
  );
}

function OfferChoice({
  offer,
  questions,
  term,
  choose,
}: {
  readonly offer: Offer;
  /** Other questions of the last 30 days that it would have answered. */
  readonly questions: number | undefined;
  readonly term: Term | undefined;
  readonly choose: (term: Term) => void;
}): VNode {
  const terms = offer.terms.flatMap((one): readonly Term[] => (one === "time" ? times : [one]));
  const selected = term ?? terms[0] ?? "session";
  return (
    <div class="offer" data-chosen={term !== undefined}>
      <input
        type="radio"
        name="offer"
        id={`offer-${offer.id}`}
        checked={term !== undefined}
        onChange={() => choose(selected)}
      />
      <div>
        <label for={`offer-${offer.id}`}>
          <strong>
            <Text value={offer.label} />
          </strong>
        </label>
        <p>
          Covers: <Text value={offer.covers} />
        </p>
        <p class="dim">
          Still asks: <Text value={offer.leaves} />
        </p>
        <p class="offer-foot">
          <select
            aria-label={`How long: ${showInvisible(offer.label)}`}
            value={String(selected)}
            onChange={(event) => {
              const value = event.currentTarget.value;
              choose(terms.find((one) => String(one) === value) ?? selected);
            }}
          >
            {terms.map((one) => (
              <option key={one} value={String(one)}>
                {describeTerm(one)}
              </option>
            ))}
          </select>
          {questions !== undefined && (
            <span class="dim">
              would have answered{" "}
              {questions === 0 ? "no other question" : formatCounted(questions, "other question")} of the last
              30 days
            </span>
          )}
        </p>
      </div>
    </div>
  );
}
