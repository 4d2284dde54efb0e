import { expect } from 'chai';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { VoicemailBoxes } from '../../../core/data/repositories/voicemail/voicemail-boxes.js';
import type { CallRow } from '../../../core/data/rows.js';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import type { SavedProgram } from '../../../core/services/call-state/program.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { activeFlow } from '../../support/calls/flows.js';
import { bindLine, openQueue } from '../../support/calls/open-queue.js';

describe('callers that no agent answers', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  /** Puts a caller into a queue that overflows to the destination after half a minute. @returns the call */
  async function queuedCall(overflow: { type: string; target: string | null }): Promise<string> {
    await bindLine(rig, await openQueue(rig, { max_wait_seconds: 30, overflow }, false));
    rig.engine.callIn({ source: TRUNK_SOURCE, dialled: rig.line, callerId: { number: CUSTOMER, name: null } });
    await rig.settle();
    return rig.newest();
  }
  const find = async (callId: string): Promise<CallRow> => (await rig.calls.find(callId))!;
  const specOf = async (callId: string) => ((await find(callId)).program as SavedProgram).spec;
  const becomes = (callId: string, type: string) => rig.until(async () => (await specOf(callId)).type === type);

  async function box(enabled: boolean): Promise<string> {
    const { organizationId: organization_id, projectId: project_id } = rig.ground;
    const number = await new Numbers(rig.db).findByE164(rig.agentNumber);
    await new VoicemailBoxes(rig.db).put(
      { number_id: number!.id, organization_id, project_id },
      {
        enabled,
        greeting: null,
        max_seconds: 30,
        transcribe: false,
        notify_email: null,
        notify_audio: true,
        notify_message: null,
        pin_hash: null,
      },
      rig.clock.now(),
    );
    return number!.id;
  }

  it('go to the voicemail box of a number', async () => {
    const numberId = await box(true);
    const callId = await queuedCall({ type: 'voicemail', target: rig.agentNumber });
    expect((await find(callId)).status).to.equal('ringing');
    await becomes(callId, 'voicemail');
    expect(await specOf(callId)).to.deep.equal({ type: 'voicemail', numberId });
    await rig.untilStatus(callId, 'answered');
    expect((await rig.eventTypes(callId)).slice(2)).to.deep.equal(['queue.entered', 'queue.left', 'call.answered']);
  });

  it('end if the voicemail box is disabled', async () => {
    await box(false);
    const callId = await queuedCall({ type: 'voicemail', target: rig.agentNumber });
    await rig.untilStatus(callId, 'timeout');
    expect(await find(callId)).to.include({ disposition: 'queue_timeout' });
  });

  it('continue in the version of a call flow that is active when they overflow', async () => {
    const { organizationId, projectId } = rig.ground;
    const graph = graphDefinition.parse({
      start: 'say',
      nodes: { say: { type: 'say', text: 'Nobody is there', language: 'en', next: 'end' }, end: { type: 'hangup' } },
    });
    const flowId = await activeFlow(rig.db, { organizationId, projectId }, graph);
    const callId = await queuedCall({ type: 'callflow', target: flowId });
    await becomes(callId, 'callflow');
    expect(await specOf(callId)).to.deep.equal({ type: 'callflow', callflowId: flowId, version: 1 });
    await rig.untilStatus(callId, 'ended');
    expect(await find(callId)).to.include({ disposition: 'answered', queued_seconds: 30 });
  });

  it('do not overflow endlessly between full queues', async () => {
    const settings = { max_length: 1, max_wait_seconds: 600 };
    const first = await openQueue(rig, settings, false);
    const second = await openQueue(
      rig,
      { ...settings, name: 'second', dial_code: null, overflow: { type: 'queue', target: first } },
      false,
    );
    await rig.queues.queues.change(rig.ground.projectId, first, { overflow: { type: 'queue', target: second } });
    await bindLine(rig, first);
    const callers: string[] = [];
    for (let caller = 0; caller < 3; caller += 1) {
      rig.engine.callIn({ source: TRUNK_SOURCE, dialled: rig.line, callerId: { number: CUSTOMER, name: null } });
      await rig.settle();
      callers.push(await rig.newest());
    }
    await rig.untilStatus(callers[2]!, 'timeout');
    expect((await find(callers[1]!)).served_queue_id).to.equal(second);
    const left = (await rig.eventTypes(callers[2]!)).filter((type) => type === 'queue.left');
    expect(left).to.have.length(2);
  });

  it('end if the flow is no longer active', async () => {
    const { organizationId, projectId } = rig.ground;
    const graph = graphDefinition.parse({ start: 'end', nodes: { end: { type: 'hangup' } } });
    const flowId = await activeFlow(rig.db, { organizationId, projectId }, graph);
    const callId = await queuedCall({ type: 'callflow', target: flowId });
    await rig.db.query(`UPDATE callflows SET status = 'inactive' WHERE id = $1`, [flowId]);
    await rig.untilStatus(callId, 'timeout');
  });
});
