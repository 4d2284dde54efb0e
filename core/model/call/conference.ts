/** `ended`: nobody can join any more, and all participants are released. */
export const CONFERENCE_STATUSES = ['active', 'ended'] as const;
export type ConferenceStatus = (typeof CONFERENCE_STATUSES)[number];

/** Limits of `max_participants`, and its default. */
export const PARTICIPANTS = { min: 2, max: 250, default: 20 } as const;

/** The legs of a call that can take part in a conference. */
export const PARTICIPANT_LEGS = ['customer', 'agent'] as const;
export type ParticipantLeg = (typeof PARTICIPANT_LEGS)[number];
