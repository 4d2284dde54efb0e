import type { Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';
import { newLiveCall } from './calls.js';

interface Conference {
  readonly conference_id: string;
  readonly participant_id: string;
}

/** A conference of one live call. */
async function newConference(tenant: Tenant): Promise<Conference> {
  const call = await newLiveCall(tenant);
  const made = await tenant.ask('POST', `/v1/calls/${call}/conference`, { name: tenant.word('conference') });
  const [participant] = made.participants as readonly { readonly participant_id: string }[];
  return { conference_id: String(made.conference_id), participant_id: participant?.participant_id ?? '' };
}

const conferenceOf = (tenant: Tenant): Promise<Conference> => tenant.once('conference', () => newConference(tenant));

const onParticipant = async (tenant: Tenant) => ({ params: { ...(await conferenceOf(tenant)) } });
const onConference = async (tenant: Tenant) => ({
  params: { conference_id: (await conferenceOf(tenant)).conference_id },
});

export const conferences: Samples = {
  joinConference: async (tenant) => ({
    params: { call_id: await newLiveCall(tenant) },
    body: { conference_id: (await conferenceOf(tenant)).conference_id },
  }),
  listConferences: async (tenant) => {
    await conferenceOf(tenant);
    return {};
  },
  getConference: onConference,
  muteParticipant: onParticipant,
  unmuteParticipant: onParticipant,
  holdParticipant: onParticipant,
  unholdParticipant: onParticipant,
  kickParticipant: async (tenant) => ({ params: { ...(await newConference(tenant)) } }),
  playToConference: async (tenant) => ({
    ...(await onConference(tenant)),
    body: { text: 'Hello', language: 'en', loop: 10 },
  }),
  stopPlayingToConference: onConference,
  startConferenceRecording: onConference,
  stopConferenceRecording: onConference,
  endConference: async (tenant) => ({ params: { conference_id: (await newConference(tenant)).conference_id } }),
};
