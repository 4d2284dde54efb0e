import type { PlacedEffect } from '../../../data/call-writer.js';
import type { EventRow } from '../../../data/rows.js';
import type { CallChanges } from '../call-state.js';
import type { EventFacts, PendingEvent } from '../event-facts.js';
import { presentCall } from './call.js';
import { presentConferenceEvent } from './conference.js';
import { presentConferenceRecording, presentRecording } from './recording.js';
import { presentTransfer } from './transfer.js';
import { presentVoicemail } from './voicemail.js';

/** Returns a call's changes as the database takes them, with each event in the webhook wire format. */
export function presentChanges({ events, ...changes }: CallChanges): PlacedEffect {
  return { ...changes, events: events.map(presentEvent) };
}

function presentEvent({ id, type, at, call, recovered, facts }: PendingEvent): EventRow {
  return {
    id,
    organization_id: call.organization_id,
    project_id: call.project_id,
    call_id: call.id,
    sequence: call.last_sequence,
    type,
    data: { ...dataOf(call, facts), sequence: call.last_sequence, ...(recovered ? { recovered } : {}) },
    sandbox: call.sandbox,
    recovered,
    created_at: at,
  };
}

function dataOf(call: PendingEvent['call'], facts: EventFacts): object {
  switch (facts.about) {
    case 'call':
      return {
        ...presentCall(call, facts.legs),
        ...facts.data,
        ...(facts.transfer && { transfer: presentTransfer(facts.transfer) }),
        ...(facts.recording && { recording: presentRecording(facts.recording) }),
      };
    case 'conference':
      return {
        ...presentConferenceEvent(facts.conference, facts.participant),
        ...(facts.recording && { recording: presentConferenceRecording(facts.recording) }),
        call_id: call.id,
      };
    case 'voicemail':
      return { ...presentVoicemail(facts.message, true) };
    case 'other':
      return { call_id: call.id, ...facts.data };
  }
}
