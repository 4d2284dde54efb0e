import { eventually } from '../eventually.js';
import type { TestPlatform } from '../platform/platform.js';
import { describeFreeswitch } from '../platform/freeswitch.js';
import { FreeswitchStage } from '../stages/freeswitch-stage.js';
import { AGENT, CARRIER, COLLEAGUE, type ForwardingStage } from './forwarding.js';

/** The phones on the platform's Asterisk. */
export async function forwardingOnAsterisk(platform: TestPlatform): Promise<ForwardingStage> {
  return {
    agent: await platform.softphone('1001', { source: { toneHz: AGENT.hz } }),
    colleague: await platform.softphone('1002', { source: { toneHz: COLLEAGUE.hz } }),
    carrier: await platform.carrier({ source: { toneHz: CARRIER.hz }, trace: true }),
    agentNumber: platform.agent('1001').number,
    request: (method, path, json) => platform.request(method, path, json ? { json } : {}),
    charges: async (callId) => (await platform.charges(callId)).map(({ number }) => number),
  };
}

/** A `describe` whose tests get the phones on a FreeSWITCH. */
export function describeForwardingOnFreeswitch(title: string, tests: (stage: () => ForwardingStage) => void): void {
  describeFreeswitch(title, () => {
    let freeswitch: FreeswitchStage;
    let stage: ForwardingStage;

    before(async function () {
      this.timeout(180_000);
      freeswitch = await FreeswitchStage.start();
      stage = await forwardingOnFreeswitch(freeswitch);
    });
    after(() => freeswitch.close());

    tests(() => stage);
  });
}

async function forwardingOnFreeswitch({
  application,
  carrierPort,
  database,
}: FreeswitchStage): Promise<ForwardingStage> {
  const isQuiet = async (callId: string): Promise<boolean> =>
    (await application.read(callId)).legs.every(({ status }) => status === 'ended');
  return {
    agent: await application.softphone(0, AGENT.hz),
    colleague: await application.softphone(1, COLLEAGUE.hz),
    carrier: await application.phone({
      ...{ user: 'carrier', sipPort: carrierPort, source: { toneHz: CARRIER.hz }, trace: true },
    }),
    agentNumber: application.bootstrap.sip.agents[0]!.number,
    request: (method, path, json) => application.request(method, path, json),
    async charges(callId) {
      await eventually(() => isQuiet(callId), `the end of all legs of ${callId}`);
      const sql = 'SELECT number FROM charges WHERE call_id = $1 ORDER BY id';
      return (await database.db.query<{ number: string }>(sql, [callId])).map(({ number }) => number);
    },
  };
}
