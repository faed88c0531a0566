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

/** An element with a class and content. Text goes in as text: most of it was written by whoever called the network. */
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

/** Moves nothing that is in its place already: a moved element loses the focus. */
function placeInOrder(list: HTMLElement, children: readonly HTMLElement[]): void {
  const kept = new Set<Element>(children);
  for (const child of [...list.children]) if (!kept.has(child)) child.remove();
  children.forEach((child, index) => {
    if (list.children[index] !== child) list.insertBefore(child, list.children[index] ?? null);
  });
}
