/** What the agent gets of the files that were chosen, all together. */
const mostTextBytes = 400_000;
/** A picker, a question: a person may take this long. */
const patienceMs = 600_000;

const look = { readOnly: true, openWorld: false };

export const filePicker = {
  name: "show_file_picker",
  title: "File picker",
  description:
    "Let the person choose files, in a dialog of their own system. They choose by hand, and may decline. Gives the name, size and type of each file and, of text files, the text.",
  parameters: {
    type: "object",
    properties: {
      title: { type: "string", maxLength: 200, description: "What the files are for, shown to the person." },
      multiple: { type: "boolean", default: false, description: "Whether more than one file may be chosen." },
    },
    additionalProperties: false,
  },
  annotations: look,
  waitsForPerson: true,
  timeoutMs: patienceMs,
};

export const notify = {
  name: "notify",
  title: "Notification",
  description: "Show the person a short notification. Does not wait for them.",
  parameters: {
    type: "object",
    properties: {
      title: { type: "string", minLength: 1, maxLength: 200 },
      body: { type: "string", maxLength: 1000 },
    },
    required: ["title"],
    additionalProperties: false,
  },
  annotations: look,
};

export const confirm = {
  name: "confirm",
  title: "Confirm dialog",
  description:
    "Ask the person a question that is answered with yes or no, and wait for the answer. It is no permission for another tool: those ask by themselves.",
  parameters: {
    type: "object",
    properties: {
      title: { type: "string", maxLength: 200 },
      message: { type: "string", minLength: 1, maxLength: 2000 },
    },
    required: ["message"],
    additionalProperties: false,
  },
  annotations: look,
  waitsForPerson: true,
  timeoutMs: patienceMs,
};

/** The tools of a browser. `view` shows what waits for the person. */
export function browserTools(view) {
  return [
    { definition: filePicker, run: (params, { signal }) => pickFiles(view, params, signal) },
    { definition: notify, run: (params) => showNotification(view, params) },
    {
      definition: confirm,
      run: async ({ title, message }, { signal }) => ({
        confirmed: await view.ask({
          heading: "Your agent asks",
          title,
          message,
          signal,
          choices: [
            { text: "Yes", value: true, isMain: true },
            { text: "No", value: false },
          ],
        }),
      }),
    },
  ];
}

/** A browser opens its picker only where the person clicked: a button is shown first. */
async function pickFiles(view, { title, multiple = false }, signal) {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = multiple;
  const files = await view.ask({
    heading: multiple ? "Your agent asks for files" : "Your agent asks for a file",
    message: title,
    note: "It gets their names and, of text files, the text.",
    signal,
    choices: [
      { text: multiple ? "Choose files" : "Choose a file", isMain: true, value: () => chosenBy(input) },
      { text: "Decline", value: undefined },
    ],
  });
  if (files === undefined) throw new Error("the person declined");
  return { files: await readFiles(files) };
}

/** The files that were chosen; undefined where the picker was left without any. */
function chosenBy(input) {
  return new Promise((resolve) => {
    input.addEventListener("change", () => resolve(input.files.length > 0 ? [...input.files] : undefined));
    input.addEventListener("cancel", () => resolve(undefined));
    input.click();
  });
}

async function readFiles(files) {
  let left = mostTextBytes;
  const read = [];
  for (const file of files) {
    const { name, size, type } = file;
    if (size > left) {
      read.push({ name, size, type, note: "too large to be read here" });
      continue;
    }
    const text = await readText(file);
    if (text !== undefined) left -= size;
    read.push({ name, size, type, ...(text === undefined ? { note: "no text" } : { text }) });
  }
  return read;
}

async function readText(file) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Shows a notification by the system, or in the page itself if the system may not be used. */
function showNotification(view, { title, body = "" }) {
  if (globalThis.Notification?.permission === "granted") {
    new Notification(title, { body });
    return { shown: "by the system" };
  }
  view.tell({ title, message: body });
  return { shown: "on the page of the bridge, as it may not use the system's notifications" };
}
