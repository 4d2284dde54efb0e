import { CallCentre } from '../../support/calls/call-centre.js';
import { judge } from '../../support/judges/call-centre-judge.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';

const NUMBERS = { sales: '+966115550501', support: '+966115550502' } as const;

describeFreeswitch('a call centre on FreeSWITCH', () => {
  let stage: FreeswitchStage;
  let centre: CallCentre;

  before(async function () {
    this.timeout(180_000);
    stage = await FreeswitchStage.start();
    centre = new CallCentre(
      {
        db: stage.database.db,
        sip: stage.application.bootstrap.sip,
        request: (method, path, json) => stage.application.request(method, path, json),
        trunk: async (name, port) => {
          await stage.command(['trunks', 'add', name, `sip:127.0.0.1:${port}`]);
        },
        bind: async (number, queue) => {
          await stage.command(['numbers', 'add', number, '--bind', `queue:${queue}`]);
        },
        // FreeSWITCH requests accounts when a phone registers; trunks arrive when the table is read.
        settled: () => Promise.resolve(),
      },
      4712,
    );
  });
  after(async () => {
    await centre.close();
    await stage.close();
  });

  it('with four phones, two queues and twelve callers keeps every rule', async function () {
    this.timeout(240_000);
    const usual = { wrap_up_seconds: 1, unavailable_seconds: 1, ring_timeout_seconds: 5 };
    const sales = await centre.queue('sales', NUMBERS.sales, { ...usual, dial_code: '501', max_wait_seconds: 40 });
    await centre.queue('support', NUMBERS.support, {
      ...{ ...usual, dial_code: '502', strategy: 'fewest_calls', max_wait_seconds: 5 },
      overflow: { type: 'queue', target: sales },
    });
    await centre.hire('3001', '3002', '3003', '3004');
    for (const agent of ['3001', '3002', '3003']) await centre.code(agent, '*45501', 'sales', 'logged_in');
    centre.open();
    const crowd = { callsPerSecond: 2, patienceMs: null } as const;
    await centre.come([
      { ...crowd, name: 'patient', caller: '+966501000011', number: NUMBERS.sales, calls: 6 },
      { ...crowd, name: 'helpless', caller: '+966501000012', number: NUMBERS.support, calls: 4 },
      { ...crowd, name: 'fleeing', caller: '+966501000013', number: NUMBERS.support, calls: 2, patienceMs: 1_500 },
    ]);
    await centre.ended('max_wait', 1);
    await centre.code('3004', '*45502', 'support', 'logged_in');
    await centre.over();
    await judge(stage.database.db, centre, {
      sales: { maxWaitSeconds: 40, overflow: null },
      support: { maxWaitSeconds: 5, overflow: 'sales' },
    });
  });
});
