import tls from "node:tls";
import { reasonOf } from "../../client/reply.ts";

/** Whom requests trust beside the usual ones: certificates in PEM, as an uplink has them. */
interface Authorities {
  readonly certificates: readonly string[];
}

/** What a TLS connection is given to know whom to trust; empty where the usual certificates are all. */
export interface Trust {
  readonly secureContext?: tls.SecureContext;
}

/** Trust in the certificates of an uplink, beside the usual ones. Made once: there are hundreds, and reading them takes long. */
export function trustOf(authorities: Authorities): Trust {
  if (authorities.certificates.length === 0) return {};
  return { secureContext: tls.createSecureContext({ ca: [...trustedBy(authorities)] }) };
}

/** The certificates of an uplink and the usual ones, in PEM: those that the runtime brings along, and this machine's own. */
export function trustedBy({ certificates }: Authorities): readonly string[] {
  return [...usualCertificates(), ...certificates];
}

/** Older runtimes know only those that they bring along. */
const { getCACertificates, rootCertificates, setDefaultCACertificates } = tls as Partial<typeof tls>;

let usual: readonly string[] | null = null;

/** Read once, since this machine's own take a tenth of a second. */
function usualCertificates(): readonly string[] {
  if (usual !== null) return usual;
  const brought = getCACertificates?.("default") ?? rootCertificates ?? [];
  usual = [...new Set([...brought, ...(getCACertificates?.("system") ?? [])])];
  return usual;
}

/** What the runtime calls a certificate that nobody it trusts has signed. */
const UNKNOWN_SIGNER: readonly string[] = [
  ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
  ...["SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_UNTRUSTED"],
  // An authority that was made anew under its old name.
  "CERT_SIGNATURE_FAILURE",
];

/** Whether a request failed for a certificate that nobody trusted has signed. */
export function isUnknownSigner(error: unknown): boolean {
  return UNKNOWN_SIGNER.includes(reasonOf(error));
}

let isMachineHeeded = false;
let isSignerMet = false;

/** Whether anything that this process asked came with a certificate that nobody it trusts has signed. */
export function hasMetUnknownSigner(): boolean {
  return isSignerMet;
}

/**
 * Asks again where the first answer came with a certificate that the runtime does not know, and from then on trusts whom
 * this machine trusts, too: there an administrator keeps the authority of a proxy that looks into TLS.
 */
export function heedingMachine<Asked extends readonly unknown[], Answer>(
  ask: (...asked: Asked) => Promise<Answer>,
): (...asked: Asked) => Promise<Answer> {
  return async (...asked) => {
    const wasHeeded = isMachineHeeded;
    try {
      return await ask(...asked);
    } catch (error) {
      if (!isUnknownSigner(error)) throw error;
      if (wasHeeded || setDefaultCACertificates === undefined) {
        isSignerMet = true;
        throw error;
      }
      setDefaultCACertificates(usualCertificates());
      isMachineHeeded = true;
      return ask(...asked);
    }
  };
}
