import { expect } from 'chai';
import { VirtualNumbers } from '../../../core/data/repositories/numbers/virtual-numbers.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import type { Instructions } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

const TEXT = 'You have reached Reem, who is out at the moment.';

describe('the program of virtual numbers', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  /** Makes the rig's line a virtual number with these instructions. */
  async function callIn(instructions: Partial<Instructions>, audioPath: string | null = null): Promise<void> {
    const { db } = rig;
    const numbers = new Numbers(db);
    const line = await numbers.findByE164(rig.line);
    const id = newId();
    await new VirtualNumbers(db).insert(
      {
        id,
        organization_id: rig.ground.organizationId,
        project_id: rig.ground.projectId,
        number_id: String(line?.id),
        e164: rig.line,
        status: 'assigned',
        external_user_id: id,
        display_name: null,
        contact_id: null,
        instructions: { text: null, audio_url: null, language: null, forward_to: null, ...instructions },
        audio_id: null,
        audio_path: audioPath,
        assigned_at: new Date(),
        released_at: null,
      },
      db,
    );
    await numbers.setBinding(String(line?.id), { type: 'virtual_number', target: id });
    rig.engine.callIn({
      source: TRUNK_SOURCE,
      dialled: rig.line,
      callerId: { number: CUSTOMER, name: null },
    });
    await rig.settle();
  }

  it('speaks the text again after a restart of the process, and then continues', async () => {
    await callIn({ text: TEXT, language: 'en', forward_to: rig.agentNumber });
    const callId = await rig.newest();
    await rig.untilStatus(callId, 'answered');
    expect(rig.said).to.deep.equal([TEXT]);
    await rig.restart();
    await rig.until(() => Promise.resolve(rig.said.length === 2));
    await rig.until(async () => (await rig.legs(callId)).length === 2);
    expect(rig.said).to.deep.equal([TEXT, TEXT]);
  });

  it('continues without audio that cannot be played', async () => {
    await callIn({ audio_url: 'https://example.com/a.wav' }, '/nowhere/at-all');
    const callId = await rig.newest();
    const ended = await rig.untilStatus(callId, 'ended');
    expect(ended).to.include({ disposition: 'answered' });
  });
});
