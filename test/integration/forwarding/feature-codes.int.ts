import { expect } from 'chai';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { NO_FORWARDING, type CallForwarding } from '../../../core/model/call/forwarding.js';
import { boxRow } from '../../support/rows/voicemail-rows.js';
import { insertRows } from '../../support/rows/rows.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import type { CallControllerRig } from '../../support/stages/call-controller.js';

const MOBILE = '+966501234567';

describe('feature codes of a softphone', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  beforeEach(async () => {
    const { projectId, organizationId } = rig.ground;
    await rig.queues.agents.add({ id: projectId, organization_id: organizationId }, '1002');
    rig.directory.invalidate();
  });

  /** The agent 1001 dials a code. @returns what the phone hears, in Arabic and in English */
  async function dial(dialled: string): Promise<readonly string[]> {
    const before = rig.said.length;
    const source = { type: 'softphone', aor: `a${rig.ground.projectId}` } as const;
    const leg = rig.engine.callIn({ source, dialled, callerId: { number: null, name: null } });
    await rig.until(() => Promise.resolve(rig.look(leg) === null));
    expect(await rig.untilStatus(await rig.newest(), 'ended')).to.include({ kind: 'inbound', line_number: null });
    return rig.said.slice(before);
  }
  const english = async (dialled: string): Promise<string | undefined> => (await dial(dialled))[1];
  async function forwarding(): Promise<CallForwarding> {
    return (await new Agents(rig.db).findByExtension(rig.ground.projectId, '1001'))!.forwarding;
  }

  it('set and cancel each forward, and say so in both languages, with the number', async () => {
    expect(await dial('*21*0501234567#')).to.deep.equal([
      'تم تفعيل إعادة توجيه جميع المكالمات إلى الرقم صفر، خمسة، صفر. واحد، اثنان، ثلاثة. أربعة، خمسة، ستة، سبعة.',
      'All calls are forwarded to the number zero, five, zero. one, two, three. four, five, six, seven.',
    ]);
    expect(await english('*67*1002#')).to.equal(
      'When you are busy, calls are forwarded to extension one, zero, zero, two.',
    );
    expect(await english('*61*1002**15#')).to.match(/^When you do not answer, calls are forwarded to extension/);
    expect(await english('*62*1002')).to.match(/^When your phone is not connected, calls are forwarded/);
    const colleague = { type: 'agent', target: '1002' };
    expect(await forwarding()).to.deep.equal({
      do_not_disturb: false,
      always: { type: 'number', target: MOBILE },
      busy: colleague,
      no_answer: colleague,
      no_answer_seconds: 15,
      unregistered: colleague,
    });
    expect(await english('#21#')).to.equal('Calls ring your phone again.');
    expect(await english('#67#')).to.equal('Calls are no longer forwarded when you are busy.');
    expect(await forwarding()).to.deep.include({ always: null, busy: null, no_answer: colleague });
    expect(await english('##002#')).to.equal('Your calls are no longer forwarded.');
    expect(await forwarding()).to.deep.equal({ ...NO_FORWARDING, no_answer_seconds: 15 });
  });

  it('switch do-not-disturb on and off', async () => {
    expect(await dial('*78')).to.deep.equal(['تم تفعيل عدم الإزعاج.', 'Do not disturb is on.']);
    expect(await forwarding()).to.include({ do_not_disturb: true });
    expect(await dial('*79')).to.deep.equal(['تم إلغاء عدم الإزعاج.', 'Do not disturb is off.']);
    expect(await forwarding()).to.include({ do_not_disturb: false });
  });

  it('forward to the agent’s own voicemail', async () => {
    expect(await english('*61*0#')).to.equal('Calls cannot be forwarded to this destination.');
    const [number] = await rig.db.query<{ id: string }>('SELECT id FROM numbers WHERE e164 = $1', [rig.agentNumber]);
    await insertRows(rig.db, 'voicemail_boxes', [boxRow(rig.ground, number!.id)]);
    expect(await english('*61*0#')).to.equal('When you do not answer, calls are forwarded to voicemail.');
    expect(await forwarding()).to.deep.include({ no_answer: { type: 'voicemail', target: null } });
  });

  for (const [what, dialled, said] of [
    ['to an unknown destination', '*21*1009#', 'Calls cannot be forwarded to this destination.'],
    ['to oneself', '*21*1001#', 'Calls cannot be forwarded to this destination.'],
    ['to an emergency number', '*21*911#', 'Calls cannot be forwarded to this destination.'],
    ['after too long a time', '*61*1002**90#', 'Calls cannot be forwarded to this destination.'],
    [
      'to a number that the agent may not call',
      '*21*00442071838750#',
      'You may not forward calls to this destination.',
    ],
    ['by an unknown code', '*99', 'This code is not known.'],
    ['by a code with too little', '*21*#', 'This code is not known.'],
  ] as const) {
    it(`refuse aloud a forward ${what}, and change nothing`, async () => {
      expect(await english(dialled)).to.equal(said);
      expect(await forwarding()).to.deep.equal(NO_FORWARDING);
    });
  }

  it('are known to softphones only', async () => {
    rig.engine.callIn({ source: TRUNK_SOURCE, dialled: '*78', callerId: { number: MOBILE, name: null } });
    await rig.settle();
    expect(rig.refusals).to.deep.equal([{ refuse: 1, reason: 'unknown_number' }]);
    expect(await forwarding()).to.deep.equal(NO_FORWARDING);
  });

  it('are not carried out again by a process that takes the call over', async () => {
    const source = { type: 'softphone', aor: `a${rig.ground.projectId}` } as const;
    const leg = rig.engine.callIn({ source, dialled: '*78', callerId: { number: null, name: null } });
    await rig.until(() => Promise.resolve(rig.said.includes('Do not disturb is on.')));
    await rig.forwarding.manage.change(rig.ground.projectId, '1001', { do_not_disturb: false });
    await rig.restart();
    await rig.until(() => Promise.resolve(rig.look(leg) === null));
    expect(await forwarding()).to.include({ do_not_disturb: false });
  });
});
