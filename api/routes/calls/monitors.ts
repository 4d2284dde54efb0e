import { z } from 'zod';
import { MONITOR_MODES } from '../../../core/model/call/monitoring.js';
import type { MonitorCall } from '../../../core/services/monitoring/monitor-call.js';
import { controllerOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { callParams } from '../../http/schema/schemas.js';
import { actionResult, LIVE_CALL_ERRORS } from './call-control.js';

/** The service checks that the agent exists. */
const agentInput = z.string().min(1).max(64);

const monitorBody = z.strictObject({
  agent: agentInput.describe('The supervisor, whose softphone is rung'),
  mode: z
    .enum(MONITOR_MODES)
    .default('listen')
    .describe('`listen`: nobody hears the supervisor; `whisper`: only the agent does; `barge`: everyone does'),
});
const stopBody = z
  .strictObject({ agent: agentInput.optional().describe('The supervisor; all supervisors if absent') })
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
        'Rings the supervisor’s softphone. After the answer, the supervisor hears both sides and stays with the agent through holds, transfers and conferences. ' +
        'A repeated request with another `mode` changes the mode immediately. The supervisor’s leg is not shown as a leg of the call, is reported by no webhook and is not charged. If the supervisor hangs up, only the monitoring ends; it also ends with the call.',
      body: monitorBody,
      responses: {
        200: { schema: actionResult, description: 'Accepted: the phone rings. Repeating the request has no effect' },
      },
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
      summary: 'Stop monitoring a call',
      summaryAr: 'إنهاء الإشراف على مكالمة',
      description: 'Hangs up the supervisor’s phone; the call continues.',
      body: stopBody,
      responses: { 200: { schema: actionResult, description: 'Accepted. Repeating the request has no effect' } },
      errors: LIVE_CALL_ERRORS.filter((code) => code !== 'AGENT_LEG_NOT_CONNECTED'),
      handler: async (ctx) => {
        const done = await monitor.stop(ctx.params.call_id, ctx.body.agent ?? null, controllerOf(ctx));
        return { status: 200, body: done };
      },
    }),
  ];
}
