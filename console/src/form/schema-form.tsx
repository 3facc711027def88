import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isRecord, type JsonSchema, showInvisible } from "../../../src/base/index.ts";
import { Text } from "../text/text.tsx";
import { NumberField, RawField, TextField } from "./fields.tsx";
import {
  describeType,
  type Field,
  findBranch,
  renameKey,
  resolveSchema,
  startValue,
  toField,
  withKey,
} from "./schema-fields.ts";

/** What each part of a form is given: a place of the value, and how to change it. */
interface PlaceProps {
  readonly schema: unknown;
  readonly root: JsonSchema;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  /** The names that lead here, for those who don't see where the field stands. */
  readonly label: string;
}

/** A form for a value of a schema. Parts that are not required can be left out. */
export function SchemaForm(props: PlaceProps): VNode {
  return (
    <div class="form">
      <Place {...props} />
    </div>
  );
}

function Place({ schema, root, value, change, label }: PlaceProps): VNode {
  const resolved = resolveSchema(schema, root);
  const field = toField(resolved, root);
  const rest = { root, value, change, label };
  switch (field.kind) {
    case "alternatives":
      return <Alternatives field={field} {...rest} />;
    case "choice":
      return <Choice field={field} {...rest} />;
    case "boolean":
      if (typeof value === "boolean")
        return <Choice field={{ kind: "choice", values: [true, false] }} {...rest} />;
      break;
    case "null":
      if (value === null) return <span class="dim">null</span>;
      break;
    case "text":
      if (typeof value === "string") return <TextField {...rest} value={value} />;
      break;
    case "number":
      if (typeof value === "number" || typeof value === "string")
        return <NumberField {...rest} value={value} whole={field.whole} />;
      break;
    case "list":
      if (Array.isArray(value)) return <Items field={field} {...rest} value={value} />;
      break;
    case "object":
      if (isRecord(value)) return <Properties field={field} {...rest} value={value} />;
      break;
    case "any":
      return <RawField {...rest} />;
  }
  // The value has another type than the schema: it is shown as it is.
  return (
    <RawField
      {...rest}
      fault={`This should be: ${describeType(resolved, root)}`}
      restart={() => change(startValue(resolved, root))}
    />
  );
}

function Choice({
  field,
  value,
  change,
  label,
}: Omit<PlaceProps, "schema"> & { readonly field: Extract<Field, { kind: "choice" }> }): VNode {
  const texts = field.values.map((one) => JSON.stringify(one) ?? "null");
  const current = JSON.stringify(value) ?? "";
  return (
    <select
      aria-label={showInvisible(label)}
      value={current}
      onChange={(event) => change(field.values[texts.indexOf(event.currentTarget.value)])}
    >
      {!texts.includes(current) && <option value={current}>{showInvisible(current)} (not allowed)</option>}
      {texts.map((text, at) => (
        <option key={text} value={text}>
          {showInvisible(typeof field.values[at] === "string" ? field.values[at] || '""' : text)}
        </option>
      ))}
    </select>
  );
}

function Alternatives({
  field: { branches },
  root,
  value,
  change,
  label,
}: Omit<PlaceProps, "schema"> & { readonly field: Extract<Field, { kind: "alternatives" }> }): VNode {
  const [chosen, setChosen] = useState<string>();
  const branch = findBranch(branches, value, root, chosen);
  return (
    <div class="form-alternatives">
      <select
        aria-label={`${showInvisible(label)}: which kind`}
        value={branch === undefined ? "" : String(branches.indexOf(branch))}
        onChange={(event) => {
          const wanted = branches[Number(event.currentTarget.value)];
          if (wanted === undefined) return;
          setChosen(wanted.label);
          change(startValue(wanted.schema, root));
        }}
      >
        {branch === undefined && <option value="">none of these</option>}
        {branches.map((one, at) => (
          <option key={at} value={String(at)}>
            {showInvisible(one.label)}
          </option>
        ))}
      </select>
      {branch === undefined ? (
        <RawField value={value} change={change} label={label} fault="This fits none of the kinds" />
      ) : (
        <Place
          key={branches.indexOf(branch)}
          schema={branch.schema}
          root={root}
          value={value}
          change={change}
          label={label}
        />
      )}
    </div>
  );
}

function Items({
  field: { first, items },
  root,
  value,
  change,
  label,
}: Omit<PlaceProps, "schema" | "value"> & {
  readonly field: Extract<Field, { kind: "list" }>;
  readonly value: readonly unknown[];
}): VNode {
  const add = value.length < first.length ? first[value.length] : items;
  return (
    <div class="form-list">
      {value.map((item, at) => (
        <div key={at} class="form-row form-item">
          <span class="form-index dim">{at + 1}</span>
          <Place
            schema={at < first.length ? first[at] : (items ?? true)}
            root={root}
            value={item}
            change={(part) => change(value.with(at, part))}
            label={`${label} ${at + 1}`}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${showInvisible(label)} ${at + 1}`}
            onClick={() => change(value.toSpliced(at, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      {add !== undefined && (
        <button
          type="button"
          class="quiet form-add"
          aria-label={`Add to ${showInvisible(label)}`}
          onClick={() => change([...value, startValue(add, root)])}
        >
          Add an item
        </button>
      )}
    </div>
  );
}

function Properties({
  field: { properties, others },
  root,
  value,
  change,
  label,
}: Omit<PlaceProps, "schema" | "value"> & {
  readonly field: Extract<Field, { kind: "object" }>;
  readonly value: Readonly<Record<string, unknown>>;
}): VNode {
  const named = new Set(properties.map(({ name }) => name));
  const more = Object.keys(value).filter((name) => !named.has(name));
  const toLabel = (name: string) => (label === "" ? name : `${label} ${name}`);
  if (properties.length === 0 && others === undefined && more.length === 0)
    return <p class="dim">There is nothing to fill in.</p>;
  return (
    <div class="form-object">
      {properties.map(({ name, schema, required }) => (
        <PropertyRow
          key={name}
          name={name}
          required={required}
          schema={schema}
          root={root}
          label={toLabel(name)}
          has={Object.hasOwn(value, name)}
          value={Object.hasOwn(value, name) ? value[name] : undefined}
          change={(part) => change(withKey(value, name, part))}
        />
      ))}
      {more.map((name, at) => (
        <EntryRow
          key={at}
          name={name}
          isAllowed={others !== undefined}
          schema={others ?? true}
          root={root}
          label={toLabel(name)}
          value={value[name]}
          change={(part) => change(withKey(value, name, part))}
          rename={(to) => change(renameKey(value, name, to))}
          isTaken={(to) => to !== name && Object.hasOwn(value, to)}
        />
      ))}
      {others !== undefined && (
        <button
          type="button"
          class="quiet form-add"
          aria-label={`Add a key${label === "" ? "" : ` to ${showInvisible(label)}`}`}
          onClick={() => change(withKey(value, freeKey(value), startValue(others, root)))}
        >
          Add a key
        </button>
      )}
    </div>
  );
}

function freeKey(value: Readonly<Record<string, unknown>>): string {
  for (let at = 1; ; at++) if (!Object.hasOwn(value, `key${at}`)) return `key${at}`;
}

/** A property that the schema names. One that is left out is a line with what it would be. */
function PropertyRow({
  name,
  required,
  has,
  schema,
  root,
  value,
  change,
  label,
}: PlaceProps & { readonly name: string; readonly required: boolean; readonly has: boolean }): VNode {
  const resolved = resolveSchema(schema, root);
  const row = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  // Who set or removed it by a button that is gone goes on in its place.
  useLayoutEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    row.current
      ?.querySelector<HTMLElement>(".form-value :is(textarea, input, select, button), button")
      ?.focus();
  }, [has]);
  const set = (part: unknown) => {
    moved.current = true;
    change(part);
  };
  const description = resolved["description"];
  return (
    <div ref={row} class="form-property" data-has={has}>
      <div class="form-head">
        <span class="form-name">
          <Text value={name} oneLine />
        </span>
        <span class="dim">
          <Text value={describeType(resolved, root)} oneLine />
        </span>
        {required && <span class={has ? "dim" : "warning"}>required</span>}
        {!has ? (
          <button
            type="button"
            class="quiet"
            aria-label={`Set ${showInvisible(label)}`}
            onClick={() => set(startValue(schema, root))}
          >
            Set
          </button>
        ) : (
          !required && (
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${showInvisible(label)}`}
              onClick={() => set(undefined)}
            >
              Remove
            </button>
          )
        )}
      </div>
      {typeof description === "string" && description !== "" && (
        <p class="form-about dim">
          <Text value={description} />
        </p>
      )}
      {has && (
        <div class="form-value">
          <Place schema={schema} root={root} value={value} change={change} label={label} />
        </div>
      )}
    </div>
  );
}

/** A key that the schema does not name: one of a map, or one that should not be there. */
function EntryRow({
  name,
  isAllowed,
  rename,
  isTaken,
  schema,
  root,
  value,
  change,
  label,
}: PlaceProps & {
  readonly name: string;
  readonly isAllowed: boolean;
  readonly rename: (to: string) => void;
  readonly isTaken: (to: string) => boolean;
}): VNode {
  const [typed, setTyped] = useState(name);
  useLayoutEffect(() => setTyped(name), [name]);
  return (
    <div class="form-property" data-has="true">
      <div class="form-head">
        {isAllowed ? (
          <input
            class="form-key"
            aria-label={`Key ${showInvisible(label)}`}
            aria-invalid={isTaken(typed)}
            value={typed}
            autoComplete="off"
            spellcheck={false}
            onInput={(event) => {
              const to = event.currentTarget.value;
              setTyped(to);
              if (!isTaken(to)) rename(to);
            }}
          />
        ) : (
          <span class="form-name">
            <Text value={name} oneLine />
          </span>
        )}
        {isTaken(typed) && <span class="warning">there is such a key</span>}
        {!isAllowed && <span class="warning">the tool has no such argument</span>}
        <button
          type="button"
          class="quiet"
          aria-label={`Remove ${showInvisible(label)}`}
          onClick={() => change(undefined)}
        >
          Remove
        </button>
      </div>
      <div class="form-value">
        <Place schema={schema} root={root} value={value} change={change} label={label} />
      </div>
    </div>
  );
}
