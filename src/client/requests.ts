import type { z } from "zod";
import type { RejectionReason } from "../wire/approval.ts";
import type { locationCreationSchema, screenCreationSchema } from "../wire/inventory-requests.ts";

/** What "Create a Location" takes. Without a `location_id` the service chooses one. */
export type NewLocation = z.input<typeof locationCreationSchema>;

/** What "Create a Screen" takes. */
export type NewScreen = z.input<typeof screenCreationSchema>;

/** What "Reject a CAR" takes. `CUSTOM` needs a message. */
export interface NewRejection {
  readonly rejection_reasons: readonly RejectionReason[];
  readonly custom_message?: string | null | undefined;
}
