// The checks of `haft doctor`. Loaded only by code that runs them.
export { examineApp, examineHome, examineMachine } from "./examine.ts";
export { type Finding, failed, ok, warning } from "./finding.ts";
export { checkSandbox } from "./machine.ts";
