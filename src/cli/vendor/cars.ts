import { Command } from "commander";
import { checkRejection, type NewRejection } from "../../client/checks.ts";
import { getBy } from "../../client/http.ts";
import { rejectionComplaints } from "../../core/inventory/check.ts";
import { type RejectionReason, rejectionReasonSchema } from "../../wire/approval.ts";
import type { ApprovalAnswer } from "../../wire/inventory-answers.ts";
import { CommandFailure, exitCodes } from "../exit.ts";
import { plain, print, printJson, say } from "../text.ts";
import { agree } from "./agreement.ts";
import { endIfFlawed, type Flaw, orEnd, patiently, printRequest } from "./calls.ts";
import { type ConnectionFlags, connect, withConnection } from "./connection.ts";
import { openCreative, saveCreative } from "./preview.ts";
import { carText } from "./views.ts";

interface GetFlags extends ConnectionFlags {
  readonly save?: string;
  readonly open?: true;
}

interface RejectFlags extends ConnectionFlags {
  readonly reason?: readonly string[];
  readonly message?: string;
  readonly dryRun?: true;
  readonly check: boolean;
}

/** `spotloop cars`: creatives that advertisers want to show here. */
export function carsCommand(): Command {
  return new Command("cars")
    .description("look at creative approval requests, and reject creatives")
    .addCommand(withConnection(getCommand()))
    .addCommand(withConnection(rejectCommand()));
}

function getCommand(): Command {
  return new Command("get")
    .description("show a request, and its creative")
    .argument("<id>")
    .option("--save <file>", "save the creative")
    .option("--open", "show the creative in this machine's browser")
    .addHelpText("after", "\nExample:\n  spotloop cars get car-7 --save ad.mp4")
    .action(get);
}

function rejectCommand(): Command {
  return new Command("reject")
    .description("reject a pending creative for good; its advertiser is told")
    .argument("<id>")
    .option("--reason <code>", `${REASONS.join(", ")}; may be given again`, collect)
    .option("--message <text>", "for the advertiser; CUSTOM needs one")
    .option("--dry-run", "show the request instead of sending it")
    .option("--no-check", "leave the rules to the service")
    .addHelpText("after", REJECT_EXAMPLE)
    .action(reject);
}

const REASONS = rejectionReasonSchema.options;

const REJECT_EXAMPLE = `
  ADVERTISER     the advertiser is not approved to run on the network
  INAPPROPRIATE  the content is inappropriate for the venues
  FILTER         the creative does not meet the content filter criteria
  CUSTOM         what --message says

Example:
  spotloop cars reject car-7 --reason FILTER --reason CUSTOM --message "The logo is cut off"`;

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, ...value.split(",").map((code) => code.trim().toUpperCase())];
}

async function get(id: string, flags: GetFlags): Promise<void> {
  const { requests, reader, signal } = connect(flags);
  const car = orEnd(await patiently(() => reader.getApproval(id, signal)), { what: `CAR ${id}` });
  if (flags.json) printJson(car);
  else print(...carText(car));
  if (flags.save === undefined && !flags.open) return;
  if (car.item === null) throw new CommandFailure("The service tells no creative.", exitCodes.data);
  if (flags.save !== undefined) {
    const sizeBytes = await saveCreative(car.item, flags.save, flags.yes === true, getBy(requests.fetch));
    say(`The creative is in ${flags.save} (${sizeBytes.toLocaleString("en-US")} bytes).`);
  }
  if (flags.open) openCreative(car.item);
}

async function reject(id: string, flags: RejectFlags): Promise<void> {
  const reasons = flags.reason ?? [];
  const rejection = rejectionOf(reasons, flags.message);
  endIfFlawed(flawsIn(reasons, rejection, flags.check));
  const { baseUrl, service, reader, signal } = connect(flags);
  const subject = { what: `CAR ${id}`, nameOf, look: `spotloop cars get ${id}` };
  const check = () => checkRejection(reader, id, rejection, signal);
  const checked = flags.check ? orEnd(await patiently(check), subject) : null;
  if (flags.dryRun) {
    printRequest(
      { baseUrl, route: "rejectApproval", parameters: { car_id: id }, body: rejection },
      flags.json === true,
    );
    return;
  }
  if (checked !== null) say(rejectionText(checked));
  await agree("Reject it?", flags.yes === true);
  const rejected = orEnd(await patiently(() => service.rejectApproval(id, rejection)), subject);
  if (flags.json) return printJson(rejected);
  const message = rejected.custom_message === null ? "" : `: ${plain(rejected.custom_message)}`;
  print(`CAR ${rejected.id} is rejected (${rejected.rejection_reasons.join(", ")})${message}.`);
}

/** With unknown reasons left as they are: `--no-check` leaves them to the service. */
function rejectionOf(reasons: readonly string[], message: string | undefined): NewRejection {
  const said = message === undefined ? {} : { custom_message: message };
  return { rejection_reasons: [...new Set(reasons)] as RejectionReason[], ...said };
}

function flawsIn(reasons: readonly string[], rejection: NewRejection, check: boolean): Flaw[] {
  if (!check) return [];
  const strange = reasons.filter((reason) => !rejectionReasonSchema.safeParse(reason).success);
  const none: Flaw[] = reasons.length > 0 ? [] : [{ where: "--reason", message: ONE_OF, kind: "usage" }];
  const complaints = rejectionComplaints(null, {
    reasons: rejection.rejection_reasons,
    message: rejection.custom_message ?? null,
  });
  const lacking = complaints.filter(({ field }) => field === "custom_message");
  return [
    ...none,
    ...strange.map((reason): Flaw => ({ where: "--reason", message: `${reason} is none; ${ONE_OF}`, kind: "usage" })),
    ...lacking.map(({ field, message }): Flaw => ({ where: nameOf(field), message, kind: "data" })),
  ];
}

const ONE_OF = `give one or more of ${REASONS.join(", ")}`;

function nameOf(field: string): string {
  return { rejection_reasons: "--reason", custom_message: "--message" }[field] ?? field;
}

function rejectionText({ advertiser_name, item }: ApprovalAnswer): string {
  const what = item?.title == null ? "the creative" : `"${plain(item.title)}"`;
  return `This rejects ${what} of ${plain(advertiser_name ?? "its advertiser")} for good; the advertiser is told.`;
}
