import type { Destination } from '../../model/call/destinations.js';
import type { RatedLeg } from '../../model/rating/rate.js';
import type { CallLegs } from '../billing/credit.js';
import type { DialRoute } from '../routing/destinations.js';

/**
 * The dialler of a browser that is nobody of the project's agents: no agent has this extension. Its session was checked
 * before; of the gate, what counts is the project.
 */
export const GUEST = '';

/** A leg that is about to be dialled, whatever asks for it. */
export interface DialledLeg {
  readonly organizationId: string;
  readonly projectId: string;
  /** The simulator rings nobody and costs nothing. */
  readonly sandbox: boolean;
  readonly kind: RatedLeg['kind'];
  readonly to: Destination;
  /** The member of the request that names the destination. */
  readonly field: string;
  /** Null if nothing leads to the destination now. */
  readonly route: DialRoute | null;
  /** The extension of the agent whose softphone dials, or {@link GUEST}; null if anything else asks for the leg. */
  readonly dialler: string | null;
  /** The extension of the agent whose call is forwarded by this leg, which needs the agent's rights; absent or null: none. */
  readonly forwarder?: string | null;
  /** The extension of the agent to which the leg is attributed, whatever asks for it; null if there is none. */
  readonly agent: string | null;
  /** The id that the leg will have; null if it is not dialled now. */
  readonly legId: string | null;
  /** The number that the leg shows, if its owner has to be checked. */
  readonly callerIdNumber?: string;
  /** Whether the leg counts as a new attempt. False for a mere check, and for a leg that was counted before. */
  readonly isCounted: boolean;
  /** The live call that the leg belongs to; null if it is yet to be placed. */
  readonly callId: string | null;
  /** The call's other legs, if credit is to be held for this one. */
  readonly others: CallLegs | null;
}

/** One check of the gate. @throws HatifError if the leg may not be dialled */
export type LegStage = (leg: DialledLeg) => Promise<void>;
