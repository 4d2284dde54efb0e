import { CallCentre, type Crowd } from '../../support/calls/call-centre.js';
import { judge } from '../../support/judges/call-centre-judge.js';
import { eventually } from '../../support/eventually.js';
import { FIRST, PoolStage, SECOND, type Application } from '../../support/stages/pool-stage.js';

const SALES = '+966115550601';
/** The default trunk, and the link of each engine to the other's softphones. */
const TRUNKS = 2;

describe('a queue of two processes with an engine each', function () {
  this.timeout(240_000);
  let stage: PoolStage;
  let one: Application;
  let other: Application;
  let centre: CallCentre;
  let trunks = TRUNKS;

  before(async () => {
    stage = await PoolStage.start();
    one = await stage.application();
    await stage.addSecond();
    await stage.ownedBy(one);
    other = await stage.application();
    await stage.shared();
    centre = new CallCentre(
      {
        db: stage.db,
        sip: sipOf(FIRST),
        request: (method, path, json) => stage.request(one, method, path, json),
        trunk: async (name, port) => {
          await stage.command(['trunks', 'add', name, `sip:127.0.0.1:${port}`]);
          trunks += 1;
        },
        bind: async (number, queue) => {
          await stage.command(['numbers', 'add', number, '--bind', `queue:${queue}`]);
        },
        settled: () => stage.trunksKnown(trunks),
      },
      4713,
    );
    const usual = { wrap_up_seconds: 0, unavailable_seconds: 1, ring_timeout_seconds: 5, max_wait_seconds: 90 };
    await centre.queue('sales', SALES, { ...usual, dial_code: '501' });
    await centre.hire('3001', '3002', '3003');
  });
  after(async () => {
    await centre.close();
    await stage.close();
  });

  function sipOf(name: typeof FIRST | typeof SECOND) {
    return { host: '127.0.0.1', port: stage.host(name).sipPort };
  }

  const crowdAt = (name: typeof FIRST | typeof SECOND, caller: string): Crowd => ({
    ...{ name, caller, number: SALES, calls: 6, callsPerSecond: 3, patienceMs: null, at: sipOf(name) },
  });

  it('loses no waiting caller and rings no agent for two callers when a process is killed', async () => {
    await centre.come([crowdAt(FIRST, '+966501000021'), crowdAt(SECOND, '+966501000022')]);
    const waiting = async (): Promise<number> =>
      ((await centre.good('GET', `/v1/queues/${centre.queueId('sales')}/waiting`)).data as unknown[]).length;
    await eventually(async () => (await waiting()) === 12, 'twelve callers wait on both engines');
    centre.open();
    for (const agent of ['3001', '3002', '3003']) {
      await centre.good('POST', '/v1/queues/agents/login', { agent, queue: 'sales' });
    }
    await centre.ended('answered', 3);
    other.process.signal('SIGKILL');
    await centre.over();
    await judge(stage.db, centre, { sales: { maxWaitSeconds: 90, overflow: null } });
  });
});
