// Run by the bench as a process of its own: answers every GET at once, as a service that takes any proof.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((_, response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
// It ends with its parent process.
process.stdin.resume().once("end", () => process.exit());
