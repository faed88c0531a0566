/** What is wrong with the configuration; texts only, never a secret. */
interface ConfigurationError {
  readonly file: string;
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** More lines than this do not fit on a screen. */
const MOST_LINES = 8;

Object.assign(globalThis, { show });

function show({ file, problems }: ConfigurationError): void {
  fill("file", code(file));
  const lines = problems.slice(0, MOST_LINES).map(({ path, message }) => line(path, message));
  if (problems.length > MOST_LINES) lines.push(line("", `and ${problems.length - MOST_LINES} more`));
  fill("problems", ...lines);
}

function fill(id: string, ...nodes: Node[]): void {
  document.getElementById(id)?.replaceChildren(...nodes);
}

function line(path: string, message: string): HTMLElement {
  const item = document.createElement("li");
  item.append(...(path === "" ? [] : [code(path), " "]), message);
  return item;
}

function code(text: string): HTMLElement {
  const element = document.createElement("code");
  element.textContent = text;
  return element;
}
