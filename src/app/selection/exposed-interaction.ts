import type { Interaction, ToolInfo, ToolLimits, ToolView } from "../../kernel/index.ts";

/** Decides between a lean list and a whole one. */
export interface ListChoice {
  isLean(toolset: ToolView): boolean;
  whole(toolset: ToolView): readonly ToolInfo[];
  shared(limits: readonly ToolLimits[]): readonly ToolLimits[];
}

/** An interaction whose list is whole for as long as that is not too much. What was loaded meanwhile counts from then on. */
export class ExposedInteraction implements Interaction {
  readonly #lean: Interaction;
  readonly #choice: ListChoice;

  constructor(lean: Interaction, choice: ListChoice) {
    this.#lean = lean;
    this.#choice = choice;
  }

  get handle(): string {
    return this.#lean.handle;
  }

  get passing(): boolean {
    return this.#lean.passing;
  }

  get toolset(): ToolView {
    return this.#lean.toolset;
  }

  get shown(): readonly ToolInfo[] {
    return this.#isLean ? this.#lean.shown : this.#choice.whole(this.toolset);
  }

  get limits(): readonly ToolLimits[] {
    return this.#isLean ? this.#choice.shared(this.#lean.limits) : unlimited;
  }

  load(names: readonly string[]): readonly string[] {
    return this.#lean.load(names);
  }

  loadPack(pack: string): readonly string[] {
    return this.#lean.loadPack(pack);
  }

  resume(handle: string): readonly string[] {
    return this.#lean.resume(handle);
  }

  get #isLean(): boolean {
    return this.#choice.isLean(this.toolset);
  }
}

const unlimited: readonly ToolLimits[] = [];
