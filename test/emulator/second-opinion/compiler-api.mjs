// Loaded before openapi-typescript, which draws its types with TypeScript's own API: version 7 has none any more, so it is
// given the one that ts-morph carries along. Having an older TypeScript beside ours would put its `tsc` in place of ours.
import { registerHooks } from "node:module";

const common = import.meta.resolve("@ts-morph/common");
const api = `data:text/javascript,${encodeURIComponent(`import common from "${common}"; export default common.ts;`)}`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "typescript" ? { url: api, shortCircuit: true } : next(specifier, context),
});
