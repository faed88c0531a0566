import type { App } from "electron";

/** A bad certificate stays bad; no client certificate or password is ever offered (checklist 10 in spirit). */
export function refuseBadCertificates(app: App): void {
  app.on("certificate-error", (event, _contents, _url, _error, _certificate, answer) => {
    event.preventDefault();
    answer(false);
  });
  app.on("select-client-certificate", (event) => event.preventDefault());
  app.on("login", (event) => event.preventDefault());
}
