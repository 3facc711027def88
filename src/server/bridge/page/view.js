const mostCalls = 20;
const mostTold = 5;
const pageTitle = document.title;

/** What the person sees. Whatever an agent wrote is set as text, never as markup. */
export class View {
  #waiting = 0;

  state(name, text) {
    const state = part("state");
    state.dataset.state = name;
    state.textContent = text;
  }

  announced(tools) {
    part("tools").replaceChildren(
      ...tools.map(({ name, as, refused }) => {
        const item = document.createElement("li");
        item.append(element("code", as ?? name));
        if (refused !== undefined) item.append(element("small", `not taken: ${refused}`));
        else if (as !== name) item.append(element("small", `${name} is the name of another tool already`));
        return item;
      }),
    );
  }

  started({ id, name, startedAt }) {
    part("none").hidden = true;
    const item = document.createElement("li");
    item.dataset.call = id;
    item.append(element("code", name), element("small", `${readTime(startedAt)} · running`));
    const calls = part("calls");
    calls.prepend(item);
    while (calls.childElementCount > mostCalls) calls.lastElementChild.remove();
  }

  ended({ id, startedAt, outcome }) {
    const note = document.querySelector(`[data-call="${CSS.escape(id)}"]:not([data-ended]) small`);
    if (note === null) return;
    note.textContent = `${readTime(startedAt)} · ${outcome}`;
    note.parentElement.dataset.ended = "";
  }

  /** Shows a message until it is put away, or others come. */
  tell({ title, message }) {
    const card = makeCard({ heading: "Your agent says", title, message });
    card.classList.add("told");
    const close = element("button", "Close");
    close.type = "button";
    close.addEventListener("click", () => card.remove());
    card.append(close);
    part("asked").append(card);
    const told = document.querySelectorAll(".told");
    if (told.length > mostTold) told[0].remove();
  }

  /** The value of the choice that was clicked; one that is a function is called within the click. */
  async ask({ heading, title, message, note, choices, signal }) {
    const card = makeCard({ heading, title, message, note });
    part("asked").append(card);
    this.#count(1);
    try {
      return await new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        for (const { text, value, isMain = false } of choices) {
          const button = element("button", text, isMain ? "main" : "");
          button.type = "button";
          button.addEventListener("click", () => {
            // The card stays while a picker is open: what comes first ends it.
            Promise.resolve(typeof value === "function" ? value() : value).then(resolve, reject);
          });
          card.append(button);
        }
      });
    } finally {
      card.remove();
      this.#count(-1);
    }
  }

  /** The title says that somebody is awaited, where the page is not in front. */
  #count(change) {
    this.#waiting += change;
    document.title = this.#waiting > 0 ? `(${this.#waiting}) ${pageTitle}` : pageTitle;
  }
}

/** The heading is the page's own word: nothing that an agent writes can stand in its place. */
function makeCard({ heading, title = "", message = "", note }) {
  const card = document.createElement("article");
  card.className = "card";
  card.append(element("h3", heading));
  if (title !== "") card.append(element("p", title, "foreign title"));
  if (message !== "") card.append(element("p", message, "foreign"));
  if (note !== undefined) card.append(element("p", note, "note"));
  return card;
}

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

function part(id) {
  return document.getElementById(id);
}

function readTime(at) {
  return new Date(at).toLocaleTimeString();
}
