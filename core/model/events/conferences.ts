import { conferenceRecordingObject } from '../objects/recording.js';
import { defineEvent } from './definition.js';
import { CALL_EXAMPLE } from './examples.js';

const CONFERENCE_EXAMPLE = {
  conference_id: '01934f72-0c3d-7a51-b6f4-2a9d80c41e10',
  name: 'Weekly review',
  status: 'active',
  recording: false,
  created_at: '2026-01-31T06:00:00.000Z',
  ended_at: null,
  participant_count: 1,
  participant: null,
  sandbox: false,
  call_id: CALL_EXAMPLE.call_id,
  sequence: 4,
} as const;

const PARTICIPANT_EXAMPLE = {
  participant_id: '01934f72-0c40-7d02-8c1b-7e55f1a09b33',
  call_id: CALL_EXAMPLE.call_id,
  leg: 'customer',
  muted: false,
  on_hold: false,
  joined_at: '2026-01-31T06:00:00.000Z',
  left_at: null,
} as const;

const LEFT = { ...PARTICIPANT_EXAMPLE, left_at: '2026-01-31T06:20:00.000Z' } as const;
const ENDED = { ...CONFERENCE_EXAMPLE, status: 'ended', ended_at: LEFT.left_at, participant_count: 0 } as const;

/** Events of a conference. Each has its place in the event order of the call that caused it. */
export const CONFERENCE_EVENTS = {
  'conference.created': defineEvent({
    subject: 'conference',
    summary: 'The first participant opened a conference.',
    summaryAr: 'بدأ أول مشارك مكالمة جماعية.',
    own: {},
    example: CONFERENCE_EXAMPLE,
  }),
  'conference.participant_joined': defineEvent({
    subject: 'conference',
    summary: 'A participant joined.',
    summaryAr: 'انضم مشارك.',
    own: {},
    example: { ...CONFERENCE_EXAMPLE, participant: PARTICIPANT_EXAMPLE, sequence: 5 },
  }),
  'conference.participant_left': defineEvent({
    subject: 'conference',
    summary: 'A participant left.',
    summaryAr: 'غادر مشارك.',
    own: {},
    example: { ...ENDED, participant: LEFT, sequence: 6 },
  }),
  'conference.ended': defineEvent({
    subject: 'conference',
    summary: 'The last participant left.',
    summaryAr: 'غادر آخر مشارك.',
    own: {},
    example: { ...ENDED, sequence: 7 },
  }),
  'conference.recording_ready': defineEvent({
    subject: 'conference',
    summary: 'The audio of a recording of the conference can be downloaded.',
    summaryAr: 'يمكن تنزيل صوت تسجيل المكالمة الجماعية.',
    own: { recording: conferenceRecordingObject },
    example: {
      ...ENDED,
      recording: {
        recording_id: '01934f73-7e10-7c2a-9f60-1b0d9a3e5c44',
        conference_id: CONFERENCE_EXAMPLE.conference_id,
        status: 'available',
        channels: 1,
        format: 'wav',
        duration_seconds: 1_200,
        bytes: 19_200_044,
        legal_hold: false,
        started_at: '2026-01-31T06:00:00.000Z',
        ended_at: LEFT.left_at,
      },
      sequence: 8,
    },
  }),
};
