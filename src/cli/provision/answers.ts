import { dirname, resolve } from "node:path";
import { z } from "zod";
import { locationComplaints, screenComplaints } from "../../core/inventory/check.ts";
import { readJsonFile } from "../../player/config/file.ts";
import { problemsOf } from "../../player/config/problems.ts";
import { configFileSchema } from "../../player/config/schema.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { flawText } from "../vendor/calls.ts";
import { keyOf } from "../vendor/written.ts";
import { type PlaceFlags, placeWritten } from "./place.ts";
import { type ScreenFlags, screenWritten } from "./screen.ts";

const text = z.string().min(1).max(1_024);

/** What `provision --from` reads: its flags' meanings by their names, in the types that JSON has for them. */
const answersSchema = z.strictObject({
  $schema: z.string().optional().describe("The JSON Schema of this file, for editors."),
  baseUrl: configFileSchema.shape.baseUrl.optional().describe("The address of the screen network's service."),
  orgTokenFile: text.optional().describe("A file that holds the organization token and nothing else."),
  id: text.optional().describe("The screen's identifier."),
  title: text.optional().describe("The screen's name; by default its identifier."),
  location: text.optional().describe("Where it stands: a location that is there, or one that is to be created."),
  venueType: text.optional().describe("The screen's venue type; a new location gets the one of level 2 above it."),
  size: text.optional().describe("In pixels, such as 1920x1080; by default the display's."),
  loop: z.number().optional().describe("The length of its loop, seconds."),
  amount: z.number().optional().describe("How many displays show the same."),
  impsWeekly: z.number().optional().describe("Estimated impressions a week."),
  locationTitle: text.optional().describe("The name of a new location."),
  lat: z.number().optional().describe("The latitude of a new location, degrees."),
  long: z.number().optional().describe("The longitude of a new location, degrees."),
  open: text.optional().describe("The opening hours of a new location: mon-fri 08:00-20:00."),
  visitors: z.array(z.number()).max(7).optional().describe("Visitors a day of a new location, Monday first."),
  email: text.optional().describe("A contact of a new location."),
  phone: text.optional().describe("A contact of a new location."),
  dataDir: text.optional().describe("Where the player keeps proofs, media and logs."),
  healthPort: configFileSchema.shape.health
    .unwrap()
    .shape.port.unwrap()
    .optional()
    .describe("The loopback port of the health pages; 0: any free one; null: none."),
});

/** The JSON Schema of such a file, for editors: what `assets/provision.schema.json` holds. */
export function answersJsonSchema(): object {
  return { title: "Answers for spotloop provision", ...z.toJSONSchema(answersSchema, { io: "input" }) };
}

/** What a file says, as the flags would. */
export interface Answers extends PlaceFlags, ScreenFlags {
  readonly baseUrl?: string;
  readonly orgTokenFile?: string;
  readonly dataDir?: string;
  readonly healthPort?: string;
}

/**
 * Reads the answers in a file, relative paths from its folder. Ends the command with 78 and all that is wrong with them,
 * each by its key, before anything is made of them.
 */
export function answersFrom(file: string): Answers {
  const json = readJsonFile(file);
  if (json.kind === "unreadable") throw unusable(file, [{ where: "", message: json.problem.message }]);
  const read = answersSchema.safeParse(json.value);
  const keys = Object.keys(answersSchema.shape);
  const problems = read.success ? [] : problemsOf(read.error, json.value, keys);
  const found = problems.map(({ path, message }) => ({ where: path, message }));
  // What has its type is judged beside what has not.
  const fit = answersSchema.partial().safeParse(withoutKeys(json.value, keys, problems));
  const answers = asFlags(fit.data ?? {}, dirname(resolve(file)));
  const flaws = [...found, ...flawsOf(answers)];
  if (flaws.length > 0) throw unusable(file, flaws);
  return answers;
}

function unusable(file: string, flaws: Parameters<typeof flawText>[0]): CommandFailure {
  return new CommandFailure(`${file} cannot be used: ${flawText(flaws)}`, exitCodes.configuration);
}

/** The keys that nothing is wrong with so far. */
function withoutKeys(value: unknown, keys: readonly string[], problems: readonly { readonly path: string }[]): object {
  const isWrong = (key: string) => problems.some(({ path }) => path.split("[", 1)[0] === key);
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter(([key]) => keys.includes(key) && !isWrong(key)));
}

function asFlags(
  { $schema: _, healthPort, orgTokenFile, dataDir, ...rest }: Partial<z.output<typeof answersSchema>>,
  folder: string,
): Answers {
  const said = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(said.map(([key, value]) => [key, String(value)])),
    ...(orgTokenFile === undefined ? {} : { orgTokenFile: resolve(folder, orgTokenFile) }),
    ...(dataDir === undefined ? {} : { dataDir: resolve(folder, dataDir) }),
    ...(healthPort === undefined ? {} : { healthPort: healthPort === null ? "off" : String(healthPort) }),
  };
}

/** All that is wrong with the values, by keys, as far as no service has to be asked. */
function flawsOf(answers: Answers): { readonly where: string; readonly message: string }[] {
  const [place, screen] = [placeWritten(answers), screenWritten(answers)];
  const complaints = [
    ...locationComplaints(place.fields, null).map((one) => ({ ...one, where: place.nameOf(one.field) })),
    ...screenComplaints(screen.fields, null, undefined, null).map((one) => ({
      ...one,
      where: screen.nameOf(one.field),
    })),
  ];
  const flaws = [...place.flaws, ...screen.flaws, ...complaints];
  const named = flaws.map(({ where, message }) => ({ where: keyOf(where), message }));
  // The identifier of the location is one value, and was looked at once for each.
  return named.filter(
    (one, at) => named.findIndex((other) => other.where === one.where && other.message === one.message) === at,
  );
}
