// The checks of `haft doctor`, loaded by those that run them.
export { examineApp, examineHome, examineMachine } from "./examine.ts";
export { type Finding, failed, ok, warning } from "./finding.ts";
export { checkSandbox } from "./machine.ts";
