import { approvalSchema } from "../../wire/inventory.ts";
import {
  type Check,
  contractApproval,
  contractRejection,
  fits,
  has,
  hasStatus,
  succeeded,
  unchanged,
} from "./check.ts";
import { freshApproval, type Reply, type Subject } from "./subject.ts";

/** What is checked of CARs against an emulator, whose operator brings them in. */
export const approvalChecks: readonly Check[] = [
  {
    id: "Get a CAR",
    name: "has every field, and no reasons while it is pending",
    basis: "contract",
    run: async (subject) => {
      const reply = await read(subject, await freshApproval(subject));
      const pending = { status: "pending", rejection_reasons: null };
      return [...succeeded(reply), ...fits(reply.body, contractApproval), ...has(reply.body, pending)];
    },
  },
  {
    id: "A11",
    name: "a CAR is read with every key, and null for what is unknown",
    basis: "reading",
    run: async (subject) => fits((await read(subject, await freshApproval(subject))).body, approvalSchema),
  },
  {
    id: "Reject a CAR",
    name: "answers with the rejected one, which is read so from then on",
    basis: "contract",
    run: async (subject) => {
      const car_id = await freshApproval(subject);
      const body = { rejection_reasons: ["CUSTOM"], custom_message: "Too loud" };
      const reply = await reject(subject, car_id, body);
      const problems = [...succeeded(reply), ...fits(reply.body, contractRejection)];
      const told = has(reply.body, { id: car_id, ...body });
      return [...problems, ...told, ...has((await read(subject, car_id)).body, { status: "rejected", ...body })];
    },
  },
  {
    id: "Reject a CAR",
    name: "takes several reasons",
    basis: "contract",
    run: async (subject) => {
      const body = { rejection_reasons: ["FILTER", "ADVERTISER"] };
      return succeeded(await reject(subject, await freshApproval(subject), body));
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
    name: "is 401 for a token that nobody has, and for none",
    basis: "contract",
    run: async (subject) => {
      const asked = { method: "POST", body: FILTER };
      const car_id = await freshApproval(subject);
      const stranger = await subject.ask("rejectApproval", { org_token: "nobody_has_this_token", car_id }, asked);
      const nobody = await subject.ask("rejectApproval", { org_token: "", car_id }, asked);
      return [...hasStatus(stranger, 401), ...hasStatus(nobody, 401)];
    },
  },
  {
    id: "Reject a CAR",
    name: "is 404 for a CAR that is not there",
    basis: "contract",
    run: async (subject) => hasStatus(await reject(subject, subject.fresh("car"), FILTER), 404),
  },
  {
    id: "E1",
    name: "a token that nobody has is 401 before anything else is looked at",
    basis: "reading",
    run: async (subject) => {
      const parameters = { org_token: "nobody_has_this_token", car_id: subject.fresh("car") };
      return hasStatus(await subject.ask("rejectApproval", parameters, { method: "POST", body: {} }), 401);
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
