import { Ajv2020 } from "ajv/dist/2020.js";
import type { Middleware } from "openapi-fetch";

type Schema = Readonly<Record<string, unknown>>;

interface Content {
  readonly content?: { readonly "application/json"?: { readonly schema: Schema } };
}

interface Operation {
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** As much of an OpenAPI document as is looked at. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** What its schemas refer to. */
  readonly components: Schema;
}

/** Holds every call of a client against a document. */
export interface Held {
  readonly middleware: Middleware;
  /** What the document describes and nobody has called, as in `get /vendor/{org_token}/venue_types`. */
  notCalled(): readonly string[];
}

const ajv = new Ajv2020({ strict: false, allErrors: true });

/**
 * A call fails that the document does not describe, whose answer has a status that it does not name, or a body that is not
 * as it says; a body that was taken must have been one that may be sent. Fields beyond those described fail an answer, too.
 */
export function heldTo({ paths, components }: OpenApi): Held {
  const described = Object.entries(paths).flatMap(([path, methods]) => {
    return Object.keys(methods).map((method) => `${method} ${path}`);
  });
  const called = new Set<string>();
  const sent = new Map<string, string>();
  const middleware: Middleware = {
    async onRequest({ id, request }) {
      sent.set(id, await request.clone().text());
    },
    async onResponse({ id, schemaPath, request, response }) {
      const call = `${request.method.toLowerCase()} ${schemaPath}`;
      const operation = paths[schemaPath]?.[request.method.toLowerCase()];
      const answer = operation?.responses[response.status];
      if (operation === undefined) throw new Error(`${call} is not in the document`);
      if (answer === undefined) throw new Error(`${call} answers ${response.status}, which the document does not name`);
      called.add(call);
      const whole = (schema: Schema) => ({ ...schema, components });
      const answered = await response.clone().text();
      insist(`${call} answers ${response.status}`, answer, answered, (schema) => closed(whole(schema)));
      if (response.ok) insist(`${call} has taken`, operation.requestBody, sent.get(id) ?? "", whole);
      sent.delete(id);
    },
  };
  return { middleware, notCalled: () => described.filter((call) => !called.has(call)) };
}

function insist(what: string, { content }: Content = {}, text: string, read: (schema: Schema) => Schema): void {
  const schema = content?.["application/json"]?.schema;
  if (schema === undefined) {
    if (text === "") return;
    throw new Error(`${what} a body, of which the document says nothing`);
  }
  const holds = ajv.compile(read(schema));
  if (!holds(JSON.parse(text)))
    throw new Error(`${what} what the document does not describe: ${ajv.errorsText(holds.errors)}`);
}

/** The same schema, in which objects have no fields but those that are described. */
function closed(schema: Schema): Schema {
  const members = Object.entries(schema).map(([name, value]) => [name, closedIn(value)]);
  const isClosed = "properties" in schema && !("additionalProperties" in schema);
  return { ...Object.fromEntries(members), ...(isClosed ? { additionalProperties: false } : {}) };
}

function closedIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedIn);
  return typeof value === "object" && value !== null ? closed(value as Schema) : value;
}
