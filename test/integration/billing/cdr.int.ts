import { request } from 'node:http';
import { readdir, readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { cdrRoutes } from '../../../api/routes/calls/cdr.js';
import { listAuditRows } from '../../../core/data/repositories/accounts/audit.js';
import { Cdr } from '../../../core/data/repositories/calls/cdr.js';
import type { AuditRow } from '../../../core/data/rows.js';
import { CDR_COLUMNS } from '../../../core/model/cdr/record.js';
import { CdrExport } from '../../../core/services/cdr/export.js';
import { testApi, type TestApi } from '../../support/api.js';
import { billingEach, RATE, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { HatifCommand } from '../../support/command.js';
import { eventually } from '../../support/eventually.js';
import { routeProblems } from '../../support/judges/route-contract.js';
import { callRow, effectOf, legRow } from '../../support/rows/rows.js';

type Line = Readonly<Record<string, string>>;
const lines = (text: string): Line[] => parse<Line>(text, { columns: true, record_delimiter: '\r\n' });

const at = (text: string): Date => new Date(`2026-03-${text}+03:00`);

/** Counts the pages that are read from the real repository. */
class CountedCdr extends Cdr {
  pages = 0;
  override page(...args: Parameters<Cdr['page']>): ReturnType<Cdr['page']> {
    this.pages += 1;
    return super.page(...args);
  }
}

describe('Call detail records', function () {
  this.timeout(60_000);
  let stage: BillingStage;
  let api: TestApi;
  let key: string;
  let cdr: CountedCdr;
  let exports: CdrExport;
  billingEach((made) => (stage = made));
  beforeEach(async () => {
    cdr = new CountedCdr(stage.db);
    exports = new CdrExport(cdr);
    api = await testApi({ db: stage.db, routes: cdrRoutes({ exports }) });
    ({ key } = await api.key({ projectId: stage.ground.projectId }));
  });
  afterEach(() => api.close());

  const path = (from = '2026-03-01T00:00:00+03:00', to = '2026-03-31T23:59:59.999+03:00'): string =>
    `/v1/cdr?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`;
  const get = async (...period: string[]): Promise<Line[]> => {
    const answer = await api.request('GET', path(...period), { key });
    expect(answer.status, answer.text).to.equal(200);
    return lines(answer.text);
  };

  it('lists finished calls with their cost, oldest first', async () => {
    const plan = await stage.plan([RATE, { ...RATE, prefix: '1', perMinute: 912_345, incrementSeconds: 1 }]);
    const created_at = at('05T01:00:00.250');
    const answeredAt = new Date(created_at.getTime() + 5_000);
    const spoken = { answered_at: answeredAt, ended_at: new Date(answeredAt.getTime() + 61_000) };
    const call = await stage.finished(
      [
        { seconds: 61, answeredAt },
        { seconds: 10, number: '+14155550100', answeredAt },
      ],
      {
        created_at,
        ...spoken,
        agent: 'نورة, "المبيعات"',
        hangup_q850: 16,
        hangup_text: '=HYPERLINK("http://example.com")',
        disposition: 'answered',
      },
    );
    const early = await stage.finished([], { status: 'missed', created_at: at('04T12:00:00'), answered_at: null });
    await stage.rating.rateAll();
    const [first, second, ...others] = await get();
    expect(others).to.deep.equal([]);
    expect(first).to.include({ call_id: early.id, status: 'missed', price_sar: '', rate_plans: '', charged_legs: '0' });
    expect(second).to.deep.include({
      call_id: call.id,
      project_id: stage.ground.projectId,
      direction: 'outbound',
      kind: 'outbound',
      status: 'ended',
      disposition: 'answered',
      customer_number: '+96650••••17',
      line_number: '+966112345678',
      agent: 'نورة, "المبيعات"',
      created_at: '2026-03-04T22:00:00.250Z',
      created_at_riyadh: '2026-03-05T01:00:00.250+03:00',
      duration_seconds: '61',
      charged_legs: '2',
      billed_seconds: '130',
      price_sar: '0.392058',
      rate_plans: `${plan}:1`,
      hangup_q850: '16',
      hangup_text: `'=HYPERLINK("http://example.com")`,
    });
    expect(second!.rate_prefixes!.trim()).to.equal('1');
    expect(Object.keys(second!)).to.deep.equal(CDR_COLUMNS);
  });

  it('contains the worst quality of the legs', async () => {
    const call = callRow(stage.ground, { status: 'missed', created_at: at('05T12:00:00') });
    const quality = {
      codec: 'alaw',
      packetsSent: 1,
      packetsReceived: 1,
      packetsLost: 0,
      lossShare: 0,
      jitterMs: 1,
      roundTripMs: 1,
    };
    const legs = [4.2, 3.15, null].map((mos) => legRow(call.id, { status: 'ended', quality: { ...quality, mos } }));
    await stage.writer.commit(effectOf(call, { events: [], legs }));
    expect((await get()).map(({ mos }) => mos)).to.deep.equal(['3.15']);
  });

  it('omits calls in progress, of sandbox keys, of other projects and of other periods', async () => {
    const inTime = { created_at: at('05T12:00:00') };
    await stage.finished([], { ...inTime, status: 'answered', ended_at: null });
    await stage.finished([], { ...inTime, sandbox: true });
    const other = await api.key();
    const found = await api.request('GET', path(), { key: other.key });
    expect([found.status, lines(found.text)]).to.deep.equal([200, []]);
    const inclusive = await stage.finished([], { created_at: at('06T00:00:00.000') });
    await stage.finished([], { created_at: at('06T00:00:00.001') });
    const listed = await get('2026-03-05T00:00:00+03:00', '2026-03-06T00:00:00+03:00');
    expect(listed.map(({ call_id }) => call_id)).to.deep.equal([inclusive.id]);
  });

  it('rejects keys without the scope, sandbox keys, and invalid or too long periods', async () => {
    const { projectId } = stage.ground;
    for (const [answer, status, code] of [
      [await api.key({ projectId, scopes: ['calls:read', 'usage:read'] }), 403, 'INSUFFICIENT_PERMISSIONS'],
      [await api.key({ projectId, kind: 'sandbox' }), 403, 'SANDBOX_KEY_NOT_ALLOWED'],
    ] as const) {
      const { status: actual, body } = await api.request('GET', path(), { key: answer.key });
      expect([actual, body?.error_code]).to.deep.equal([status, code]);
    }
    for (const wrong of [
      '/v1/cdr',
      path('yesterday'),
      path('2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z'),
      path('2025-01-01T00:00:00Z'),
    ]) {
      const { status, body } = await api.request('GET', wrong, { key });
      expect([status, body?.error_code], wrong).to.deep.equal([400, 'VALIDATION_ERROR']);
    }
    expect((await api.request('GET', path())).status).to.equal(401);
  });

  it('conforms to the OpenAPI contract on every route', async () => {
    expect(await routeProblems(api, cdrRoutes({ exports }))).to.deep.equal([]);
  });

  describe('of many calls', () => {
    const CALLS = 30_500;
    beforeEach(async () => {
      const { organizationId, projectId, engineId } = stage.ground;
      await stage.db.query(
        `INSERT INTO calls (id, organization_id, project_id, engine_id, epoch, sandbox, kind, direction, status, customer_number, on_hold, muted,
           recording, recording_available, metadata, program, options, last_sequence, created_at, ended_at)
         SELECT uuid_v7(), $1, $2, $3, 1, false, 'outbound', 'outbound', 'missed', '+966501234517', false, false, false, false, '{}', '{}', '{}', 1,
           $4::timestamptz + n / 3 * interval '1 millisecond', $4::timestamptz + interval '1 hour'
         FROM generate_series(1, $5::int) AS n`,
        [organizationId, projectId, engineId, at('10T00:00:00'), CALLS],
      );
    });

    it('contains each call once, also calls of the same millisecond', async () => {
      const ids = (await get()).map(({ call_id }) => call_id);
      expect(ids).to.have.length(CALLS);
      expect(new Set(ids).size).to.equal(CALLS);
      expect(cdr.pages).to.equal(31);
    });

    it('reads a page only after the previous one was consumed, and stops when the reader leaves', async () => {
      const csv = exports.csv([stage.ground.projectId], { from: at('01T00:00:00'), before: at('31T00:00:00') });
      for (let taken = 1; taken <= 3; taken++) {
        await csv.next();
        expect(cdr.pages).to.equal(taken);
      }
      await csv.return();

      cdr.pages = 0;
      const asked = request(`${api.url}${path()}`, { headers: { authorization: `Bearer ${key}` } });
      asked.end();
      const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
      await once(answer, 'readable');
      asked.destroy();
      const isGone = (): boolean => api.log.some((line) => line.includes('"status":499'));
      await eventually(() => Promise.resolve(isGone()), 'the answer has ended');
      expect(cdr.pages).to.be.below(31);
    });
  });

  describe('hatif cdr export', () => {
    it('writes the same to a file, atomically, and to standard output', async () => {
      await stage.finished([], { created_at: at('05T00:00:00.000') });
      await stage.finished([], { created_at: at('06T23:59:59.999') });
      await stage.finished([], { created_at: at('07T00:00:00.000') });
      const command = await HatifCommand.over(stage.url);
      try {
        const file = join(command.dataDir, 'cdr.csv');
        const days = ['--project', stage.ground.projectId, '--from', '2026-03-05', '--to', '2026-03-06'];
        expect(await command.json('cdr', 'export', ...days, '--out', file)).to.include({ calls: 2, file });
        const expected = (
          await api.request('GET', path('2026-03-05T00:00:00+03:00', '2026-03-06T23:59:59.999+03:00'), { key })
        ).text;
        expect(await readFile(file, 'utf8')).to.equal(expected);
        expect((await command.run(['cdr', 'export', ...days])).stdout).to.equal(expected);
        expect((await readdir(command.dataDir)).filter((name) => name.startsWith('cdr'))).to.deep.equal(['cdr.csv']);

        const auditRows = (): Promise<AuditRow[]> => listAuditRows(stage.db, stage.ground.projectId, 10);
        const operators = async (): Promise<AuditRow[]> => (await auditRows()).filter(({ method }) => method === 'CLI');
        expect(await operators()).to.deep.equal([]);
        const unmasked = lines((await command.run(['cdr', 'export', ...days, '--unmasked'])).stdout);
        expect(unmasked.map((line) => [line.customer_number, line.customer_number_unmasked])).to.deep.equal(
          Array.from({ length: 2 }, () => ['+96650••••17', '+966501234517']),
        );
        const [audited, ...others] = await operators();
        expect(others).to.deep.equal([]);
        expect(audited).to.deep.include({
          organization_id: stage.ground.organizationId,
          route: 'hatif cdr export --unmasked',
          path: '/v1/cdr',
          key_id: null,
          details: { unmasked: true, from: '2026-03-04T21:00:00.000Z', before: '2026-03-06T21:00:00.000Z' },
        });

        const missing = await command.run(['cdr', 'export', ...days, '--out', join(command.dataDir, 'no', 'cdr.csv')]);
        expect([missing.code, missing.stderr]).to.satisfy(
          ([code, text]: [number, string]) => code === 1 && text.includes('cannot be written'),
        );
        for (const wrong of [
          ['--from', 'monday', '--to', '2026-03-06'],
          ['--from', '2026-03-07', '--to', '2026-03-06'],
        ])
          expect((await command.run(['cdr', 'export', '--project', stage.ground.projectId, ...wrong])).code).to.equal(
            2,
          );
      } finally {
        await command.close();
      }
    });
  });
});
