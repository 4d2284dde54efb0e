import { AsteriskHost } from '../../conformance/rigs/asterisk-host.js';
import type { Ends, TrunkTalkers } from '../../support/calls/trunk-talkers.js';
import { eventually } from '../../support/eventually.js';
import { describeDrachtio, DrachtioHost } from '../../support/platform/drachtio.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage, NAME } from '../../support/stages/freeswitch-stage.js';

const OTHER = 'other';

describeDrachtio('the SIP edge', () => {
  describeFreeswitch('before FreeSWITCH and Asterisk', () => {
    let edge: DrachtioHost;
    let stage: FreeswitchStage;
    let asterisk: AsteriskHost | undefined;
    let talkers: TrunkTalkers;

    before(async function () {
      this.timeout(180_000);
      edge = await DrachtioHost.start();
      stage = await FreeswitchStage.start(edge.settings);
      talkers = await stage.application.talkers(stage.carrierPort);
    });
    after(async () => {
      await stage.close();
      await asterisk?.stop();
      await edge.stop();
    });

    const number = (): string => stage.application.bootstrap.sip.agents[0]!.number;
    const called = async (): Promise<Ends> =>
      talkers.pickUp(await talkers.carrier.dial(`sip:${number()}@127.0.0.1:${edge.sipPort}`));
    const hangUp = async (ends: Ends): Promise<void> => {
      await talkers.carrier.hangup(ends.atCarrier);
      await talkers.closed(ends);
    };

    it('connects a call of the API with the phone, over FreeSWITCH', async () => {
      const { callId, ...ends } = await talkers.conversation();
      await talkers.agent.hangup(ends.atAgent);
      await talkers.closed(ends);
      await stage.application.becomes(callId, 'ended');
    });

    it('passes the call of a trunk on to FreeSWITCH, which rings the phone at the edge', async () => {
      await hangUp(await called());
    });

    it('lets the phone call a number, over FreeSWITCH', async () => {
      const { line_number: line } = stage.application.bootstrap;
      const id = await talkers.agent.dial(`sip:${line}@127.0.0.1:${edge.sipPort}`);
      await talkers.agent.waitFor('CALL_ESTABLISHED', { callId: id });
      await talkers.agent.hangup(id);
      await talkers.agent.closed(id);
      await eventually(async () => (await stage.leftInEngine()) === 0, 'FreeSWITCH has no leg left');
    });

    it('ends a call for which the phone hangs up while the application is killed', async () => {
      const ends = await called();
      await stage.application.kill();
      await talkers.keepTalking(ends);
      // The phone repeats its BYE until the relay of the next process passes it on.
      await talkers.agent.hangup(ends.atAgent);
      await stage.application.start();
      await talkers.closed(ends);
      await eventually(async () => (await stage.leftInEngine()) === 0, 'FreeSWITCH has no leg left');
    });

    it('passes calls on to the other engine as soon as this one takes no more', async () => {
      asterisk = await AsteriskHost.start({ from: 18_700, to: 18_798 });
      await stage.addAsterisk(OTHER, asterisk);
      await stage.command(['engines', 'drain', NAME]);
      // The edge learns of both within a second.
      await eventually(async () => {
        await hangUp(await called());
        const [latest] = await stage.database.db.query<{ name: string }>(
          `SELECT name FROM calls JOIN engines ON engines.id = engine_id ORDER BY calls.id DESC LIMIT 1`,
        );
        return latest?.name === OTHER;
      }, 'Asterisk has a call, and rings the phone');
    });
  });
});
