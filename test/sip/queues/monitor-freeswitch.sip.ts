import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { tonesHeard } from '../../support/judges/hearing.js';
import type { Baresip } from '../../support/phones/index.js';
import { AGENT_HZ, CARRIER_HZ, type TrunkTalkers } from '../../support/calls/trunk-talkers.js';

const SUPERVISOR_HZ = 1_200;
const TONES = [CARRIER_HZ, AGENT_HZ, SUPERVISOR_HZ];

describeFreeswitch('a supervisor on FreeSWITCH', () => {
  let stage: FreeswitchStage;
  let talkers: TrunkTalkers;
  let supervisor: Baresip;

  before(async function () {
    this.timeout(180_000);
    stage = await FreeswitchStage.start();
    talkers = await stage.application.talkers(stage.carrierPort);
    supervisor = await stage.application.softphone(1, SUPERVISOR_HZ);
  });
  after(() => stage.close());

  it('listens, whispers and barges in, even after a crash of the application, and ends with the call', async function () {
    this.timeout(120_000);
    const { application } = stage;
    const { callId, atCarrier, atAgent } = await talkers.conversation();
    const post = async (path: string, json: object): Promise<void> => {
      const answer = await application.request('POST', `/v1/calls/${callId}/${path}`, json);
      expect(answer.status, answer.text).to.equal(200);
    };
    await post('monitor', { agent: '1002', mode: 'listen' });
    const atSupervisor = await supervisor.incoming();
    await supervisor.answer(atSupervisor);
    const reached = (times: number): Promise<true> =>
      eventually(async () => {
        const modes = (await application.timeline(callId)).filter(({ type }) => type === 'monitor.mode');
        return modes.length === times;
      }, `the mode was set ${times} times`);
    const heard = () =>
      Promise.all([
        tonesHeard(talkers.carrier, TONES, atCarrier),
        tonesHeard(talkers.agent, TONES, atAgent),
        tonesHeard(supervisor, TONES, atSupervisor),
      ]);
    const both = [CARRIER_HZ, AGENT_HZ];
    const whispering = [[AGENT_HZ], [CARRIER_HZ, SUPERVISOR_HZ], both];
    await reached(1);
    expect(await heard()).to.deep.equal([[AGENT_HZ], [CARRIER_HZ], both]);
    await post('monitor', { agent: '1002', mode: 'whisper' });
    await reached(2);
    expect(await heard()).to.deep.equal(whispering);
    await application.kill();
    expect(await heard(), 'while no application runs').to.deep.equal(whispering);
    await application.start();
    await application.adopted(callId);
    await reached(3);
    expect(await heard()).to.deep.equal(whispering);
    await post('monitor', { agent: '1002', mode: 'barge' });
    await reached(4);
    expect(await heard()).to.deep.equal([[AGENT_HZ, SUPERVISOR_HZ], [CARRIER_HZ, SUPERVISOR_HZ], both]);
    await talkers.carrier.hangup(atCarrier);
    await supervisor.closed(atSupervisor);
    expect((await application.becomes(callId, 'ended')).legs.map(({ leg }) => leg)).to.deep.equal([
      'customer',
      'agent',
    ]);
    await eventually(async () => (await stage.leftInEngine()) === 0, 'no leg is left');
  });
});
