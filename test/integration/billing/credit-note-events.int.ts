import { expect } from 'chai';
import { eventRoutes } from '../../../api/routes/webhooks/events.js';
import { Invoices, type StoredInvoice } from '../../../core/data/repositories/billing/invoices.js';
import { Ledger } from '../../../core/data/repositories/billing/ledger.js';
import type { EventRow, WebhookEndpointRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { CustomerNumbers } from '../../../core/services/calls/customer-numbers.js';
import { EventFeed } from '../../../core/services/events/feed.js';
import { EventLog } from '../../../core/services/events/list.js';
import type { CreditInvoices, NewCreditNote } from '../../../core/services/invoices/crediting.js';
import { testApi, type TestApi } from '../../support/api.js';
import { refusal } from '../../support/judges/refusal.js';
import { endpointRow, insertProject, insertRows, ownerIn } from '../../support/rows/rows.js';
import { billingEach, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { creditorOn, issuerOn, riyadh } from '../../support/stages/billing/invoice-stage.js';
import { silentLog } from '../../support/stages/webhook-stage.js';

const MONTH = '2026-08';

describe('The event of a credit note', function () {
  this.timeout(30_000);
  let stage: BillingStage;
  let organization: string;
  let first: string;
  let second: string;
  let invoice: StoredInvoice;

  billingEach((made) => {
    stage = made;
    organization = stage.ground.organizationId;
    first = stage.ground.projectId;
  });

  beforeEach(async () => {
    second = await insertProject(stage.db, organization);
    for (const [projectId, unitPrice] of [
      [first, 10_000_000],
      [second, 20_000_000],
    ] as const) {
      const usage = { eventId: newId(), type: 'a', quantity: 1, unitPrice, occurredAt: riyadh(`${MONTH}-10T12:00:00`) };
      await stage.billing.reportedUsage.add({ organizationId: organization, projectId }, usage);
    }
    await issuerOn(stage).run(MONTH, organization, false);
    invoice = (await new Invoices(stage.db).ofMonth(organization, MONTH))!;
    stage.woken.length = 0;
  });

  const credit = (changes: Partial<NewCreditNote> = {}, by: CreditInvoices = creditorOn(stage)) =>
    by.issue({
      ...{ invoice: invoice.number, line: null, amount: null, reference: newId(), reason: 'goodwill' },
      ...changes,
    });
  const events = (): Promise<EventRow[]> =>
    stage.db.query<EventRow>(
      `SELECT * FROM events WHERE type = 'credit_note.issued' AND organization_id = $1 ORDER BY id`,
      [organization],
    );
  const receivers = async (): Promise<string[]> => {
    const rows = await stage.db.query<{ lane: string }>(
      `SELECT lane FROM webhook_deliveries JOIN events AS event ON event.id = event_id
       WHERE event.type = 'credit_note.issued' AND event.organization_id = $1`,
      [organization],
    );
    return rows.map(({ lane }) => lane);
  };
  const endpoint = async (projectId: string, changes: Partial<WebhookEndpointRow>): Promise<string> => {
    const row = endpointRow({ ...stage.ground, projectId }, changes);
    await insertRows(stage.db, 'webhook_endpoints', [row]);
    return row.id;
  };

  it('reports the amounts to each project on the invoice, whichever line is credited', async () => {
    await insertProject(stage.db, organization);
    const { note } = await credit({ line: 1, amount: 2_500_000 });
    const rows = await events();
    expect(rows.map(({ project_id }) => project_id)).to.have.members([first, second]);
    for (const row of rows) {
      expect(row).to.deep.include({ sandbox: false, call_id: null, created_at: note.issued_at });
      expect(row.data).to.deep.equal({
        ...{ credit_note_id: note.id, number: note.number },
        ...{ invoice_id: invoice.id, invoice_number: invoice.number },
        ...{ net_sar: 2.5, vat_sar: 0.38, total_sar: 2.88, currency: 'SAR' },
      });
    }
  });

  it('is recorded again for another credit of the same invoice', async () => {
    const { note } = await credit({ amount: 1_000_000 });
    const { note: rest } = await credit();
    const numbers = (await events()).map(({ data }) => (data as { number: string }).number);
    expect(numbers).to.deep.equal([note.number, note.number, rest.number, rest.number]);
  });

  it('goes to the live endpoints of these projects that subscribe to it, and wakes their lanes', async () => {
    const wanted = [
      await endpoint(first, { events: ['credit_note.issued'] }),
      await endpoint(first, { events: ['credit_note.*'] }),
      await endpoint(second, { events: ['*'] }),
    ];
    await endpoint(first, { events: ['invoice.*'] });
    await endpoint(second, { events: ['*'], sandbox: true });
    await endpoint(second, { events: ['*'], status: 'disabled', disabled_reason: 'failing' });
    await endpoint(await insertProject(stage.db, organization), { events: ['*'] });
    await endpoint((await ownerIn(stage.db)).projectId, { events: ['*'] });
    await credit();
    expect(await receivers()).to.have.members(wanted);
    expect(stage.woken).to.have.members(wanted);
  });

  it('wakes the lanes only after the commit', async () => {
    await endpoint(first, { events: ['*'] });
    const seen: Promise<EventRow[]>[] = [];
    // Another connection sees the events only when they are committed.
    await credit({}, creditorOn(stage, { wake: () => void seen.push(events()) }));
    expect((await Promise.all(seen)).map(({ length }) => length)).to.deep.equal([2]);
  });

  it('is recorded once for a reference, however often and from wherever it is repeated', async () => {
    await endpoint(first, { events: ['*'] });
    const again = { reference: 'TICKET-1', amount: 1_000_000 };
    await Promise.all(Array.from({ length: 5 }, () => credit(again)));
    await credit(again);
    expect(await events()).to.have.length(2);
    expect(stage.woken).to.have.length(1);
  });

  it('is not recorded for a credit that is refused or fails', async () => {
    await endpoint(first, { events: ['*'] });
    expect(await refusal(credit({ amount: 30_010_000 }))).to.match(/at most 30\.00 SAR/);
    expect(await refusal(credit({ invoice: 'INV-0' }))).to.match(/INV-0/);
    const ledger = new Ledger(stage.db);
    ledger.post = () => Promise.reject(new Error('the disk is full'));
    expect(await refusal(credit({}, creditorOn(stage, { ledger })))).to.match(/disk is full/);
    expect([await events(), await receivers(), stage.woken]).to.deep.equal([[], [], []]);
  });

  it('leaves no credit note if it cannot be recorded', async () => {
    // The event of the second project is refused after that of the first.
    await stage.db.query(
      `CREATE FUNCTION refuse_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room'; END $$`,
    );
    await stage.db.query(
      `CREATE TRIGGER refuse_event BEFORE INSERT ON events FOR EACH ROW
       WHEN (NEW.project_id = '${second}') EXECUTE FUNCTION refuse_event()`,
    );
    try {
      expect(await refusal(credit())).to.match(/no room/);
    } finally {
      await stage.db.query('DROP TRIGGER refuse_event ON events');
      await stage.db.query('DROP FUNCTION refuse_event');
    }
    expect(await events()).to.deep.equal([]);
    expect(await new Invoices(stage.db).get(organization, invoice.id)).to.deep.equal(invoice);
    expect(await stage.balances.pool(organization)).to.equal(0);
  });

  describe('over the API', () => {
    let api: TestApi;
    beforeEach(async () => {
      const feed = new EventFeed({ db: stage.db, clock: systemClock, log: silentLog(), pollMs: 50 });
      api = await testApi({
        db: stage.db,
        routes: eventRoutes({
          log: new EventLog(stage.db),
          feed,
          customerNumbers: new CustomerNumbers(new Calls(stage.db)),
          streamsPerKey: 3,
        }),
      });
    });
    afterEach(() => api.close());

    const listed = async (key: string): Promise<unknown[]> => {
      const answer = await api.request('GET', '/v1/events?type=credit_note.*', { key });
      expect(answer.status, answer.text).to.equal(200);
      return answer.body?.data as unknown[];
    };

    it('is listed for the projects on the invoice, and for no other key', async () => {
      const { note } = await credit();
      for (const projectId of [first, second]) {
        const { key } = await api.key({ projectId });
        const found = await listed(key);
        expect(found).to.have.length(1);
        expect(found[0]).to.deep.include({ type: 'credit_note.issued', call_id: null, sandbox: false });
        expect(JSON.stringify(found)).to.contain(note.number);
      }
      const others = [
        await api.key({ projectId: first, kind: 'sandbox' }),
        await api.key({ projectId: await insertProject(stage.db, organization) }),
        await api.key({ projectId: (await ownerIn(stage.db)).projectId }),
      ];
      for (const { key } of others) expect(await listed(key)).to.deep.equal([]);
    });

    it('arrives on the stream of a project', async () => {
      const { key } = await api.key({ projectId: second });
      const stop = new AbortController();
      const response = await fetch(`${api.url}/v1/events/stream?type=credit_note.issued`, {
        headers: { Authorization: `Bearer ${key}` },
        signal: stop.signal,
      });
      expect(response.status).to.equal(200);
      const { note } = await credit();
      let text = '';
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk).toString('utf8');
        if (text.includes(note.number)) break;
      }
      stop.abort();
      expect(text).to.contain('event: credit_note.issued');
    });
  });
});
