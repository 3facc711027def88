// Loaded before haft: writes, as JSON to the file that HAFT_COUNT names, Node's own modules that were loaded when the first
// connection is made.
import { writeFileSync } from "node:fs";
import { Socket } from "node:net";

const plain = Socket.prototype.connect;
let isWritten = false;
Socket.prototype.connect = function connect(...given) {
  if (!isWritten) writeFileSync(process.env.HAFT_COUNT, JSON.stringify(process.moduleLoadList));
  isWritten = true;
  return plain.apply(this, given);
};
