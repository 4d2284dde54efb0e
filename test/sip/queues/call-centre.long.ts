import { expect } from 'chai';
import { CallCentre } from '../../support/calls/call-centre.js';
import { judge } from '../../support/judges/call-centre-judge.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

const NUMBERS = { sales: '+966115550401', support: '+966115550402', vip: '+966115550403' } as const;

describe('a call centre', function () {
  this.timeout(240_000);
  let stage: TestPlatform;
  let centre: CallCentre;

  withPlatform(async (made) => {
    stage = made;
    const { management, stores, engine } = stage.platform;
    const project = (await stores.projects.list())[0]!;
    centre = new CallCentre(
      {
        db: stores.db,
        sip: stage.parts.sip,
        request: (method, path, json) => stage.request(method, path, json && { json }),
        trunk: async (name, port) => {
          await management.trunks.add({ name, uri: `sip:127.0.0.1:${port}`, isDefault: false });
        },
        bind: async (number, target) => {
          await management.numbers.add(project, number, { type: 'queue', target });
        },
        settled: async () => engine?.configurationChanged(),
      },
      4711,
    );
  });
  after(() => centre.close());

  it('with ten phones, three queues and fifty callers keeps every rule', async () => {
    const usual = { wrap_up_seconds: 1, unavailable_seconds: 1, ring_timeout_seconds: 5 };
    const strategies = { sales: 'longest_idle', support: 'round_robin', vip: 'ring_all' } as const;
    const limits = { sales: 40, support: 5, vip: 40 } as const;
    const sales = await centre.queue('sales', NUMBERS.sales, {
      ...{ ...usual, dial_code: '501', strategy: strategies.sales, max_wait_seconds: limits.sales },
    });
    await centre.queue('support', NUMBERS.support, {
      ...{ ...usual, dial_code: '502', strategy: strategies.support, max_wait_seconds: limits.support },
      overflow: { type: 'queue', target: sales },
    });
    await centre.queue('vip', NUMBERS.vip, {
      ...{ ...usual, dial_code: '503', strategy: strategies.vip, max_wait_seconds: limits.vip, max_length: 2 },
    });
    await centre.hire('3001', '3002', '3003', '3004', '3005', '3006', '3007', '3008', '3009', '3010');
    for (const agent of ['3001', '3002', '3003', '3004', '3005', '3006']) {
      await centre.code(agent, '*45501', 'sales', 'logged_in');
    }
    for (const agent of ['3009', '3010']) {
      await centre.code(agent, '*45503', 'vip', 'logged_in');
      await centre.code(agent, '*47', 'vip', 'paused');
    }
    centre.open();
    await centre.come([
      crowd('patient', '+966501000001', NUMBERS.sales, 20, 4, null),
      crowd('hasty', '+966501000002', NUMBERS.sales, 8, 2, 2_500),
      crowd('helpless', '+966501000003', NUMBERS.support, 10, 2, null),
      crowd('fleeing', '+966501000004', NUMBERS.support, 6, 3, 1_500),
      crowd('important', '+966501000005', NUMBERS.vip, 6, 6, null),
    ]);
    // Two callers wait for paused agents; the queue rejects later callers as full.
    await centre.ended('full', 4);
    for (const agent of ['3009', '3010']) await centre.code(agent, '*47', 'vip', 'logged_in');
    // No agent serves support until callers overflow.
    await centre.ended('max_wait', 2);
    for (const agent of ['3007', '3008']) await centre.code(agent, '*45502', 'support', 'logged_in');
    await centre.ended('answered', 10);
    await centre.code('3006', '*46501', 'sales', 'logged_out');
    await centre.ended('answered', 18);
    await centre.code('3006', '*45501', 'sales', 'logged_in');
    await centre.over();
    await judge(stage.platform.stores.db, centre, {
      sales: { maxWaitSeconds: limits.sales, overflow: null },
      support: { maxWaitSeconds: limits.support, overflow: 'sales' },
      vip: { maxWaitSeconds: limits.vip, overflow: null, ringsAll: true },
    });
    const outcomes = await stage.platform.stores.db.query<{ outcome: string; count: number }>(
      `SELECT outcome, count(*)::int AS count FROM queue_visits GROUP BY outcome`,
    );
    const counted = Object.fromEntries(outcomes.map(({ outcome, count }) => [outcome, count]));
    expect(counted).to.include({ full: 4 });
    expect(counted.abandoned).to.be.at.least(6);
    expect(counted.max_wait).to.be.at.least(2);
    expect(counted.answered).to.be.at.least(30);
  });
});

function crowd(
  name: string,
  caller: string,
  number: string,
  calls: number,
  callsPerSecond: number,
  patienceMs: number | null,
) {
  return { name, caller, number, calls, callsPerSecond, patienceMs };
}
