import { z } from 'zod';
import { idOutput } from '../../../core/model/objects/fields.js';
import { DTMF_PATTERN } from '../../../core/model/digits.js';
import type { ErrorCode } from '../../../core/model/errors/index.js';
import { flagOff, type FlagName } from '../../../core/model/flags.js';
import type { Caller } from '../../../core/services/access/caller.js';
import type { ControlAction, ControlCall } from '../../../core/services/calls/control.js';
import { audioMembers, oneAudioSource, toAudioSource } from '../../http/schema/audio-source.js';
import { controllerOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { callParams } from '../../http/schema/schemas.js';

export interface ControlRoutesServices {
  readonly control: ControlCall;
  /** Whether a feature is on for the key's organization. */
  readonly isOn: (flag: FlagName, caller: Caller) => boolean;
}

export const actionResult = z
  .strictObject({ call_id: idOutput, action: z.string(), status: z.literal('accepted'), request_id: z.string() })
  .meta({ id: 'CallActionResult' });

const leg = z
  .enum(['customer', 'agent'])
  .default('customer')
  .describe('The leg to control; `agent` needs the flag agent_leg_control');
const legBody = z.strictObject({ leg }).default({ leg: 'customer' });
const dtmfBody = z.strictObject({ digits: z.string().regex(DTMF_PATTERN), leg });
const playBody = z
  .strictObject({ ...audioMembers, leg, loop: z.int().min(1).max(10).default(1) })
  .superRefine(oneAudioSource);

const recordingBody = z
  .strictObject({
    leg,
    channels: z
      .union([z.literal(1), z.literal(2)])
      .default(2)
      .describe('2: audio from the leg’s phone on the first channel, audio to it on the second; 1: both mixed'),
    max_seconds: z
      .int()
      .min(1)
      .max(14_400)
      .optional()
      .describe('Maximum duration; defaults to the duration of the call'),
    transcribe: z.boolean().default(false).describe('Transcribe the recording after the call'),
  })
  .default({ leg: 'customer', channels: 2, transcribe: false });

/**
 * Errors of commands to a live call: it has ended, belongs to another project, has no owner process, its engine refused the command, or it
 * has no agent.
 */
export const LIVE_CALL_ERRORS: readonly ErrorCode[] = [
  'CALL_NOT_FOUND',
  'CALL_NOT_ACTIVE',
  'CALL_NOT_CONTROLLABLE',
  'CALL_CONTROL_FAILED',
  'AGENT_LEG_NOT_CONNECTED',
];

const ACCEPTED = 'Accepted means that the engine accepted the command; events report the outcome.';

export function controlRoutes({ control, isOn }: ControlRoutesServices): Route[] {
  /** One action: its path, its body, and what the body means. */
  const action = <B extends z.ZodType<{ leg: 'customer' | 'agent' }>>(definition: {
    readonly path: string;
    readonly operationId: string;
    readonly summary: string;
    readonly summaryAr: string;
    readonly description: string;
    readonly body: B;
    readonly errors?: readonly ErrorCode[];
    readonly keyKind?: 'any' | 'live';
    readonly wanted: (body: z.output<B>) => ControlAction;
  }): Route => {
    const { path, body, description, errors = [], keyKind = 'any', wanted, ...names } = definition;
    return route({
      ...names,
      method: 'POST',
      path: `/v1/calls/:call_id/${path}`,
      description: `${description} ${ACCEPTED}`,
      tag: 'Call control',
      scope: 'calls:write',
      ownRows: true,
      keyKind,
      flag: 'in_call_control',
      params: callParams,
      body,
      responses: { 200: { schema: actionResult, description: 'Accepted. Repeating the request has no effect' } },
      errors: [...LIVE_CALL_ERRORS, 'CALL_NOT_ANSWERED', ...errors],
      handler: async (ctx) => {
        const { params, body: given, caller } = ctx;
        if (given.leg === 'agent' && !isOn('agent_leg_control', caller)) throw flagOff('agent_leg_control', path);
        const done = await control.control(params.call_id, given.leg, wanted(given), controllerOf(ctx));
        return { status: 200, body: done };
      },
    });
  };
  return [
    action({
      path: 'hangup',
      operationId: 'hangupCall',
      summary: 'Hang up a call',
      summaryAr: 'إنهاء مكالمة',
      description: 'Also allowed before the answer; the call is then `cancelled`.',
      body: legBody,
      wanted: () => ({ action: 'hangup' }),
    }),
    action({
      path: 'hold',
      operationId: 'holdCall',
      summary: 'Put a leg on hold',
      summaryAr: 'تعليق طرف في المكالمة',
      description: 'The leg hears music; neither side hears the other.',
      body: legBody,
      errors: ['TRANSFER_IN_PROGRESS'],
      wanted: () => ({ action: 'hold' }),
    }),
    action({
      path: 'unhold',
      operationId: 'unholdCall',
      summary: 'Take a leg off hold',
      summaryAr: 'استئناف طرف معلّق في المكالمة',
      description: 'Reconnects the leg to the call.',
      body: legBody,
      errors: ['TRANSFER_IN_PROGRESS'],
      wanted: () => ({ action: 'unhold' }),
    }),
    action({
      path: 'mute',
      operationId: 'muteCall',
      summary: 'Mute a leg',
      summaryAr: 'كتم صوت طرف في المكالمة',
      description: 'The others do not hear the leg’s phone; the leg still hears them.',
      body: legBody,
      wanted: () => ({ action: 'mute' }),
    }),
    action({
      path: 'unmute',
      operationId: 'unmuteCall',
      summary: 'Unmute a leg',
      summaryAr: 'إلغاء كتم صوت طرف في المكالمة',
      description: 'The others hear the leg’s phone again.',
      body: legBody,
      wanted: () => ({ action: 'unmute' }),
    }),
    action({
      path: 'dtmf',
      operationId: 'sendDtmf',
      summary: 'Send DTMF digits',
      summaryAr: 'إرسال نغمات DTMF إلى المكالمة',
      description:
        'Sends the digits as RFC 4733 events, for example to navigate a remote menu. The digits are not stored.',
      body: dtmfBody,
      errors: ['CALL_CONTROL_UNSUPPORTED'],
      wanted: ({ digits }) => ({ action: 'dtmf', digits }),
    }),
    action({
      path: 'play',
      operationId: 'playIntoCall',
      summary: 'Play audio to a leg',
      summaryAr: 'تشغيل صوت لطرف في المكالمة',
      description: 'Plays a file from a URL, an uploaded file, or text as speech. The other leg does not hear it.',
      body: playBody,
      errors: ['INVALID_PLAY_URL', 'CALL_FAILED'],
      wanted: (body) => ({ action: 'play', source: toAudioSource(body), loop: body.loop }),
    }),
    action({
      path: 'play/stop',
      operationId: 'stopPlaying',
      summary: 'Stop playing audio to a leg',
      summaryAr: 'إيقاف الصوت المشغّل لطرف في المكالمة',
      description: 'Stops audio started by `play`; the call’s own prompts continue.',
      body: legBody,
      wanted: () => ({ action: 'play_stop' }),
    }),
    action({
      path: 'recording/start',
      operationId: 'startRecording',
      summary: 'Record a leg',
      summaryAr: 'تسجيل طرف في المكالمة',
      description:
        'Records until `recording/stop`, the end of the leg or `max_seconds`. If the project announces recordings, the customer hears the announcement first. `call.recording_ready` is sent when the audio is available.',
      keyKind: 'live',
      body: recordingBody,
      errors: ['RECORDING_SERVICE_UNAVAILABLE'],
      wanted: ({ channels, max_seconds: maxSeconds = null, transcribe }) => ({
        action: 'recording_start',
        channels,
        maxSeconds,
        transcribe,
      }),
    }),
    action({
      path: 'recording/stop',
      operationId: 'stopRecording',
      summary: 'Stop recording a leg',
      summaryAr: 'إيقاف تسجيل طرف في المكالمة',
      description: 'Ends the leg’s recording. A later start creates another recording.',
      keyKind: 'live',
      body: legBody,
      wanted: () => ({ action: 'recording_stop' }),
    }),
    action({
      path: 'recording/pause',
      operationId: 'pauseRecording',
      summary: 'Pause the recording of a leg',
      summaryAr: 'إيقاف تسجيل طرف في المكالمة مؤقتًا',
      description: 'The recording contains silence for the pause, so its timing matches the call.',
      keyKind: 'live',
      body: legBody,
      wanted: () => ({ action: 'recording_pause' }),
    }),
    action({
      path: 'recording/resume',
      operationId: 'resumeRecording',
      summary: 'Resume the recording of a leg',
      summaryAr: 'استئناف تسجيل طرف في المكالمة',
      description: 'Resumes a paused recording.',
      keyKind: 'live',
      body: legBody,
      wanted: () => ({ action: 'recording_resume' }),
    }),
  ];
}
