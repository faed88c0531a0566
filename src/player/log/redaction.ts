/** What stands where a secret stood. */
export const REDACTED = "[redacted]";

/**
 * Blots secrets out of text, wherever they stand and in every way that they may be written there: as they are, inside a
 * JSON text, and percent-encoded as in a URL. The last line of defence, below not logging them.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const written = new Set(secrets.filter((secret) => secret !== "").flatMap(waysToWrite));
  const longestFirst = [...written].sort((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((blotted, form) => blotted.replaceAll(form, REDACTED), text);
}

function waysToWrite(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  const lowerCase = encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
  const inJson = (form: string) => JSON.stringify(form).slice(1, -1);
  return [secret, encoded, lowerCase, encodeURI(secret)].flatMap((form) => [form, inJson(form), inJson(inJson(form))]);
}
