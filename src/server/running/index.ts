export { describeHaftAt, listServing, recordServing, type Serving, serveLog } from "./serving.ts";
