import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { SandboxStage } from '../../support/stages/sandbox-stage.js';

const NO_CALLS = { waiting: 0, longest_wait: 0, offered: 0, answered: 0, abandoned: 0, overflowed: 0 };

describe('a sandbox key reads', function () {
  this.timeout(120_000);
  let stage: SandboxStage;
  let queueId: string;

  before(async () => {
    stage = await SandboxStage.open();
    await stage.live('POST', '/v1/agents', { agent: '1001', display_name: 'Reem Personal' });
    const overflow = { type: 'number', target: '+966501234517' };
    queueId = String((await stage.live('POST', '/v1/queues', { name: 'sales', overflow })).id);
    await stage.live('POST', '/v1/queues/agents/login', { agent: '1001', queue: 'sales' });
    await stage.live('POST', '/v1/queues/agents/pause', { agent: '1001', reason: 'personal errand' });
  });
  after(() => stage.close());

  it('queues without the numbers that they overflow to', async () => {
    const shown = { id: queueId, name: 'sales', music: null, overflow: { type: 'number', target: null } };
    expect(await stage.list(stage.sandboxKey, '/v1/queues')).to.have.lengthOf(1);
    expect(await stage.sandbox('GET', `/v1/queues/${queueId}`)).to.deep.include(shown);
    expect(await stage.live('GET', `/v1/queues/${queueId}`)).to.deep.include({
      overflow: { type: 'number', target: '+966501234517' },
    });
  });

  it('agents and members of queues without personal data', async () => {
    const shown = { agent: '1001', display_name: '1001', sip_username: null };
    const [listed] = await stage.list(stage.sandboxKey, '/v1/agents');
    const read = await stage.sandbox('GET', '/v1/agents/1001');
    const [member] = await stage.list(stage.sandboxKey, '/v1/queues/members');
    expect(listed).to.include(shown);
    expect(read).to.include(shown);
    expect(member).to.include({ agent: '1001', queue: 'sales', status: 'paused', pause_reason: null, calls_taken: 0 });
    expect(JSON.stringify([listed, read, member])).not.to.match(/[Pp]ersonal/);
    expect((await stage.live('GET', '/v1/agents/1001')).display_name).to.equal('Reem Personal');
  });

  it('who is signed in to a queue, but no live callers', async () => {
    const stats = await stage.sandbox('GET', `/v1/queues/${queueId}/stats`);
    expect(stats).to.deep.include({ ...NO_CALLS, pauses: [{ reason: null, agents: 1 }], service_level: null });
    expect((stats.agents as { paused: number }).paused).to.equal(1);
    expect(await stage.list(stage.sandboxKey, `/v1/queues/${queueId}/waiting`)).to.deep.equal([]);
    expect(await stage.code(stage.sandboxKey, 'GET', `/v1/queues/${newId()}/stats`)).to.equal('404 NOT_FOUND');
  });

  it('no statistics of an agent', async () => {
    const live = await stage.live('GET', '/v1/agents/1001/stats');
    expect(JSON.stringify(live.pauses)).to.include('personal errand');
    const stats = await stage.sandbox('GET', '/v1/agents/1001/stats');
    expect(stats).to.deep.include({ agent: '1001', offered: 0, signed_in_seconds: 0, paused_seconds: 0, pauses: [] });
    expect(await stage.code(stage.sandboxKey, 'GET', '/v1/agents/9999/stats')).to.equal('404 NOT_FOUND');
  });

  it('an account that costs nothing, whatever the live one owes', async () => {
    const event = { event_id: 'e-1', type: 'sms.segment', quantity: 3, unit_price_sar: 1 };
    await stage.live('POST', '/v1/usage/events', event);
    await stage.live('PUT', '/v1/billing/spend-caps', { day_sar: 7, month_sar: 70 });
    expect(await stage.live('GET', '/v1/billing')).to.deep.include({ spend_caps: { day_sar: 7, month_sar: 70 } });
    expect(await stage.sandbox('GET', '/v1/billing')).to.deep.equal({
      ...{ billing: 'postpaid', rate_plan: 'sandbox', pool_balance_sar: 0, balance_sar: 0, held_sar: 0 },
      ...{ spend_caps: { day_sar: null, month_sar: null }, spent_sar: { day: 0, month: 0 }, currency: 'SAR' },
    });
    expect(await stage.sandbox('GET', '/v1/billing/rate-plan')).to.deep.include({ rate_plan: 'sandbox', rates: [] });
    expect(await stage.list(stage.liveKey, '/v1/billing/ledger')).not.to.be.empty;
    const lists = ['/v1/billing/ledger', '/v1/billing/number-fees', '/v1/invoices', '/v1/credit-notes', '/v1/payments'];
    for (const path of lists) {
      expect(await stage.list(stage.sandboxKey, path), path).to.deep.equal([]);
    }
    expect(await stage.sandbox('GET', '/v1/usage')).to.deep.include({ period: null });
    for (const [path, code] of [
      [`/v1/invoices/${newId()}`, 'INVOICE_NOT_FOUND'],
      [`/v1/invoices/${newId()}/pdf`, 'INVOICE_NOT_FOUND'],
      [`/v1/credit-notes/${newId()}`, 'NOT_FOUND'],
      [`/v1/credit-notes/${newId()}/pdf`, 'NOT_FOUND'],
      [`/v1/payments/${newId()}`, 'PAYMENT_NOT_FOUND'],
    ] as const) {
      expect(await stage.code(stage.sandboxKey, 'GET', path)).to.equal(`404 ${code}`);
    }
  });
});
