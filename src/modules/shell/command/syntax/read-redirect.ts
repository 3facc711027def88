import type { Redirect } from "unbash";
import type { Collector } from "../collector.ts";
import { quoteArgument, readWord } from "./word.ts";

const nowhere = /^\/dev\/(null|zero|full|stdin|stdout|stderr|tty|urandom|random|fd\/[0-9]+)$/;

/** What a redirection does to the file it names. */
export function readRedirect({ operator, target, descriptor }: Redirect, collector: Collector): void {
  if (target === undefined) {
    collector.addOpaque(operator, "it can't be parsed");
    return;
  }
  const file = readWord(target);
  if ((operator === ">&" || operator === "<&") && file.fixed && /^([0-9]+-?|-)$/.test(file.text)) return;
  if (descriptor?.type === "FileDescriptorVariable" && file.text === "-") return;
  if (!file.fixed || operator === "<&") {
    collector.addOpaque(`${operator} ${quoteArgument(file)}`, "where it leads is not fixed");
  } else if (/^\/dev\/(tcp|udp)\//.test(file.text)) {
    collector.addOpaque(`${operator} ${quoteArgument(file)}`, "it opens a connection");
  } else if (!nowhere.test(file.text)) {
    const kind =
      operator === "<"
        ? "read"
        : operator === ">>" || operator === "&>>" || operator === "<>"
          ? "append"
          : "overwrite";
    collector.addFile(kind, file.text, file.home === true);
  }
}
