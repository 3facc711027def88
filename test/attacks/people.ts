import { showInvisible } from "../../src/base/index.ts";
import type { Approval, Approver } from "../../src/kernel/index.ts";
import type { World } from "./world.ts";

/** Somebody who is asked, with what they were asked. */
export interface Person extends Approver {
  readonly asked: Approval[];
}

/** Says yes to everything: the gate stands open. */
export function agreeing(): Person {
  return person(() => true);
}

/** Reads what is shown, and says yes to what looks harmless. */
export function careful(world: World): Person {
  return person((approval) => {
    const shown = showInvisible(
      JSON.stringify([approval.params, approval.effects, approval.reason], (_key, value: unknown) =>
        typeof value === "string" ? showInvisible(value) : value,
      ),
    );
    const alarming = /holds data from|outside|risk|secret|your own programs|\\u\{|unknown/i;
    return !alarming.test(shown) && !shown.includes(world.attacker.host) && !world.holdsCanary(shown);
  });
}

/** Says no ten times, and then yes to have peace. */
export function tired(): Person {
  return person((_approval, before) => before >= 10);
}

/** Says yes to one question, for this once. */
export function onceOnly(): Person {
  return person((_approval, before) => before === 0);
}

/** Says yes to the first question for good, as widely as it is offered, and no to all others. */
export function rememberingFirst(): Person {
  const asked: Approval[] = [];
  return {
    identity: "owner:ada",
    asked,
    ask: async (approval) => {
      asked.push(approval);
      if (asked.length > 1) return { approved: false, by: "owner:ada" };
      const offer = approval.offers.find(({ patterns }) => patterns !== undefined) ?? approval.offers[0];
      const [term] = offer?.terms.includes("always") ? (["always"] as const) : (["session"] as const);
      return { approved: true, by: "owner:ada", ...(offer && { remember: { offer: offer.id, term } }) };
    },
  };
}

function person(agrees: (approval: Approval, before: number) => boolean): Person {
  const asked: Approval[] = [];
  return {
    identity: "owner:ada",
    asked,
    ask: async (approval) => {
      asked.push(approval);
      return agrees(approval, asked.length - 1)
        ? { approved: true, by: "owner:ada" }
        : { approved: false, by: "owner:ada" };
    },
  };
}
