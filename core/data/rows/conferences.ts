import type { ParticipantLeg } from '../../model/call/conference.js';

/** Calls of one engine that talk together. */
export interface ConferenceRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly engine_id: string;
  readonly sandbox: boolean;
  readonly name: string;
  readonly max_participants: number;
  readonly created_at: Date;
  /** From here on nobody joins any more. */
  readonly ended_at: Date | null;
  /** The last participant has left, and the end was told. */
  readonly emptied_at: Date | null;
}

/** A leg in a conference. It leaves by its end. Whether it is muted or on hold the leg itself says. */
export interface ParticipantRow {
  readonly id: string;
  readonly conference_id: string;
  readonly call_id: string;
  readonly leg_id: string;
  readonly leg: ParticipantLeg;
  /** The conference begins with the first of these; who came before waits with music. */
  readonly start_on_enter: boolean;
  /** The conference ends for all when this one leaves. */
  readonly end_on_exit: boolean;
  /** A tone tells the others of the coming and the leaving. */
  readonly beep: boolean;
  /** The API key. */
  readonly requested_by: string | null;
  readonly request_id: string;
  readonly joined_at: Date;
  readonly left_at: Date | null;
}
