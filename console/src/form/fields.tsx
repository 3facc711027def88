import type { VNode } from "preact";
import { useId, useLayoutEffect, useState } from "preact/hooks";
import { isSameJson, showInvisible } from "../../../src/base/index.ts";
import { Text } from "../text/text.tsx";
import { readJson } from "./schema-fields.ts";

/** A field for a text, of as many lines as it has. */
export function TextField({
  value,
  change,
  label,
}: {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly label: string;
}): VNode {
  return (
    <textarea
      rows={1}
      aria-label={showInvisible(label)}
      value={value}
      autoComplete="off"
      spellcheck={false}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}

/** A field for a number. What is typed and is no number goes into the value as text, so that nothing is hidden. */
export function NumberField({
  value,
  whole,
  change,
  label,
}: {
  readonly value: number | string;
  readonly whole: boolean;
  readonly change: (value: number | string) => void;
  readonly label: string;
}): VNode {
  const [typed, setTyped] = useState(String(value));
  useLayoutEffect(() => {
    if (readNumber(typed, whole) !== value) setTyped(String(value));
  }, [value]);
  const id = useId();
  const isWrong = typeof value === "string";
  return (
    <>
      <input
        inputMode="decimal"
        aria-label={showInvisible(label)}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? id : undefined}
        value={typed}
        autoComplete="off"
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          change(readNumber(event.currentTarget.value, whole));
        }}
      />
      {isWrong && (
        <span id={id} class="form-fault">
          {whole ? "This should be a whole number" : "This should be a number"}
        </span>
      )}
    </>
  );
}

function readNumber(text: string, whole: boolean): number | string {
  const value = Number(text);
  const isNumber = text.trim() !== "" && Number.isFinite(value) && (!whole || Number.isInteger(value));
  return isNumber ? value : text;
}

/** A field for any JSON. */
export function RawField({
  value,
  change,
  label,
  fault,
  restart,
}: {
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly label: string;
  /** What is wrong with the value. */
  readonly fault?: string;
  /** Puts a value in its place that fits. */
  readonly restart?: () => void;
}): VNode {
  const [typed, setTyped] = useState(() => JSON.stringify(value, null, 2) ?? "null");
  const read = readJson(typed);
  useLayoutEffect(() => {
    // Unfinished JSON is in the value as text.
    if (!isSameJson("value" in read ? read.value : typed, value))
      setTyped(JSON.stringify(value, null, 2) ?? "null");
  }, [value]);
  const id = useId();
  const wrong =
    "value" in read ? fault : `No JSON, line ${read.line}, column ${read.column}: ${read.message}`;
  return (
    <>
      <textarea
        rows={1}
        class="mono"
        aria-label={`${showInvisible(label)} as JSON`}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : id}
        value={typed}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => {
          const text = event.currentTarget.value;
          setTyped(text);
          const now = readJson(text);
          change("value" in now ? now.value : text);
        }}
      />
      {wrong !== undefined && (
        <span id={id} class="form-fault">
          <Text value={wrong} />
          {restart && (
            <button type="button" class="quiet" onClick={restart}>
              Start anew
            </button>
          )}
        </span>
      )}
    </>
  );
}

/** The whole value as JSON. Text that is no JSON is told where it is none, and stays. */
export function JsonBox({
  text,
  change,
  label,
}: {
  readonly text: string;
  readonly change: (text: string) => void;
  readonly label: string;
}): VNode {
  const id = useId();
  const read = readJson(text);
  const isWrong = !("value" in read);
  return (
    <div class="json-box">
      <textarea
        class="mono"
        rows={6}
        aria-label={showInvisible(label)}
        aria-invalid={isWrong}
        aria-describedby={id}
        value={text}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <p id={id} class="form-fault" aria-live="polite">
        {isWrong && <Text value={`Line ${read.line}, column ${read.column}: ${read.message}`} oneLine />}
      </p>
    </div>
  );
}
