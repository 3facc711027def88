import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** Time without typing after which a typed text counts. */
const pauseMs = 250;

/** A choice that narrows or orders a list. */
export function Choice({
  label,
  none,
  value,
  choices,
  change,
}: {
  readonly label: string;
  /** The choice of nothing. @default one of the others is always chosen */
  readonly none?: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly change: (value: string) => void;
}): VNode {
  return (
    <select
      aria-label={label}
      data-set={none !== undefined && value !== ""}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    >
      {none !== undefined && <option value="">{none}</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

/** A field that counts once nobody types any more. */
export function TypedField({
  label,
  placeholder,
  value,
  choices,
  search = false,
  change,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly choices?: readonly string[];
  readonly search?: boolean;
  readonly change: (value: string) => void;
}): VNode {
  const [typed, setTyped] = useState(value);
  const timer = useRef(0);
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const list = `choices-${label.toLowerCase()}`;
  return (
    <>
      <input
        type="search"
        data-search={search || undefined}
        data-set={typed !== ""}
        aria-label={label}
        aria-keyshortcuts={search ? "/" : undefined}
        placeholder={placeholder}
        value={typed}
        list={choices === undefined ? undefined : list}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => {
          const text = event.currentTarget.value;
          setTyped(text);
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => latest.current(text), pauseMs);
        }}
      />
      {choices !== undefined && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}
