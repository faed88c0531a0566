import { byId } from "./dom.ts";

/** Has the network do something, and says what became of it; `done` is said when it worked. */
export async function tell(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body: unknown,
  done: string,
): Promise<void> {
  try {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    announce(answer.ok ? done : `refused: ${await reasonIn(answer)}`);
  } catch {
    announce("the emulator does not answer");
  }
}

async function reasonIn(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null);
  const detail = typeof body === "object" && body !== null && "detail" in body ? body.detail : null;
  return typeof detail === "string" ? detail : `${answer.status}`;
}

function announce(text: string): void {
  byId("announcement").textContent = text;
}
