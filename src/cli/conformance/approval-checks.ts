import { approvalSchema, rejectedApprovalSchema } from "../../wire/approval.ts";
import { type Check, fits, has, hasStatus, unchanged } from "./check.ts";
import { freshApproval } from "./scenery.ts";
import type { Reply, Subject } from "./subject.ts";

/** What is checked of CARs against an emulator, whose operator brings them in. */
export const approvalChecks: readonly Check[] = [
  {
    id: "Get a CAR",
    name: "has every field, and no reasons while it is pending",
    basis: "contract",
    run: async (subject) => {
      const reply = await read(subject, await freshApproval(subject));
      const pending = { status: "pending", rejection_reasons: null };
      return [...hasStatus(reply, 200), ...fits(reply.body, approvalSchema), ...has(reply.body, pending)];
    },
  },
  {
    id: "Reject a CAR",
    name: "answers with the rejected one, which is read so from then on",
    basis: "contract",
    run: async (subject) => {
      const car_id = await freshApproval(subject);
      const body = { rejection_reasons: ["CUSTOM", "FILTER"], custom_message: "Too loud" };
      const reply = await reject(subject, car_id, body);
      const problems = [
        ...hasStatus(reply, 200),
        ...fits(reply.body, rejectedApprovalSchema),
        ...has(reply.body, body),
      ];
      return [...problems, ...has((await read(subject, car_id)).body, { status: "rejected", ...body })];
    },
  },
  refusal("is 400 without reasons", {}, [400]),
  refusal("is 400 with no reason in the list", { rejection_reasons: [] }, [400]),
  refusal("is 400 with an unknown reason", { rejection_reasons: ["BORING"] }, [400]),
  refusal("is 422 with CUSTOM and no message", { rejection_reasons: ["CUSTOM"] }, [422]),
  refusal("is 422 with CUSTOM and an empty message", { rejection_reasons: ["CUSTOM"], custom_message: "" }, [422]),
  {
    id: "Reject a CAR",
    name: "is 400 for one that is approved or rejected already",
    basis: "contract",
    run: async (subject) => {
      const [approved, rejected] = [await freshApproval(subject), await freshApproval(subject)];
      await subject.control("POST", `/cars/${approved}/approve`);
      await reject(subject, rejected, FILTER);
      const replies = [await reject(subject, approved, FILTER), await reject(subject, rejected, FILTER)];
      return replies.flatMap((reply) => hasStatus(reply, 400));
    },
  },
  {
    id: "Reject a CAR",
    name: "is 401 for a token that nobody has, and 404 for a CAR that is not there",
    basis: "contract",
    run: async (subject) => {
      const asked = { method: "POST", body: FILTER };
      const parameters = { org_token: "nobody_has_this_token", car_id: "x" };
      const stranger = await subject.ask("rejectApproval", parameters, asked);
      const unknown = await reject(subject, subject.fresh("car"), FILTER);
      return [...hasStatus(stranger, 401), ...hasStatus(unknown, 404)];
    },
  },
];

const FILTER = { rejection_reasons: ["FILTER"] };

/** One that is pending is not rejected with this body, and stays as it is. */
function refusal(name: string, body: object, statuses: readonly number[]): Check {
  return {
    id: "Reject a CAR",
    name,
    basis: "contract",
    run: async (subject) => {
      const car_id = await freshApproval(subject);
      const before = await read(subject, car_id);
      const reply = await reject(subject, car_id, body);
      return [...hasStatus(reply, ...statuses), ...unchanged(before, await read(subject, car_id))];
    },
  };
}

function read(subject: Subject, car_id: string): Promise<Reply> {
  return subject.ask("approval", { car_id });
}

function reject(subject: Subject, car_id: string, body: object): Promise<Reply> {
  return subject.ask("rejectApproval", { car_id }, { method: "POST", body });
}
