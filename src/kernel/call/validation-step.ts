import { type Clock, isPromise, type MaybePromise } from "../../base/index.ts";
import { ToolTimeoutError, ToolValidationError } from "../errors.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import { withoutValues } from "../secrets/secrets.ts";
import type { Validation } from "../tool/schema.ts";
import type { Call, FoundCall, ValidCall } from "./call.ts";
import { repairArguments } from "./repair.ts";
import { appendIssues } from "./validation.ts";

export interface ValidationOptions {
  /** A schema may check its values elsewhere: it gets the time of a tool that names none. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Step 3: takes valid arguments; repairs others once, visibly, or refuses them. */
export class ValidationStep {
  readonly #registry: Pick<ToolRegistry, "validate" | "getSchema">;
  readonly #options: ValidationOptions;

  constructor(registry: Pick<ToolRegistry, "validate" | "getSchema">, options: ValidationOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  /** @throws {ToolError} TOOL_VALIDATION, TOOL_QUARANTINED, TOOL_TIMEOUT. */
  validate(call: FoundCall): MaybePromise<ValidCall> {
    const checked = this.#registry.validate(call.entryName, call.given);
    if (isPromise(checked) || !checked.valid) return this.#accept(call, checked);
    return call.accept(checked.value);
  }

  async #accept(call: FoundCall, checked: MaybePromise<Validation>): Promise<ValidCall> {
    const first = await this.#inTime(call, checked);
    if (first.valid) return call.accept(first.value);
    const schema = this.#registry.getSchema(call.entryName) ?? {};
    const repaired = repairArguments(call.given, first.issues, schema, call.tool);
    if (repaired !== undefined) {
      const second = await this.#inTime(call, this.#registry.validate(call.entryName, repaired.params));
      if (second.valid) {
        call.notes.push(
          ...(call.hides === undefined ? repaired.notes : ["arguments: their form was put right"]),
        );
        return call.accept(second.value);
      }
    }
    const issues =
      call.hides === undefined ? first.issues : withoutValues(first.issues, call.given, call.hides);
    throw new ToolValidationError(
      call.toolName,
      appendIssues(`Cannot call "${call.toolName}" with these arguments:`, issues, call.shownParams, schema),
      { details: { issues } },
    );
  }

  #inTime<Value>(call: Call, work: MaybePromise<Value>): Promise<Value> {
    const { clock, timeoutMs } = this.#options;
    const tooLong = () => new ToolTimeoutError(call.toolName, timeoutMs);
    return call.within(clock, timeoutMs, tooLong, () => work);
  }
}
