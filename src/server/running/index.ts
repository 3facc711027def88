export { describeHaftAt, endServing, listServing, recordServing, type Serving, serveLog } from "./serving.ts";
