import type { CallObject } from '../../../core/model/objects/call.js';
import { expect } from 'chai';
import type { CallRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { newCallRow } from '../../../core/services/call-state/new-call-row.js';
import type { Answer, RequestOptions } from '../../support/api.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { insertRows } from '../../support/rows/rows.js';
import type { Tenant } from '../../support/platform/tenant.js';
import { withPlatform } from '../../support/platform/with-platform.js';
import { outcome } from '../../support/judges/outcome.js';

const CUSTOMER = '+966501234517';
const MASKED = '+96650••••17';

describe('calls read by the API', function () {
  this.timeout(30_000);
  let stage: TestPlatform;
  let other: Tenant;
  let tenant: Tenant;
  let engineId: string;
  const START = Date.parse('2026-11-01T00:00:00.000Z');
  const MINUTE_MS = 60_000;
  const [queueId, callflowId] = [newId(), newId()];

  /** Returns call number `index`, created `index` minutes after the start. */
  const row = (index: number, changes: Partial<CallRow>): CallRow => ({
    ...newCallRow({
      id: newId(),
      organization_id: tenant.organizationId,
      project_id: tenant.projectId,
      engine_id: engineId,
      sandbox: false,
      kind: 'outbound',
      direction: 'outbound',
      customer_number: CUSTOMER,
      line_number: null,
      caller_id_number: null,
      caller_id_name: null,
      metadata: { index: String(index) },
      webhook_url: null,
      program: { type: 'idle' },
      options: { ring_timeout_seconds: 45, max_duration_seconds: 60, record: false, send_digits: null },
      created_by_key: null,
      request_id: null,
      created_at: new Date(START + index * MINUTE_MS),
    }),
    status: 'ended',
    ...changes,
  });

  withPlatform(async (made) => {
    stage = made;
    [tenant, other] = [await stage.tenant(), await stage.tenant()];
    engineId = String((await stage.platform.stores.engines.list())[0]?.id);
    await insertRows(stage.platform.stores.db, 'calls', [
      row(0, { status: 'missed' }),
      row(1, { kind: 'inbound', direction: 'inbound' }),
      row(2, { queue_id: queueId, kind: 'callback' }),
      row(3, { callflow_id: callflowId, kind: 'inbound', direction: 'inbound' }),
      row(4, { status: 'failed' }),
      row(5, { sandbox: true, kind: 'callback' }),
      row(6, {}),
      ...[8, 9].map((index) =>
        row(index, { project_id: other.projectId, organization_id: other.organizationId, status: 'missed' }),
      ),
    ]);
  });

  const get = (path: string, options: RequestOptions = {}): Promise<Answer> => stage.request('GET', path, options);

  const list = (query: string, key = tenant.liveKey): Promise<Answer> => get(`/v1/calls${query}`, { key });
  const indexes = ({ body, text }: Answer): number[] => {
    expect(body, text).to.have.property('data');
    return (body?.data as CallObject[]).map(({ metadata }) => Number(metadata.index));
  };

  it('pages by cursor, newest first, unaffected by new calls', async () => {
    const first = await list('?limit=3');
    expect(first.body).to.include({ limit: 3 });
    expect(indexes(first)).to.deep.equal([6, 5, 4]);
    await insertRows(stage.platform.stores.db, 'calls', [row(7, { status: 'cancelled' })]);
    const second = await list(`?limit=3&cursor=${encodeURIComponent(String(first.body?.next_cursor))}`);
    expect(indexes(second)).to.deep.equal([3, 2, 1]);
    const third = await list(`?limit=3&cursor=${encodeURIComponent(String(second.body?.next_cursor))}`);
    expect(indexes(third)).to.deep.equal([0]);
    expect(third.body).to.have.property('next_cursor', null);
    expect(indexes(await list(''))).to.deep.equal([7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('pages by number, with the total count', async () => {
    const page = await list('?page=2&page_size=3');
    expect(page.body).to.include({ total_count: 8, page: 2, page_size: 3 });
    expect(indexes(page)).to.deep.equal([4, 3, 2]);
    expect(indexes(await list('?page_size=2'))).to.deep.equal([7, 6]);
    expect(indexes(await list('?page=99'))).to.deep.equal([]);
  });

  it('applies every filter, in both ways of paging', async () => {
    const at = (minutes: number): string => new Date(START + minutes * MINUTE_MS).toISOString();
    for (const [filter, expected] of [
      ['status=missed', [0]],
      ['status=ended', [6, 5, 3, 2, 1]],
      ['kind=callback', [5, 2]],
      ['kind=web', []],
      ['direction=inbound', [3, 1]],
      [`queue_id=${queueId}`, [2]],
      [`queue_id=${newId()}`, []],
      ['queue_id=nobody', []],
      [`callflow_id=${callflowId}`, [3]],
      [`from=${at(5)}`, [7, 6, 5]],
      [`to=${at(1)}`, [1, 0]],
      [`from=${at(2)}&to=${at(4)}`, [4, 3, 2]],
      // An offset with an unencoded plus.
      ['from=2026-11-01T03:06:00+03:00', [7, 6]],
      [`direction=inbound&from=${at(2)}`, [3]],
    ] as const) {
      expect(indexes(await list(`?${filter}`)), filter).to.deep.equal(expected);
      const page = await list(`?${filter}&page=1`);
      expect(indexes(page), filter).to.deep.equal(expected);
      expect(page.body?.total_count, filter).to.equal(expected.length);
    }
  });

  it('refuses invalid filters', async () => {
    const first = String((await list('?limit=1')).body?.next_cursor);
    const foreign = String((await list('?limit=1', other.liveKey)).body?.next_cursor);
    expect([first, foreign]).not.to.include('null');
    for (const query of [
      '?page=1&limit=5',
      `?page=1&cursor=${encodeURIComponent(first)}`,
      `?cursor=${encodeURIComponent(first.slice(0, -2))}`,
      `?cursor=${encodeURIComponent(foreign)}`,
      '?cursor=nonsense',
      '?limit=0',
      '?limit=101',
      '?page=0',
      '?page_size=101',
      '?from=2026-11-01T00:00:00',
      '?from=yesterday',
      '?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z',
      '?status=over',
      '?colour=red',
    ]) {
      expect(outcome(await list(query)), query).to.equal('400 VALIDATION_ERROR');
    }
  });

  it('shows sandbox keys only the sandbox, and no key other projects’ calls', async () => {
    expect(indexes(await list('', tenant.sandboxKey))).to.deep.equal([5]);
    const [latest] = (await list('?limit=1')).body?.data as CallObject[];
    const path = `/v1/calls/${String(latest?.call_id)}`;
    expect((await get(path, { key: tenant.liveKey })).body).to.deep.equal(latest);
    for (const key of [other.liveKey, other.sandboxKey, tenant.sandboxKey]) {
      for (const [method, target] of [
        ['GET', path],
        ['GET', `${path}/timeline`],
        ['POST', `${path}/hangup`],
      ] as const) {
        expect(outcome(await stage.request(method, target, { key })), target).to.equal('404 CALL_NOT_FOUND');
      }
      expect(indexes(await list('?status=cancelled', key))).to.deep.equal([]);
    }
    expect(outcome(await get('/v1/calls/nonsense'))).to.equal('404 CALL_NOT_FOUND');
    expect(outcome(await get(`/v1/calls/${newId()}`))).to.equal('404 CALL_NOT_FOUND');
  });

  it('masks the customer’s number everywhere', async () => {
    const { text, body } = await list('');
    expect(text).not.to.contain('01234517');
    for (const call of body?.data as CallObject[]) expect(call.customer_number_masked).to.equal(MASKED);
  });
});
