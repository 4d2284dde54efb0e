import type { ParticipantView } from '../../data/repositories/calls/conferences.js';
import type {
  CallRow,
  ConferenceRecordingRow,
  ConferenceRow,
  LegRecordingRow,
  LegRow,
  ParticipantRow,
  TransferRow,
  VoicemailRow,
} from '../../data/rows.js';
import type { EventType } from '../../model/events/index.js';
import type { ConferenceState } from './conference-state.js';

/** The conference as it was when the event happened. */
export interface ConferenceFacts {
  readonly row: ConferenceRow;
  readonly participantCount: number;
  readonly isRecorded: boolean;
}

/** An event's subject as database rows. `presenting/` builds the wire format from it. */
export type EventFacts =
  | {
      readonly about: 'call';
      readonly legs: readonly LegRow[];
      readonly transfer?: TransferRow;
      readonly recording?: LegRecordingRow;
      /** The event's own members. */
      readonly data?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly about: 'conference';
      readonly conference: ConferenceFacts;
      /** The participant who joined or left; null for an event of the whole conference. */
      readonly participant: ParticipantView | null;
      readonly recording?: ConferenceRecordingRow;
    }
  | { readonly about: 'voicemail'; readonly message: VoicemailRow }
  /** An event that carries only its own members and the call's id. */
  | { readonly about: 'other'; readonly data: Readonly<Record<string, unknown>> };

/** An event of a call that has not been written yet. */
export interface PendingEvent {
  readonly id: string;
  readonly type: EventType;
  readonly at: Date;
  /** The call as it was when the event happened; `last_sequence` is the event's sequence. */
  readonly call: CallRow;
  /** Whether the event was produced after an outage. */
  readonly recovered: boolean;
  readonly facts: EventFacts;
}

/**
 * The facts of a conference event.
 * @param participant who joined or left; null for an event of the whole conference
 * @param leg the participant's leg
 */
export function conferenceFacts(
  conference: ConferenceState,
  participant: ParticipantRow | null,
  leg: LegRow | undefined,
  recording?: ConferenceRecordingRow,
): EventFacts {
  const { muted = false, on_hold = false } = leg ?? {};
  return {
    about: 'conference',
    conference: {
      row: conference.row,
      participantCount: conference.present.length,
      isRecorded: conference.recording !== null,
    },
    participant: participant && { ...participant, muted, on_hold },
    ...(recording === undefined ? {} : { recording }),
  };
}
