import { z } from "zod";
import { errorSchema } from "../../wire/errors.ts";

/** An HTTP interface, as it is described. */
export interface DescribedApi {
  readonly title: string;
  readonly version: string;
  /** Where its listener is: where generated clients look for it. */
  readonly url: string;
  readonly calls: readonly DescribedCall[];
  /** Schemas by the names that they, and types in generated clients, go by. */
  readonly schemas: Readonly<Record<string, z.ZodType>>;
}

/** One call of it; the schemas are the very ones that read requests, and that answers are held against. */
export interface DescribedCall {
  /** What generated clients call it. */
  readonly id: string;
  readonly method: string;
  /** With its parameters in braces: `/control/cars/{id}/approve`. */
  readonly path: string;
  /** What it is about. */
  readonly tag: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether the body may be left out. */
  readonly isBodyOptional?: boolean;
  /** The statuses of a success, and what it answers: JSON of any kind where that is left out. */
  readonly statuses: readonly number[];
  readonly answer?: z.ZodType;
  /** What each status of an error means; null where any may come. */
  readonly errors: Readonly<Record<number, string>> | null;
}

/** Of the descriptions, as of all that is packaged here. */
const LICENSE = { name: "MIT", identifier: "MIT" };
const SCHEMAS = "#/components/schemas/";

/** An interface in OpenAPI 3.1, whose schemas are JSON Schema: each that has a name stands once, under that name. */
export function describeApi({ title, version, url, calls, schemas }: DescribedApi): object {
  const written = writerOf({ ...schemas, Error: errorSchema });
  const refused = content(written.json(errorSchema, "output"));
  const paths: Record<string, Record<string, object>> = {};
  for (const call of calls)
    paths[call.path] = { ...paths[call.path], [call.method]: operationOf(call, written.json, refused) };
  const info = { title, version, license: LICENSE };
  const components = { schemas: written.named };
  return { openapi: "3.1.0", info, servers: [{ url }], security: [], paths, components };
}

type Schema = z.core.JSONSchema.BaseSchema;
/** `input`: what may be sent; `output`: what is answered. */
type Write = (schema: z.ZodType, io: "input" | "output") => Schema;

/** The names of schemas, beside what else is said of them. */
class Names extends z.core.$ZodRegistry<Readonly<Record<string, unknown>>> {
  override get<S extends z.core.$ZodType>(schema: S) {
    return { ...z.globalRegistry.get(schema), ...super.get(schema) };
  }
}

/** What writes schemas so that they refer to those that have a name, and those that were referred to by then. */
function writerOf(schemas: DescribedApi["schemas"]): { readonly json: Write; readonly named: Record<string, object> } {
  const metadata = new Names();
  for (const [id, schema] of Object.entries(schemas)) metadata.add(schema, { id });
  const named: Record<string, object> = {};
  const json: Write = (schema, io) => {
    // What JSON Schema cannot say, such as a rule of ours, is left out.
    const { $schema: _, ...whole } = z.toJSONSchema(schema, { io, metadata, unrepresentable: "any" });
    const { $defs, ...rest } = JSON.parse(JSON.stringify(whole).replaceAll('"#/$defs/', `"${SCHEMAS}`));
    Object.assign(named, $defs);
    return rest;
  };
  return { json, named };
}

function operationOf(call: DescribedCall, json: Write, refused: object): object {
  const { id, path, tag, summary, query, body, isBodyOptional = false, statuses, answer, errors } = call;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: "path", required: true, schema: { type: "string" } };
  });
  const good = answer === undefined ? {} : content(json(answer, "output"));
  const answers = statuses.map((status) => [status, { description: "What was asked for, or changed", ...good }]);
  const refusals = Object.entries(errors ?? { "4XX": "Refused", default: "Refused" });
  return {
    operationId: id,
    tags: [tag],
    summary,
    parameters: [...inPath, ...(query === undefined ? [] : parametersOf(json(query, "input")))],
    ...(body === undefined ? {} : { requestBody: { required: !isBodyOptional, ...content(json(body, "input")) } }),
    responses: Object.fromEntries([
      ...answers,
      ...refusals.map(([status, description]) => [status, { description, ...refused }]),
    ]),
  };
}

function parametersOf({ properties = {}, required = [] }: Schema): readonly object[] {
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: "query", required: required.includes(name), schema };
  });
}

function content(schema: object) {
  return { content: { "application/json": { schema } } };
}
