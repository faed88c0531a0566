import { ErrorWithReasonCode, ErrorWithSubackPacket, MqttClient } from "mqtt";
import { TimeUp, within } from "../../client/http.ts";
import { codeOf } from "../stores/database.ts";
import type { BrokerLine } from "./broker-line.ts";
import { type BrokerPlace, commandsTopic, isRefusal, reasonText, SESSION } from "./broker-session.ts";

/** What came of coming to the broker once. */
export type BrokerTrial =
  /** Over TLS; nobody logged in. */
  | { readonly kind: "reached" }
  | { readonly kind: "let-in" }
  /** Let in, and put out by somebody who came by the same name. */
  | { readonly kind: "taken-over" }
  /** There is no line to it, by `openBrokerLine` or by TLS, which tells of this side's certificate when the line is open already. */
  | { readonly kind: "unreached"; readonly error: unknown }
  | { readonly kind: "stopped"; readonly at: "login" | "subscription"; readonly why: Refusal };

/** `refused`: in words, with its reason code (MQTT 5, 2.4). `ended`: the connection, without a word. `foreign`: it speaks no MQTT. */
export type Refusal =
  | { readonly kind: "refused"; readonly code: number; readonly text: string }
  | { readonly kind: "ended" | "silent" }
  | { readonly kind: "foreign"; readonly text: string };

const ANSWERED_WITHIN_MS = 10_000;
const LEFT_WITHIN_MS = 1_000;
/** Reason code (MQTT 5, 2.4). */
const TAKEN_OVER = 0x8e;
const NEVER = new AbortController().signal;

/** The broker ended the connection without a word. */
class ConnectionEnded extends Error {}

/** Reaches the broker as the player does, by TLS, and says nothing there. */
export async function reachBroker({ openLine }: BrokerPlace): Promise<BrokerTrial> {
  try {
    const { socket } = await openLine(NEVER);
    socket.destroy();
    return { kind: "reached" };
  } catch (error) {
    return { kind: "unreached", error };
  }
}

/**
 * Comes to the broker as the player does, by its name and to its session, and leaves again: commands that wait there wait on. A player
 * that is connected is put out by it.
 */
export async function tryBroker(place: BrokerPlace, answeredWithinMs = ANSWERED_WITHIN_MS): Promise<BrokerTrial> {
  let line: BrokerLine;
  try {
    line = await place.openLine(NEVER);
  } catch (error) {
    return { kind: "unreached", error };
  }
  const client = new MqttClient(() => line.socket, { clientId: place.clientId, ...SESSION, ...(line.login ?? {}) });
  let at: "login" | "subscription" = "login";
  try {
    const onConnect = () => {
      at = "subscription";
    };
    return await within(answeredWithinMs, NEVER, () => trialOf(client, commandsTopic(place), onConnect));
  } catch (error) {
    const why = refusalIn(error);
    return why === null ? { kind: "unreached", error } : { kind: "stopped", at, why };
  } finally {
    client.end(true);
    line.socket.destroy();
  }
}

/** Rejects with what the broker has against it. */
function trialOf(client: MqttClient, commands: string, onConnect: () => void): Promise<BrokerTrial> {
  return new Promise((resolve, reject) => {
    const letIn = () => resolve({ kind: "let-in" });
    const ended = () => reject(new ConnectionEnded());
    // A command is not acknowledged: it comes again, to the player.
    client.handleMessage = ({ topic }, acknowledge) => (topic === commands ? letIn() : acknowledge());
    client.on("connect", ({ sessionPresent }) => {
      onConnect();
      client.subscribe(commands, { qos: 1, rh: 2 }, (error) => {
        if (error) return isRefusal(error) ? reject(error) : ended();
        client.off("close", ended);
        // Nothing is left of a session that was not there before.
        client.end(false, sessionPresent ? {} : { properties: { sessionExpiryInterval: 0 } }, letIn);
        setTimeout(letIn, LEFT_WITHIN_MS).unref();
      });
    });
    client.on("disconnect", ({ reasonCode = 0 }) => {
      if (reasonCode === TAKEN_OVER) resolve({ kind: "taken-over" });
      else reject(new ErrorWithReasonCode(`the connection is ended: ${reasonText(reasonCode)}`, reasonCode));
    });
    client.on("error", reject);
    client.on("close", ended);
  });
}

/** What a broker has against who came; null for what the system or TLS has. */
function refusalIn(error: unknown): Refusal | null {
  if (error instanceof TimeUp) return { kind: "silent" };
  if (error instanceof ErrorWithReasonCode) return { kind: "refused", code: error.code, text: error.message };
  if (error instanceof ErrorWithSubackPacket) {
    const [code = 0] = error.packet.granted;
    return { kind: "refused", code: Number(code), text: error.message };
  }
  const code = codeOf(error);
  if (error instanceof ConnectionEnded || code === "ECONNRESET" || code === "EPIPE") return { kind: "ended" };
  return code === null ? { kind: "foreign", text: error instanceof Error ? error.message : String(error) } : null;
}
