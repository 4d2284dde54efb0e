import type { ConferenceView, ParticipantView } from '../../../data/repositories/calls/conferences.js';
import type { ConferenceRow } from '../../../data/rows.js';
import type { ConferenceObject, ParticipantObject } from '../../../model/objects/conference.js';
import { isoTime } from '../../../model/time.js';
import type { ConferenceFacts } from '../event-facts.js';

/**
 * The data of a conference event: the number of current participants, and the participant it is about (null if it is
 * about none).
 */
export interface ConferenceEventData extends Omit<ConferenceObject, 'participants'> {
  readonly participant_count: number;
  readonly participant: ParticipantObject | null;
  readonly sandbox: boolean;
}

export function presentParticipant(row: ParticipantView): ParticipantObject {
  return {
    participant_id: row.id,
    call_id: row.call_id,
    leg: row.leg,
    muted: row.muted,
    on_hold: row.on_hold,
    joined_at: isoTime(row.joined_at),
    left_at: isoTime(row.left_at),
  };
}

export function presentConference(row: ConferenceView, participants: readonly ParticipantView[]): ConferenceObject {
  return { ...factsOf(row, row.recording), participants: participants.map(presentParticipant) };
}

export function presentConferenceEvent(
  { row, participantCount, isRecorded }: ConferenceFacts,
  participant: ParticipantView | null,
): ConferenceEventData {
  return {
    ...factsOf(row, isRecorded),
    participant_count: participantCount,
    participant: participant && presentParticipant(participant),
    sandbox: row.sandbox,
  };
}

function factsOf(row: ConferenceRow, recording: boolean): Omit<ConferenceObject, 'participants'> {
  return {
    conference_id: row.id,
    name: row.name,
    status: row.ended_at === null ? 'active' : 'ended',
    recording,
    created_at: isoTime(row.created_at),
    ended_at: isoTime(row.ended_at),
  };
}
