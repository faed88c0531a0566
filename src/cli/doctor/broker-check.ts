import { TimeUp } from "../../client/http.ts";
import { NO_REASON, reasonOf } from "../../client/reply.ts";
import type { Config } from "../../player/config/config.ts";
import { isUnknownSigner } from "../../player/network/trust.ts";
import type { BrokerTrial, Refusal } from "../../player/remote/broker-trial.ts";
import { brokerPlaceOf } from "../../player/remote/remote.ts";
import { type Finding, fine, warning } from "./finding.ts";

/** What is known of a player on this machine: `connected` has the broker on the line, and would be put out by another of its name. */
export type PlayerAtBroker = "connected" | "apart" | "unknown";

/** Whom the player comes to, and as whom. */
interface Visit {
  readonly host: string;
  readonly clientId: string;
  /** What its topics begin with. */
  readonly topics: string;
  /** Whether the configuration says who signs for the broker. */
  readonly hasAuthority: boolean;
}

/**
 * Whether the broker of remote commands lets this player in; nothing where there is none. Spots are played all the same: what is
 * wrong is a warning.
 */
export async function brokerFindings(
  config: Pick<Config, "remote" | "screens" | "network">,
  player: PlayerAtBroker,
): Promise<Finding[]> {
  const place = brokerPlaceOf(config);
  const { broker, allow, caFile } = config.remote;
  if (place === null || broker === null) return [];
  if (allow.length === 0) return [warning(NAME, "is not used: remote.allow is empty", "Name there what may be done.")];
  const { clientId, topicPrefix } = place;
  const { reachBroker, tryBroker } = await import("../../player/remote/broker-trial.ts");
  const trial = player === "apart" ? await tryBroker(place) : await reachBroker(place);
  const topics = `${topicPrefix}/${clientId}`;
  return [judged(trial, player, { host: new URL(broker).host, clientId, topics, hasAuthority: caFile !== undefined })];
}

const NAME = "broker";

function judged(trial: BrokerTrial, player: PlayerAtBroker, visit: Visit): Finding {
  const { host, clientId } = visit;
  switch (trial.kind) {
    case "let-in":
      return fine(NAME, `${host} lets ${clientId} in, and subscribe to ${visit.topics}/commands`);
    case "reached": {
      const why = player === "connected" ? "the player that runs is connected" : "a player may be connected";
      return fine(NAME, `${host} is reached; a login was not tried: ${why}`);
    }
    case "taken-over": {
      const advice = "If that is not this machine's player, give each a remote.clientId of its own.";
      return warning(NAME, `${host} lets ${clientId} in, and another ${clientId} came just then`, advice);
    }
    case "unreached":
      return warning(NAME, ...unreached(trial.error, visit));
    case "stopped":
      return warning(NAME, ...(trial.at === "login" ? notLetIn(trial.why, visit) : notSubscribed(trial.why, visit)));
  }
}

type Told = readonly [text: string, advice: string];

/** CONNACK's reason codes (MQTT 5, 3.2.2.2) that blame who comes, and those of MQTT 3.1.1. */
const WHO_COMES: ReadonlySet<number> = new Set([0x02, 0x04, 0x05, 0x85, 0x86, 0x87, 0x8a, 0x8c]);
const OTHER_VERSION: ReadonlySet<number> = new Set([0x01, 0x84]);

function notLetIn(why: Refusal, { host, clientId }: Visit): Told {
  const advice = `Check remote.authFile or remote.certFile, and whether that user may come as ${clientId} (remote.clientId).`;
  switch (why.kind) {
    case "refused":
      if (OTHER_VERSION.has(why.code)) return [`${host} speaks no MQTT 5 (${why.text})`, "Use a broker that does."];
      if (WHO_COMES.has(why.code)) return [`${host} refuses the login of ${clientId} (${why.text})`, advice];
      return [`${host} lets nobody in just now (${why.text})`, "Ask whoever runs it."];
    case "ended":
      return [`${host} ends the connection at the login of ${clientId}, without a word`, advice];
    case "silent":
      return [`${host} does not answer the login`, NO_MQTT];
    case "foreign":
      return [`${host} speaks no MQTT (${why.text})`, NO_MQTT];
  }
}

const NO_MQTT = "Check the port in remote.broker: something else answers there.";

function notSubscribed(why: Refusal, { host, clientId, topics }: Visit): Told {
  const told = why.kind === "refused" || why.kind === "foreign" ? `refuses it (${why.text})` : HOW[why.kind];
  const text = `${host} lets ${clientId} in, and brings it no commands: asked for ${topics}/commands, it ${told}`;
  return [text, `Have that user read ${topics}/commands and write ${topics}/answers; or mend remote.topicPrefix.`];
}

const HOW = { ended: "ends the connection", silent: "does not answer" } as const;

function unreached(error: unknown, { host, hasAuthority }: Visit): Told {
  const reason = reasonOf(error);
  if (error instanceof TimeUp) return [`${host} does not answer (timeout)`, LET_THROUGH];
  if (isUnknownSigner(error)) {
    const advice = hasAuthority
      ? "Mend the file that remote.caFile names: with it no other authority counts."
      : "Set remote.caFile to the certificate of its signer.";
    return [`the certificate of ${host} is not trusted (${reason})`, advice];
  }
  if (reason.startsWith("CERT_")) return [`the certificate of ${host} is not valid (${reason})`, WRONG_TIME];
  if (reason === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return [`the certificate of ${host} is for another name`, "Name the broker in remote.broker as it does."];
  }
  if (/ALERT/.test(reason)) return [`${host} does not take this player's certificate (${reason})`, OWN_CERTIFICATE];
  if (/^ERR_OSSL_/.test(reason)) return [`the player's own files cannot be used (${reason})`, OWN_CERTIFICATE];
  if (/^ERR_SSL_|^EPROTO$/.test(reason)) return [`${host} speaks no TLS (${reason})`, NO_TLS];
  if (/^ENOTFOUND$|^EAI_/.test(reason)) return [`${host} is not found (${reason})`, UNKNOWN_NAME];
  // In its own words: a file that cannot be read, or what a proxy has against it.
  if (reason === NO_REASON && error instanceof Error) return [error.message, "Mend that."];
  return [`${host} is not reached (${reason})`, LET_THROUGH];
}

const LET_THROUGH = "Check remote.broker, and whether that broker runs; a firewall may stand between.";
const WRONG_TIME = "Check this machine's date; else have the broker's certificate renewed.";
const OWN_CERTIFICATE =
  "Check remote.certFile, remote.keyFile and remote.caFile: PEM, of one pair, and signed for this broker.";
const NO_TLS = "Check the port in remote.broker: brokers speak TLS at 8883 as a rule, and none at 1883.";
const UNKNOWN_NAME = "Check remote.broker, and the name server.";
