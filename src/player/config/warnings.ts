import { ignoredVariables, variableOf } from "./environment.ts";
import { readableByOthers, type Surroundings, type TokenReading } from "./file.ts";
import type { ConfigFile } from "./schema.ts";

// What is usable in a configuration and unwise, in words for the log. No secret is in any of them.

/** About where the service and the token are. */
export function warningsAbout(
  baseUrl: string,
  path: string | null,
  token: TokenReading,
  { env, platform }: Surroundings,
): readonly string[] {
  const { protocol, hostname } = new URL(baseUrl);
  const warnings = [...ignoredVariables(env)];
  const secret = token.file ?? (env[variableOf("orgToken")] ? null : path);
  if (secret !== null && readableByOthers(secret, platform)) {
    warnings.push(`${secret} holds the organization token and can be read by others: chmod 600 ${secret}`);
  }
  if (protocol === "http:" && !/^(localhost|127\..*|\[::1\])$/.test(hostname)) {
    warnings.push("baseUrl is not https: the organization token crosses the network in the clear");
  }
  return warnings;
}

/** A screen, as far as its name goes. */
interface Named {
  readonly screenId: string;
}

/** About what else it says. */
export function warningsOf({
  screens,
  remote,
  record,
}: Readonly<Pick<ConfigFile, "remote" | "record">> & { readonly screens: readonly Named[] }): readonly string[] {
  const [first] = screens;
  const warnings = screens.flatMap(strayedSpaces);
  if (remote.broker !== null && remote.clientId === null && /[+#]/.test(first?.screenId ?? "")) {
    const screenId = JSON.stringify(first?.screenId);
    warnings.push(
      `remote.broker is of no use: no topic can have the screenId ${screenId} in it; name another by remote.clientId`,
    );
  }
  if (remote.broker !== null && new URL(remote.broker).hostname === "") {
    warnings.push("remote.broker is of no use: it names no host, as mqtts://mqtt.example:8883 does");
  }
  if (record.witnessUrl !== null && new URL(record.witnessUrl).username !== "") {
    warnings.push("record.witnessUrl is of no use: no request can be sent to an address with user and password");
  }
  return warnings;
}

/** An id that was pasted with what stood around it is another one. */
function strayedSpaces({ screenId }: Named): readonly string[] {
  if (screenId === screenId.trim()) return [];
  return [`screenId ${JSON.stringify(screenId)} begins or ends with a space, which is taken for a part of it`];
}
