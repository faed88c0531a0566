import { type routes, urlOf } from "../../wire/routes.ts";

/** What a service answered; `body` is `undefined` where it is no JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Asked {
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of a `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where a service is, and on whose behalf it is asked. URLs with or without a trailing slash. */
export interface Target {
  readonly baseUrl: string;
  readonly orgToken: string;
  readonly screenId: string;
  /** Of an emulator; without it only what changes nothing is checked. */
  readonly controlUrl: string | null;
}

/** A service under examination. */
export interface Subject {
  readonly orgToken: string;
  readonly screenId: string;
  /** Asks at an exact path below the base URL. */
  at(path: string, asked?: Asked): Promise<Reply>;
  /** Asks for one of the contract's routes, with our token unless the parameters bring another. */
  ask(route: keyof typeof routes, parameters?: Readonly<Record<string, string>>, asked?: Asked): Promise<Reply>;
  /** Asks the emulator's control API. */
  control(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Asks for any absolute URL, such as a proof of play's. */
  get(url: string): Promise<Reply>;
  /** An identifier that nothing has yet. */
  fresh(what: string): string;
}

/** A service that says nothing for this long does not conform. */
const LONGEST_ANSWER_MS = 10_000;

/** A subject that is asked over HTTP. `run` makes the identifiers of this examination its own. */
export function subjectAt({ baseUrl, orgToken, screenId, controlUrl }: Target, run: string): Subject {
  const base = baseUrl.replace(/\/+$/, "");
  const at = (path: string, asked?: Asked) => send(base + path, asked);
  let count = 0;
  return {
    orgToken,
    screenId,
    at,
    ask: (route, parameters = {}, asked) => at(urlOf("", route, { org_token: orgToken, ...parameters }), asked),
    control: (method, path, body) => {
      if (controlUrl === null) throw new Error("a check that needs the control API was run without one");
      return send(`${controlUrl.replace(/\/+$/, "")}/control${path}`, {
        method,
        ...(body === undefined ? {} : { body }),
      });
    },
    get: (url) => send(url, {}),
    fresh(what) {
      count += 1;
      return `${what}_${run}_${count}`;
    },
  };
}

async function send(url: string, { method = "GET", body, text, headers = {} }: Asked = {}): Promise<Reply> {
  const sent = text ?? (body === undefined ? null : JSON.stringify(body));
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(url, {
    method,
    redirect: "manual",
    headers: { ...type, ...headers },
    body: sent,
    signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
  });
  return { status: response.status, headers: response.headers, body: parsed(await response.text()) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
