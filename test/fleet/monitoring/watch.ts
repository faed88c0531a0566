import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { Instant } from "../../../src/core/spot.ts";
import type { MonitoringProgram } from "./programs.ts";

/** What became of an alert of one kiosk; instants are the fleet's, null for what has not happened. */
export interface AlertSeen {
  readonly alert: string;
  readonly kiosk: string;
  /** Prometheus says that it fires. */
  firedAt: Instant | null;
  /** Somebody was told. */
  toldAt: Instant | null;
  /** Alertmanager holds it back, since it follows from another. */
  silencedAt: Instant | null;
}

/** Who is told of alerts: a URL, and all that was seen of them. */
export interface AlertWatch {
  readonly webhook: string;
  readonly seen: readonly AlertSeen[];
  /** Looks at both programs once. */
  look(server: MonitoringProgram, alertmanager: MonitoringProgram): Promise<void>;
  close(): void;
}

const labelsSchema = z.object({ alertname: z.string(), instance: z.string() });
const firingSchema = z.object({
  data: z.object({ alerts: z.array(z.object({ state: z.string(), labels: labelsSchema })) }),
});
const managedSchema = z.array(z.object({ labels: labelsSchema, status: z.object({ state: z.string() }) }));
const noticeSchema = z.object({ alerts: z.array(z.object({ status: z.string(), labels: labelsSchema })) });

/** A notice is a few alerts; more than this is none. */
const LARGEST_NOTICE_BYTES = 4 * 1024 * 1024;

/** Opens the URL that Alertmanager is to tell; `time` is the fleet's. */
export async function watchAlerts(time: () => Instant): Promise<AlertWatch> {
  const seen: AlertSeen[] = [];
  const entryOf = ({ alertname, instance }: z.infer<typeof labelsSchema>): AlertSeen => {
    const known = seen.find(({ alert, kiosk }) => alert === alertname && kiosk === instance);
    if (known !== undefined) return known;
    const fresh = { alert: alertname, kiosk: instance, firedAt: null, toldAt: null, silencedAt: null };
    seen.push(fresh);
    return fresh;
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) {
      text += chunk;
      if (text.length > LARGEST_NOTICE_BYTES) return response.writeHead(413).end();
    }
    const notice = noticeSchema.safeParse(JSON.parse(text));
    if (!notice.success) return response.writeHead(400).end(notice.error.message);
    for (const { status, labels } of notice.data.alerts) if (status === "firing") entryOf(labels).toldAt ??= time();
    return response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    webhook: `http://127.0.0.1:${port}/`,
    seen,
    async look(prometheus, alertmanager) {
      const [firing, managed] = await Promise.all([
        ask(`${prometheus.origin}/api/v1/alerts`, firingSchema),
        ask(`${alertmanager.origin}/api/v2/alerts`, managedSchema),
      ]);
      for (const { state, labels } of firing.data.alerts) if (state === "firing") entryOf(labels).firedAt ??= time();
      for (const { labels, status } of managed)
        if (status.state === "suppressed") entryOf(labels).silencedAt ??= time();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function ask<T>(url: string, schema: z.ZodType<T>): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return schema.parse(await response.json());
}

const valueSchema = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});

/** The sum of what a query gives; 0 where it gives nothing. */
export async function query({ origin }: MonitoringProgram, text: string): Promise<number> {
  const { data } = await ask(`${origin}/api/v1/query?query=${encodeURIComponent(text)}`, valueSchema);
  return data.result.reduce((sum, { value }) => sum + Number(value[1]), 0);
}
