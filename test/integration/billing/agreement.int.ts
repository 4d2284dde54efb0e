import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { PdfInvoices } from '../../../adapters/documents/invoice-pdf.js';
import { billingRoutes } from '../../../api/routes/billing/billing.js';
import { invoiceRoutes } from '../../../api/routes/billing/invoices.js';
import { usageRoutes } from '../../../api/routes/billing/usage.js';
import { cdrRoutes } from '../../../api/routes/calls/cdr.js';
import { Invoices } from '../../../core/data/repositories/billing/invoices.js';
import { Usage } from '../../../core/data/repositories/billing/usage.js';
import { Cdr } from '../../../core/data/repositories/calls/cdr.js';
import type { CallRow } from '../../../core/data/rows.js';
import { newOrganizationRow } from '../../../core/services/accounts/new-account.js';
import { newId } from '../../../core/model/ids.js';
import { presentCall } from '../../../core/services/call-state/presenting/call.js';
import { CdrExport } from '../../../core/services/cdr/export.js';
import { ReadInvoices } from '../../../core/services/invoices/reading.js';
import { ReadUsage } from '../../../core/services/usage/read.js';
import { testApi, type TestApi } from '../../support/api.js';
import { insertRows, projectRow } from '../../support/rows/rows.js';
import { BillingStage, billingEach, RATE, type FinishedLeg } from '../../support/stages/billing/billing-stage.js';
import { issuerOn, riyadh } from '../../support/stages/billing/invoice-stage.js';

const MONTH = '2026-08';
const PERIOD = `from=${encodeURIComponent(`${MONTH}-01T00:00:00+03:00`)}&to=${encodeURIComponent(`${MONTH}-31T23:59:59.999+03:00`)}`;
const PLAN = [
  { ...RATE, perMinute: 123_457, incrementSeconds: 7 },
  { ...RATE, prefix: '1415', perMinute: 912_345, incrementSeconds: 1, minimumSeconds: 30 },
  { ...RATE, direction: 'inbound', perMinute: 0 },
  { ...RATE, direction: 'inbound', kind: 'web', perMinute: 33_333 },
] as const;

/** What one place says about the calls of the month. */
interface Figures {
  readonly seconds?: number;
  readonly billedSeconds?: number;
  /** Millionths of a riyal, or halalas where the place rounds. */
  readonly cost: number;
}

describe('Minutes and cost of the same calls', function () {
  this.timeout(60_000);
  let stage: BillingStage;
  let api: TestApi;
  let key: string;
  billingEach((made) => (stage = made));
  beforeEach(async () => {
    const { db, billing } = stage;
    const routes = [
      ...usageRoutes({ read: new ReadUsage(new Usage(db)) }),
      ...cdrRoutes({ exports: new CdrExport(new Cdr(db)) }),
      ...billingRoutes(billing),
      ...invoiceRoutes({ invoices: new ReadInvoices(new Invoices(db), new PdfInvoices()) }),
    ];
    api = await testApi({ db, routes });
    ({ key } = await api.key({ projectId: stage.ground.projectId }));
  });
  afterEach(() => api.close());

  const get = async <T>(path: string): Promise<T> => {
    const answer = await api.request('GET', path, { key });
    expect(answer.status, answer.text).to.equal(200);
    return answer.body as T;
  };

  /** A call that was created a second before its answer, and ended after its first leg. */
  const talked = (at: Date, seconds: number, more: readonly FinishedLeg[] = [], changes: Partial<CallRow> = {}) =>
    stage.finished([{ seconds, answeredAt: at }, ...more], {
      created_at: new Date(at.getTime() - 1_000),
      answered_at: at,
      ended_at: new Date(at.getTime() + Math.round(seconds * 1_000)),
      ...changes,
    });

  /** Calls of every sort, some of them at the edges of the month. */
  async function calls(): Promise<CallRow[]> {
    const noon = riyadh(`${MONTH}-10T12:00:00`);
    return [
      await talked(noon, 61),
      await talked(noon, 30.5, [{ seconds: 10, number: '+14155550100', answeredAt: noon }]),
      // Created in the month and answered after it.
      await talked(riyadh('2026-09-01T00:00:00.500'), 45),
      // Created before the month and answered in it.
      await talked(riyadh(`${MONTH}-01T00:00:00.500`), 80),
      await talked(noon, 120, [], { direction: 'inbound', kind: 'inbound' }),
      await talked(noon, 33, [], { direction: 'inbound', kind: 'web' }),
      // An agent's outside telephone answered, the customer did not.
      await talked(noon, 12, [], { status: 'missed', answered_at: null }),
      await talked(noon, 500, [], { sandbox: true }),
      await stage.finished([], { status: 'failed', created_at: noon, answered_at: null, ended_at: noon }),
    ];
  }

  const usage = async (): Promise<{ minutes: number; halalas: number }> => {
    const { data } = await get<{ data: { total_minutes: number; estimated_cost_sar: number } }>(`/v1/usage?${PERIOD}`);
    return { minutes: data.total_minutes, halalas: Math.round(data.estimated_cost_sar * 100) };
  };

  async function detailRecords(): Promise<Figures & { seconds: number; billedSeconds: number }> {
    const answer = await api.request('GET', `/v1/cdr?${PERIOD}`, { key });
    const lines = parse<Record<string, string>>(answer.text, { columns: true, record_delimiter: '\r\n' });
    const sum = (column: string): number =>
      lines.reduce((whole, line) => whole + Math.round(Number(line[column] ?? 0) * 1e6), 0);
    return {
      seconds: sum('duration_seconds') / 1e6,
      billedSeconds: sum('billed_seconds') / 1e6,
      cost: sum('price_sar'),
    };
  }

  it('agrees between usage, calls, detail records, ledger, balance, spend and invoice', async () => {
    await stage.plan(PLAN);
    const made = await calls();
    const estimate = await usage();
    await stage.rating.rateAll();
    const rated = await usage();
    await new Usage(stage.db).fold(1_000);

    const inMonth = made.filter(({ created_at }) => created_at >= riyadh(`${MONTH}-01T00:00:00`));
    expect(inMonth).to.have.length(made.length - 1);
    const records = await detailRecords();
    const talk = inMonth
      .filter(({ sandbox }) => !sandbox)
      .reduce((sum, call) => sum + (presentCall(call, []).duration_seconds ?? 0), 0);
    expect(records.seconds, 'seconds of calls').to.equal(talk);

    const [{ organizationId, projectId }] = [stage.ground];
    await issuerOn(stage).run(MONTH, organizationId, false);
    const invoice = (await new Invoices(stage.db).ofMonth(organizationId, MONTH))!;
    expect(invoice.exact, 'invoice and detail records').to.equal(records.cost);
    expect(
      invoice.lines.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0),
      'billed seconds',
    ).to.equal(records.billedSeconds);

    // Usage counts the minutes of sandbox calls, and not their cost.
    const halalas = Math.round(records.cost / 10_000);
    for (const [name, figures] of Object.entries({ estimate, rated, folded: await usage() })) {
      expect(figures, name).to.deep.equal({ minutes: Math.round(((talk + 500) / 60) * 100) / 100, halalas });
    }

    const days = await stage.db.query<{ amount: number }>(
      `SELECT amount FROM spent_days WHERE project_id = $1 AND day BETWEEN '2026-08-01' AND '2026-08-31'`,
      [projectId],
    );
    expect(
      days.reduce((sum, { amount }) => sum + amount, 0),
      'spend of the month',
    ).to.equal(records.cost);

    // The balance and the ledger also hold the call that was created a second before the month.
    const early = (await stage.ratings.ofCall(made[3]!.id))!.amount;
    expect(early).to.be.greaterThan(0);
    const ledger = await get<{ data: { kind: string; amount_sar: number }[] }>('/v1/billing/ledger?limit=100');
    const booked = ledger.data.reduce((sum, { amount_sar }) => sum + Math.round(amount_sar * 1e6), 0);
    expect(booked, 'ledger').to.equal(-records.cost - early);
    const { balance_sar } = await get<{ balance_sar: number }>('/v1/billing');
    expect(Math.round(balance_sar * 100), 'balance').to.equal(-Math.round((records.cost + early) / 10_000));
  });

  it('is zero in a sandbox account, for calls by live keys too, in every place', async () => {
    const organization = newOrganizationRow('Trial', 'sandbox', {}, new Date());
    const trial = { ...stage.ground, organizationId: organization.id, projectId: newId() };
    await insertRows(stage.db, 'organizations', [organization]);
    await insertRows(stage.db, 'projects', [projectRow(trial)]);
    const other = await BillingStage.on(stage.db, stage.url, trial);
    await other.plan(PLAN);
    const call = await other.finished([{ seconds: 61, answeredAt: riyadh(`${MONTH}-10T12:00:00`) }]);
    await stage.rating.rateAll();
    expect(await other.ratings.ofCall(call.id)).to.equal(null);
    expect(await other.balances.project(trial.organizationId, trial.projectId)).to.equal(0);
    expect(await stage.db.query(`SELECT FROM unrated_calls WHERE call_id = $1`, [call.id])).to.deep.equal([]);
  });
});
