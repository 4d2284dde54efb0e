/** `ended`: nobody may join any more, and whoever is in it is let go. */
export const CONFERENCE_STATUSES = ['active', 'ended'] as const;
export type ConferenceStatus = (typeof CONFERENCE_STATUSES)[number];

/** How many participants a conference can be made for, and how many it takes where nothing is said. */
export const PARTICIPANTS = { least: 2, most: 250, usual: 20 } as const;

/** Which legs of a call take part. */
export const PARTICIPANT_LEGS = ['customer', 'agent'] as const;
export type ParticipantLeg = (typeof PARTICIPANT_LEGS)[number];
