/** A row of a list: made anew only when what it says has changed, so that the focus and the reader stay where they are. */
export interface Row {
  readonly key: string;
  /** All that the row is made from. */
  readonly says: string;
  make(): readonly (Node | string)[];
}

/** The element of the page with this id; throws when the page has none. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** An element with a class and content. Text goes in as text: most of it was written by the network's clients. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  made.append(...content);
  return made;
}

/** A button that cannot be pressed again while what it does is under way. */
export function button(label: string, name: string, press: () => Promise<void>): HTMLButtonElement {
  const made = element("button", "", label);
  made.type = "button";
  made.setAttribute("aria-label", name);
  made.addEventListener("click", () => {
    if (made.ariaBusy === "true") return;
    made.ariaBusy = "true";
    void press().finally(() => {
      made.ariaBusy = null;
    });
  });
  return made;
}

/** Brings a list to these rows, in this order; `empty` is said when there are none. */
export function fillRows(list: HTMLElement, rows: readonly Row[], empty: string): void {
  const wanted = rows.length > 0 ? rows : [{ key: "", says: empty, make: () => [element("p", "empty", empty)] }];
  const there = new Map([...list.children].map((child) => [child.getAttribute("data-key"), child as HTMLElement]));
  const children = wanted.map((row) => {
    const old = there.get(row.key);
    if (old !== undefined && old.dataset.says === row.says) return old;
    const made = element("li", "", ...row.make());
    made.dataset.key = row.key;
    made.dataset.says = row.says;
    return made;
  });
  const focused = document.activeElement?.closest("li")?.getAttribute("data-key");
  const inside = list.contains(document.activeElement) && document.activeElement !== list;
  placeInOrder(list, children);
  if (inside && !list.contains(document.activeElement)) {
    const again = children.find(({ dataset }) => dataset.key === focused)?.querySelector("button");
    list.tabIndex = -1;
    (again ?? list).focus();
  }
}

/** Has the network do something, and says what became of it; `done` is said when it worked. */
export async function tell(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body: unknown,
  done: string,
): Promise<void> {
  try {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.ok) announce(done, false);
    else announce(`refused: ${await reasonIn(answer)}`, true);
  } catch {
    announce("the emulator does not answer", true);
  }
}

/** "42 s", "3 min 05 s" or "2 h 10 min". */
export function lengthInWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** "08:00:15" of an instant, in UTC as everything on the page. */
export function timeOfDay(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** "98.5 %", or a dash when there is nothing to speak of. */
export function share(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (100 * part) / whole;
  return `${percent === 100 ? 100 : Math.min(99.9, percent).toFixed(1)} %`;
}

/** Moves nothing that is in its place already: a moved element loses the focus. */
function placeInOrder(list: HTMLElement, children: readonly HTMLElement[]): void {
  const kept = new Set<Element>(children);
  for (const child of [...list.children]) if (!kept.has(child)) child.remove();
  children.forEach((child, index) => {
    if (list.children[index] !== child) list.insertBefore(child, list.children[index] ?? null);
  });
}

async function reasonIn(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null);
  const detail = typeof body === "object" && body !== null && "detail" in body ? body.detail : null;
  return typeof detail === "string" ? detail : `${answer.status}`;
}

/** What worked can be seen where it was done, and is said to readers of the screen alone; what failed is for everybody. */
function announce(text: string, failed: boolean): void {
  const announcement = byId("announcement");
  announcement.textContent = text;
  announcement.classList.toggle("failed", failed);
}
