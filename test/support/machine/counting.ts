import { createSocket, type Socket } from "node:dgram";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";

/** Listeners on loopback that count who comes: connections by TCP and packets by UDP, each under a name. */
export interface Counting {
  /** The TCP port where connections count under a name. */
  tcp(name: string): Promise<number>;
  /** The UDP port where packets count under a name. */
  udp(name: string): Promise<number>;
  /** By name; 0 for those to which nobody came. */
  counts(): Readonly<Record<string, number>>;
  close(): void;
}

export function openCounting(host: string): Counting {
  const counts: Record<string, number> = {};
  const servers: (Server | Socket)[] = [];
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  return {
    async tcp(name) {
      counts[name] ??= 0;
      const server = createServer((socket) => {
        count(name);
        socket.on("error", () => {}).destroy();
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, host, resolve));
      return (server.address() as AddressInfo).port;
    },
    async udp(name) {
      counts[name] ??= 0;
      const socket = createSocket(host.includes(":") ? "udp6" : "udp4", () => count(name));
      servers.push(socket);
      await new Promise<void>((resolve) => socket.bind(0, host, resolve));
      return socket.address().port;
    },
    counts: () => counts,
    close() {
      for (const server of servers) server.close();
    },
  };
}
