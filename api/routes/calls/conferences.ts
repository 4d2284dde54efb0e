import { z } from 'zod';
import { conferenceObject, participantObject } from '../../../core/model/objects/conference.js';
import { CONFERENCE_STATUSES, PARTICIPANTS } from '../../../core/model/call/conference.js';
import type { ErrorCode } from '../../../core/model/errors/index.js';
import type { ControlConference, ParticipantAction } from '../../../core/services/conferences/control.js';
import type { ReadConferences } from '../../../core/services/conferences/read.js';
import { audioMembers, oneAudioSource, toAudioSource } from '../../http/schema/audio-source.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { controllerOf, scopeOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { callParams, cursorList, cursorQuery, idInput, idParam } from '../../http/schema/schemas.js';

const TAG = 'Conferences';

export interface ConferenceRoutesServices {
  readonly read: ReadConferences;
  readonly control: ControlConference;
}

const name = z.string().trim().min(1).max(64);
const ONE_OF = bilingual('exactly one of conference_id and name is needed', 'يلزم واحد فقط من `conference_id` و`name`');

const joinBody = z
  .strictObject({
    conference_id: idInput.optional().describe('ID of an existing conference'),
    name: name.optional().describe('Name of an active conference of the project; created if there is none'),
    muted: z.boolean().default(false).describe('Join muted'),
    beep: z.boolean().default(false).describe('Play a tone when the participant joins or leaves'),
    start_on_enter: z
      .boolean()
      .default(true)
      .describe('If false, the participant hears music until someone joins with true'),
    end_on_exit: z.boolean().default(false).describe('End the conference when this call leaves it'),
    max_participants: z
      .int()
      .min(PARTICIPANTS.min)
      .max(PARTICIPANTS.max)
      .default(PARTICIPANTS.default)
      .describe('Applies only if the conference is created'),
  })
  .superRefine((given, ctx) => {
    const isOne = (given.conference_id === undefined) !== (given.name === undefined);
    if (!isOne) ctx.addIssue({ code: 'custom', message: ONE_OF });
  });

const playBody = z
  .strictObject({ ...audioMembers, loop: z.int().min(1).max(10).default(1) })
  .superRefine(oneAudioSource);

const recordingBody = z
  .strictObject({
    max_seconds: z
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .describe('Maximum duration; defaults to the duration of the conference, at most one day'),
  })
  .default({});

const conferenceParams = z.strictObject({ conference_id: idParam('CONFERENCE_NOT_FOUND') });
const participantParams = conferenceParams.extend({ participant_id: idParam('CONFERENCE_NOT_FOUND') });

/** Errors: the conference belongs to another project, has ended, has no owner process, or its engine refused the command. */
const ALWAYS: readonly ErrorCode[] = [
  'CONFERENCE_NOT_FOUND',
  'CONFERENCE_ENDED',
  'CALL_NOT_CONTROLLABLE',
  'CALL_CONTROL_FAILED',
];

const PARTICIPANT_ACTIONS: Readonly<
  Record<ParticipantAction, Readonly<Record<'summary' | 'summaryAr' | 'description', string>>>
> = {
  mute: {
    summary: 'Mute a participant',
    summaryAr: 'كتم صوت مشارك',
    description: 'The others do not hear the participant, who still hears them.',
  },
  unmute: { summary: 'Unmute a participant', summaryAr: 'إلغاء كتم صوت مشارك', description: 'Is heard again.' },
  hold: {
    summary: 'Put a participant on hold',
    summaryAr: 'تعليق مشارك',
    description: 'The participant hears music, and the others do not hear the participant.',
  },
  unhold: {
    summary: 'Take a participant off hold',
    summaryAr: 'استئناف مشارك معلّق',
    description: 'Returns the participant to the conference.',
  },
  kick: {
    summary: 'Remove a participant',
    summaryAr: 'إخراج مشارك',
    description:
      'Hangs up the leg; if it is the customer’s leg, its call ends. `left_at` is set with `conference.participant_left`.',
  },
};

export function conferenceRoutes({ read, control }: ConferenceRoutesServices): Route[] {
  const writing = {
    method: 'POST',
    tag: TAG,
    scope: 'calls:write',
    keyKind: 'any',
    flag: 'conferencing',
  } as const;
  const reading = { ...writing, method: 'GET', scope: 'calls:read' } as const;
  const onParticipant = (action: ParticipantAction): Route =>
    route({
      ...writing,
      ...PARTICIPANT_ACTIONS[action],
      path: `/v1/conferences/:conference_id/participants/:participant_id/${action}`,
      operationId: `${action}Participant`,
      params: participantParams,
      responses: {
        200: { schema: participantObject, description: 'The participant. Repeating the request has no effect' },
      },
      errors: [...ALWAYS, 'CALL_NOT_ACTIVE', 'AGENT_LEG_NOT_CONNECTED'],
      handler: async (ctx) => {
        const { conference_id, participant_id } = ctx.params;
        return {
          status: 200,
          body: await control.participant(conference_id, participant_id, action, controllerOf(ctx)),
        };
      },
    });
  return [
    route({
      ...writing,
      path: '/v1/calls/:call_id/conference',
      operationId: 'joinConference',
      summary: 'Add a call to a conference',
      summaryAr: 'ضم مكالمة إلى مكالمة جماعية',
      description:
        'Moves an answered call to the conference until the call ends: its customer and, if connected, its agent become participants. ' +
        'Either all join or none (`CONFERENCE_FULL`). A conference ends when its last participant leaves.',
      params: callParams,
      body: joinBody,
      auditFields: ['conference_id', 'name'],
      responses: { 200: { schema: conferenceObject, description: 'The conference, with the call in it' } },
      errors: [
        'CALL_NOT_FOUND',
        'CALL_CONTROL_UNSUPPORTED',
        'CALL_NOT_ACTIVE',
        'CALL_NOT_ANSWERED',
        'CONFERENCE_ENDED',
        'CONFERENCE_FULL',
        'CALL_ALREADY_IN_CONFERENCE',
        'TRANSFER_IN_PROGRESS',
        'CALL_NOT_CONTROLLABLE',
        'CALL_CONTROL_FAILED',
      ],
      // A retry finds the call in the conference.
      recover: async ({ requestId }, { caller }) => {
        const joined = await read.joinedBy(caller.projectId, caller.id, requestId);
        return joined && { status: 200, body: joined };
      },
      handler: async (ctx) => {
        const { body } = ctx;
        const request = {
          conference: body.conference_id === undefined ? { name: body.name ?? '' } : { id: body.conference_id },
          muted: body.muted,
          beep: body.beep,
          startOnEnter: body.start_on_enter,
          endOnExit: body.end_on_exit,
          maxParticipants: body.max_participants,
        };
        return { status: 200, body: await control.join(ctx.params.call_id, request, controllerOf(ctx)) };
      },
    }),
    route({
      ...reading,
      path: '/v1/conferences',
      operationId: 'listConferences',
      summary: 'List conferences, newest first',
      summaryAr: 'عرض المكالمات الجماعية من الأحدث إلى الأقدم',
      query: z.strictObject({ ...cursorQuery, status: z.enum(CONFERENCE_STATUSES).optional(), name: name.optional() }),
      responses: { 200: { schema: cursorList(conferenceObject), description: 'One page' } },
      errors: [],
      handler: async (ctx) => {
        const { cursor, limit, ...filter } = ctx.query;
        const { items, next } = await read.list(scopeOf(ctx), filter, ctx.cursors.read(cursor), limit);
        const next_cursor = next === null ? null : ctx.cursors.write(next);
        return { status: 200, body: { data: items, next_cursor, limit } };
      },
    }),
    route({
      ...reading,
      path: '/v1/conferences/:conference_id',
      operationId: 'getConference',
      summary: 'Read a conference',
      summaryAr: 'قراءة مكالمة جماعية',
      params: conferenceParams,
      responses: { 200: { schema: conferenceObject, description: 'The conference as it is now' } },
      errors: ['CONFERENCE_NOT_FOUND'],
      handler: async (ctx) => ({ status: 200, body: await read.get(scopeOf(ctx), ctx.params.conference_id) }),
    }),
    route({
      ...writing,
      path: '/v1/conferences/:conference_id/end',
      operationId: 'endConference',
      summary: 'End a conference',
      summaryAr: 'إنهاء مكالمة جماعية',
      description: 'Hangs up all participants. `conference.ended` is sent when the last one has left.',
      params: conferenceParams,
      responses: { 200: { schema: conferenceObject, description: 'The conference, which can no longer be joined' } },
      errors: ALWAYS,
      handler: async (ctx) => ({
        status: 200,
        body: await control.end(ctx.params.conference_id, controllerOf(ctx)),
      }),
    }),
    route({
      ...writing,
      path: '/v1/conferences/:conference_id/play',
      operationId: 'playToConference',
      summary: 'Play an announcement to a conference',
      summaryAr: 'تشغيل إعلان في مكالمة جماعية',
      description:
        'Plays a file from a URL, an uploaded file, or text as speech. All participants hear it except those on hold or waiting for the conference to start.',
      params: conferenceParams,
      body: playBody,
      responses: { 200: { schema: conferenceObject, description: 'Accepted' } },
      errors: [...ALWAYS, 'INVALID_PLAY_URL', 'CALL_FAILED'],
      handler: async (ctx) => ({
        status: 200,
        body: await control.play(ctx.params.conference_id, toAudioSource(ctx.body), ctx.body.loop, controllerOf(ctx)),
      }),
    }),
    route({
      ...writing,
      path: '/v1/conferences/:conference_id/play/stop',
      operationId: 'stopPlayingToConference',
      summary: 'Stop the announcements of a conference',
      summaryAr: 'إيقاف إعلانات مكالمة جماعية',
      description: 'Stops audio started by `play`.',
      params: conferenceParams,
      responses: { 200: { schema: conferenceObject, description: 'Accepted; a repeat does nothing' } },
      errors: ALWAYS,
      handler: async (ctx) => ({
        status: 200,
        body: await control.stopPlaying(ctx.params.conference_id, controllerOf(ctx)),
      }),
    }),
    route({
      ...writing,
      keyKind: 'live',
      path: '/v1/conferences/:conference_id/recording/start',
      operationId: 'startConferenceRecording',
      summary: 'Record a conference',
      summaryAr: 'تسجيل مكالمة جماعية',
      description:
        'Records the whole conference in one channel until `recording/stop`, the end of the conference or `max_seconds`. If the project announces recordings, all participants hear the announcement, as does every customer who joins later. `conference.recording_ready` is sent when the audio is available.',
      params: conferenceParams,
      body: recordingBody,
      responses: { 200: { schema: conferenceObject, description: 'The conference; a repeat does nothing' } },
      errors: [...ALWAYS, 'RECORDING_SERVICE_UNAVAILABLE'],
      handler: async (ctx) => {
        const { max_seconds: maxSeconds = null } = ctx.body;
        const started = await control.startRecording(ctx.params.conference_id, maxSeconds, controllerOf(ctx));
        return { status: 200, body: started };
      },
    }),
    route({
      ...writing,
      keyKind: 'live',
      path: '/v1/conferences/:conference_id/recording/stop',
      operationId: 'stopConferenceRecording',
      summary: 'Stop recording a conference',
      summaryAr: 'إيقاف تسجيل مكالمة جماعية',
      description: 'Ends the conference’s recording. A later start creates another recording.',
      params: conferenceParams,
      responses: { 200: { schema: conferenceObject, description: 'The conference; a repeat does nothing' } },
      errors: ALWAYS,
      handler: async (ctx) => ({
        status: 200,
        body: await control.stopRecording(ctx.params.conference_id, controllerOf(ctx)),
      }),
    }),
    ...(Object.keys(PARTICIPANT_ACTIONS) as ParticipantAction[]).map(onParticipant),
  ];
}
