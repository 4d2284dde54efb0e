import { z } from 'zod';
import { callObject } from '../../../core/model/objects/call.js';
import { HatifError } from '../../../core/model/errors/index.js';
import type { ReadCalls } from '../../../core/services/calls/read.js';
import { presentCall } from '../../../core/services/call-state/presenting/call.js';
import type { SimulateCaller } from '../../../core/services/calls/simulate-caller.js';
import { scopeOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { metadata, phoneNumber } from '../../http/schema/schemas.js';

export interface SandboxCallerRoutesServices {
  readonly callers: Pick<SimulateCaller, 'call'>;
  readonly read: Pick<ReadCalls, 'get' | 'placedBy'>;
}

const DEFAULT_CALLER = '+966500000001';

const body = z.strictObject({
  to: phoneNumber().describe('A number of your sandbox'),
  from: phoneNumber().default(DEFAULT_CALLER).describe('The number that the caller shows'),
  digits: z
    .string()
    .regex(/^[0-9*#w]{0,64}$/)
    .default('')
    .describe('Digits that the caller presses after the answer, one each half second; w waits half a second'),
  hang_up_after_seconds: z.int().min(1).max(600).default(30).describe('When the caller hangs up after the answer'),
  metadata: metadata.default({}),
});

export function sandboxCallerRoutes({ callers, read }: SandboxCallerRoutesServices): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/sandbox/calls',
      operationId: 'simulateIncomingCall',
      summary: 'Simulate an incoming call',
      summaryAr: 'محاكاة مكالمة واردة',
      description:
        'A simulated caller calls a number of your sandbox, and the call goes where the number is bound: to a flow, an agent, its voicemail box. The caller presses `digits` and hangs up, or gives up after a minute without an answer. Sandbox keys only.',
      tag: 'Calls',
      scope: 'calls:write',
      keyKind: 'any',
      body,
      auditFields: ['to', 'from'],
      responses: { 202: { schema: callObject, description: 'The call' } },
      errors: ['INVALID_PHONE_NUMBER', 'SANDBOX_EXPIRED', 'SANDBOX_MINUTES_EXCEEDED', 'CALL_FAILED'],
      recover: async ({ requestId, startedAt }, { caller }) => {
        const made = await read.placedBy(caller.projectId, caller.id, requestId, startedAt);
        return made && { status: 202, body: presentCall(made.call, made.legs) };
      },
      handler: async (ctx) => {
        const { caller, requestId } = ctx;
        if (!caller.sandbox) throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: SANDBOX_KEY });
        const { to, from, digits, hang_up_after_seconds: hangUpAfterSeconds, metadata: given } = ctx.body;
        const incoming = { to, from, digits, hangUpAfterSeconds, metadata: given };
        const callId = await callers.call(incoming, { projectId: caller.projectId, keyId: caller.id, requestId });
        return { status: 202, body: await read.get(scopeOf(ctx), callId) };
      },
    }),
  ];
}

const SANDBOX_KEY = { en: 'the sandbox (a sandbox key)', ar: 'البيئة التجريبية (مفتاح البيئة التجريبية)' };
