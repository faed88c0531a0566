import crypto, { createPrivateKey, createPublicKey } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import type { Chance } from "./chance.ts";
import type { SimulatedTime } from "./time.ts";

/** What comes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410 section 7). */
const ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * Draws the platform's random numbers, names and keys from the seed: they stand in indexes, whose pages would else be filled
 * otherwise each time, and a disk would be full at another row. The function it returns puts the real ones back.
 */
export function simulateDice(time: SimulatedTime, chance: Chance): () => void {
  const { randomUUID, randomBytes, generateKeyPairSync } = crypto;
  const { random } = Math;
  let [instant, draws] = [-1, 0];
  /** What is drawn first in an instant does not depend on how much was drawn before it. */
  const draw = () => {
    draws = time.now() === instant ? draws + 1 : 0;
    instant = time.now();
    return `drawn ${instant} ${draws}`;
  };
  const bytes = (size: number) => {
    const question = draw();
    return Buffer.from(Array.from({ length: size }, (_, at) => chance.whole(0, 255, `${question} ${at}`)));
  };
  const uuid = () =>
    bytes(16)
      .toString("hex")
      .replace(/^(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-8$4-");
  const keyPair = () => {
    const key = Buffer.concat([ED25519, bytes(32)]);
    const privateKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
    return { privateKey, publicKey: createPublicKey(privateKey) };
  };
  Math.random = () => chance.roll(`random ${time.now()}`);
  Object.assign(crypto, { randomUUID: uuid, randomBytes: bytes, generateKeyPairSync: keyPair });
  syncBuiltinESMExports();
  return () => {
    Math.random = random;
    Object.assign(crypto, { randomUUID, randomBytes, generateKeyPairSync });
    syncBuiltinESMExports();
  };
}
