import { z } from 'zod';
import { MONITOR_MODES } from '../../../core/model/call/monitoring.js';
import type { MonitorCall } from '../../../core/services/monitoring/monitor-call.js';
import { controllerOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { callParams } from '../../http/schema/schemas.js';
import { actionResult, LIVE_CALL_ERRORS } from './call-control.js';

/** Whether there is such an agent is the service's question. */
const agentInput = z.string().min(1).max(64);

const monitorBody = z.strictObject({
  agent: agentInput.describe('Whose softphone is rung: the supervisor’s'),
  mode: z
    .enum(MONITOR_MODES)
    .default('listen')
    .describe('`listen`: nobody hears the supervisor; `whisper`: only the agent does; `barge`: all do'),
});
const stopBody = z
  .strictObject({ agent: agentInput.optional().describe('One supervisor; all of them when absent') })
  .default({});

/** Supervisors listen to live calls. */
export function monitorRoutes({ monitor }: { readonly monitor: MonitorCall }): Route[] {
  const shared = {
    method: 'POST',
    tag: 'Call control',
    scope: 'calls:write',
    keyKind: 'live',
    flag: 'in_call_control',
    params: callParams,
    auditFields: ['agent', 'mode'],
  } as const;
  return [
    route({
      ...shared,
      path: '/v1/calls/:call_id/monitor',
      operationId: 'monitorCall',
      summary: 'Listen to a call, whisper to its agent, or join it',
      summaryAr: 'الاستماع إلى مكالمة أو الهمس للموظف أو الانضمام إليها',
      description:
        'Rings the supervisor’s softphone; when it is answered the supervisor hears both sides, and goes with the agent through holds, transfers and conferences. ' +
        'Again with another `mode` changes it at once. The supervisor is no leg of the call as it is shown, is told by no webhook and charged to nobody; hanging up ends nothing but the listening, and the call’s end ends that, too.',
      body: monitorBody,
      responses: { 200: { schema: actionResult, description: 'Accepted: the phone rings; a repeat does nothing' } },
      errors: [...LIVE_CALL_ERRORS, 'CALL_NOT_ANSWERED'],
      handler: async (ctx) => {
        const { agent, mode } = ctx.body;
        return { status: 200, body: await monitor.start(ctx.params.call_id, agent, mode, controllerOf(ctx)) };
      },
    }),
    route({
      ...shared,
      path: '/v1/calls/:call_id/monitor/stop',
      operationId: 'stopMonitoring',
      summary: 'Let a supervisor go',
      summaryAr: 'إنهاء الإشراف على مكالمة',
      description: 'The supervisor’s phone is hung up; the call goes on.',
      body: stopBody,
      responses: { 200: { schema: actionResult, description: 'Accepted; a repeat does nothing' } },
      errors: LIVE_CALL_ERRORS.filter((code) => code !== 'AGENT_LEG_NOT_CONNECTED'),
      handler: async (ctx) => {
        const done = await monitor.stop(ctx.params.call_id, ctx.body.agent ?? null, controllerOf(ctx));
        return { status: 200, body: done };
      },
    }),
  ];
}
