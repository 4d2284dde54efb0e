import type { ParticipantLeg } from '../../model/call/conference.js';

/** A conference of calls on one engine. */
export interface ConferenceRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly engine_id: string;
  readonly sandbox: boolean;
  readonly name: string;
  readonly max_participants: number;
  readonly created_at: Date;
  /** When the conference was closed to new participants. */
  readonly ended_at: Date | null;
  /** When the last participant had left and the end was reported. */
  readonly emptied_at: Date | null;
}

/** A leg in a conference; it leaves when it ends. The leg row has its mute and hold state. */
export interface ParticipantRow {
  readonly id: string;
  readonly conference_id: string;
  readonly call_id: string;
  readonly leg_id: string;
  readonly leg: ParticipantLeg;
  /** Whether this participant starts the conference; earlier ones wait with music. */
  readonly start_on_enter: boolean;
  /** Whether the conference ends for all when this participant leaves. */
  readonly end_on_exit: boolean;
  /** Whether a tone announces joining and leaving to the others. */
  readonly beep: boolean;
  /** Id of the API key. */
  readonly requested_by: string | null;
  readonly request_id: string;
  readonly joined_at: Date;
  readonly left_at: Date | null;
}
