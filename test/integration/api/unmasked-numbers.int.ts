import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { listAuditRows } from '../../../core/data/repositories/accounts/audit.js';
import type { Database } from '../../../core/data/database.js';
import type { AuditRow, CallRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { presentCall } from '../../../core/services/call-state/presenting/call.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';
import {
  callRow,
  eventOf,
  groundIn,
  insertProject,
  insertRows,
  numberRow,
  type Ground,
} from '../../support/rows/rows.js';
import { recordingRow } from '../../support/rows/recordings.js';
import { boxRow, messageRow } from '../../support/rows/voicemail-rows.js';

const READS = ['calls:read', 'voicemail:read', 'webhooks:read', 'billing:read', 'queues:read'];
const SEES = [...READS, 'pii:read'];
const CUSTOMER = '+966501234517';
const SANDBOX_CUSTOMER = '+966501234528';
type Members = Readonly<Record<string, unknown>>;

describe('Customers’ full numbers in the API', function () {
  this.timeout(120_000);
  let bare: BarePlatform;
  let api: TestApi;
  let db: Database;
  let ground: Ground;
  let sees: string;
  let masked: string;
  let sandbox: string;
  let call: CallRow;
  let withheld: CallRow;
  let callback: CallRow;
  let simulated: CallRow;
  let eventId: string;

  before(async () => {
    bare = await barePlatform('api');
    ({ db } = bare.database);
    api = await testApi({ db, routes: bare.platform.api!.routes, limits: { sandboxPerMinute: 100_000 } });
    ground = await groundIn(db);
    sees = await keyOf(SEES);
    masked = await keyOf(READS);
    sandbox = await keyOf(SEES, 'sandbox');
    const over = { status: 'ended', ended_at: new Date() } as const;
    call = callRow(ground, { ...over, customer_number: CUSTOMER });
    withheld = callRow(ground, { ...over, kind: 'inbound', direction: 'inbound', customer_number: 'anonymous' });
    callback = callRow(ground, { ...over, kind: 'callback', customer_number: CUSTOMER });
    simulated = callRow(ground, { ...over, kind: 'callback', sandbox: true, customer_number: SANDBOX_CUSTOMER });
    await insertRows(db, 'calls', [call, withheld, callback, simulated]);
    const events = [call, withheld, simulated].map((row) =>
      eventOf(row, { data: { ...presentCall(row, []), sequence: 1 } }),
    );
    eventId = events[0]!.id;
    await insertRows(db, 'events', events);
    const recording = recordingRow(call);
    const number = numberRow(ground, '+966112223344');
    await insertRows(db, 'recordings', [recording]);
    await insertRows(db, 'numbers', [number]);
    await insertRows(db, 'voicemail_boxes', [boxRow(ground, number.id)]);
    const message = { ...recordingRow(call, { box_id: number.id }), id: newId() };
    await insertRows(db, 'recordings', [message]);
    await insertRows(db, 'voicemails', [messageRow(message, number.id)]);
  });
  afterEach(() => expect(api.faults).to.deep.equal([]));
  after(async () => {
    await api.close();
    await bare.close();
  });

  const keyOf = async (scopes: string[], kind: 'live' | 'sandbox' = 'live', projectId = ground.projectId) =>
    (await api.key({ projectId, scopes, kind })).key;
  const get = async (path: string, key: string): Promise<Answer> => {
    const answer = await api.request('GET', path, { key });
    expect(answer.status, answer.text).to.equal(200);
    return answer;
  };
  /** The objects of an answer, those of events included, that belong to the call. */
  const shownOf = ({ body }: Answer, { id }: CallRow): Members[] => {
    const { data } = body as { data?: Members | Members[] };
    const objects = Array.isArray(data) ? data.map((item) => (item.data ?? item) as Members) : [body as Members];
    return objects.filter(({ call_id, callback_id }) => (call_id ?? callback_id) === id);
  };
  const cdrPath = (): string => {
    const at = (ms: number) => new Date(call.created_at.getTime() + ms).toISOString();
    return `/v1/cdr?from=${at(-3_600_000)}&to=${at(3_600_000)}`;
  };
  const lines = ({ text }: Answer): Members[] => parse<Members>(text, { columns: true, record_delimiter: '\r\n' });

  /** What shows the call. */
  const paths = (): string[] => [
    '/v1/calls',
    '/v1/calls?page=1',
    `/v1/calls/${call.id}`,
    `/v1/calls/${call.id}/timeline`,
    `/v1/calls/${call.id}/recordings`,
    '/v1/voicemails',
    '/v1/events',
  ];

  it('are beside the masked ones for a key with the scope', async () => {
    for (const path of paths()) {
      const shown = shownOf(await get(path, sees), call);
      expect(shown, path).to.have.lengthOf(1);
      expect(shown[0]!.customer_number, path).to.equal(CUSTOMER);
    }
    for (const path of ['/v1/callbacks', `/v1/callbacks/${callback.id}`]) {
      expect(shownOf(await get(path, sees), callback)[0], path).to.include({
        customer_number_masked: '+96650••••17',
        customer_number: CUSTOMER,
      });
    }
  });

  it('are null if the caller withheld the number', async () => {
    for (const path of ['/v1/calls', `/v1/calls/${withheld.id}`, '/v1/events']) {
      expect(shownOf(await get(path, sees), withheld)[0], path).to.include({
        customer_number_masked: 'anonymous',
        customer_number: null,
      });
    }
  });

  it('are absent without the scope, also for a key for which no scopes are named', async () => {
    const { key: usual } = await api.key({ projectId: ground.projectId });
    for (const key of [masked, usual]) {
      for (const path of [...paths(), '/v1/callbacks', `/v1/callbacks/${callback.id}`]) {
        const { text } = await get(path, key);
        expect(text, path).to.not.contain('"customer_number"');
        // Messages show who is to be called back.
        if (path !== '/v1/voicemails') expect(text, path).to.not.contain(CUSTOMER);
      }
      const cdr = await get(cdrPath(), key);
      expect(cdr.text).to.not.contain('unmasked').and.to.not.contain(CUSTOMER);
    }
  });

  it('are the last column of call detail records', async () => {
    const [plain, full] = [lines(await get(cdrPath(), masked)), lines(await get(cdrPath(), sees))];
    const unmasked = full.map(({ call_id, customer_number_unmasked }) => [call_id, customer_number_unmasked]);
    expect(unmasked).to.have.deep.members([
      [call.id, CUSTOMER],
      [withheld.id, ''],
      [callback.id, CUSTOMER],
    ]);
    expect(Object.keys(full[0]!)).to.deep.equal([...Object.keys(plain[0]!), 'customer_number_unmasked']);
    expect(full.map(({ customer_number_unmasked: _, ...rest }) => rest)).to.deep.equal(plain);
  });

  describe('in the event stream', () => {
    /** The first message after the one before the call's event. */
    const first = async (key: string): Promise<Members> => {
      const stop = new AbortController();
      const path = `/v1/events/stream?call_id=${call.id}&after=${previousOf(eventId)}`;
      const headers = { Authorization: `Bearer ${key}` };
      const response = await fetch(api.url + path, { headers, signal: stop.signal });
      expect(response.status).to.equal(200);
      let text = '';
      try {
        for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
          text += Buffer.from(chunk).toString('utf8');
          const data = /^data: (.*)\n\n/m.exec(text)?.[1];
          if (data !== undefined) return (JSON.parse(data) as { data: Members }).data;
        }
      } finally {
        stop.abort();
      }
      throw new Error('the stream ended');
    };

    it('are sent to a key with the scope only', async () => {
      expect(await first(sees)).to.include({ call_id: call.id, customer_number: CUSTOMER });
      expect(await first(masked))
        .to.include({ call_id: call.id })
        .and.to.not.have.property('customer_number');
    });

    it('are audited when the stream opens', async () => {
      const key = await keyOf(SEES);
      await first(key);
      expect((await audited(key)).map(({ route }) => route)).to.deep.equal(['/v1/events/stream']);
    });
  });

  it('of live calls are hidden from a sandbox key, which sees those of the sandbox', async () => {
    for (const path of ['/v1/calls', '/v1/callbacks', '/v1/events', '/v1/voicemails']) {
      expect((await get(path, sandbox)).text, path).to.not.contain(CUSTOMER);
    }
    for (const path of [`/v1/calls/${call.id}`, `/v1/calls/${call.id}/timeline`, `/v1/callbacks/${callback.id}`]) {
      expect((await api.request('GET', path, { key: sandbox })).status, path).to.equal(404);
    }
    expect((await api.request('GET', cdrPath(), { key: sandbox })).body?.error_code).to.equal(
      'SANDBOX_KEY_NOT_ALLOWED',
    );
    for (const path of ['/v1/calls', '/v1/callbacks', '/v1/events']) {
      expect(shownOf(await get(path, sandbox), simulated)[0], path).to.include({ customer_number: SANDBOX_CUSTOMER });
    }
  });

  it('of other projects and organizations are hidden; callbacks belong to the organization', async () => {
    const sibling = await keyOf(SEES, 'live', await insertProject(db, ground.organizationId));
    const { key: stranger } = await api.key({ scopes: SEES });
    for (const key of [sibling, stranger]) {
      for (const path of ['/v1/calls', '/v1/events', '/v1/voicemails', cdrPath()]) {
        expect((await get(path, key)).text, path).to.not.contain(CUSTOMER);
      }
      expect((await api.request('GET', `/v1/calls/${call.id}`, { key })).status).to.equal(404);
    }
    expect((await get('/v1/callbacks', stranger)).text).to.not.contain(CUSTOMER);
    expect(shownOf(await get('/v1/callbacks', sibling), callback)[0]).to.include({ customer_number: CUSTOMER });
  });

  it('are not added to metadata that imitates another call', async () => {
    const other = await groundIn(db);
    const metadata = { call_id: call.id, customer_number_masked: 'x', transcription_status: 'x' };
    const own = callRow(other, { status: 'ended', metadata, customer_number: '+966509999999' });
    await insertRows(db, 'calls', [own]);
    const answer = await get(`/v1/calls/${own.id}`, await keyOf(SEES, 'live', other.projectId));
    expect(answer.body).to.include({ customer_number: '+966509999999' });
    expect(answer.body?.metadata).to.deep.equal(metadata);
    expect(answer.text).to.not.contain(CUSTOMER);
  });

  describe('are audited', () => {
    it('once for a request, with who read them and where, before they are shown', async () => {
      const { key, view } = await api.key({ projectId: ground.projectId, scopes: SEES });
      await get('/v1/calls', key);
      await get(`/v1/calls/${call.id}`, key);
      await get(cdrPath(), key);
      // Nobody is shown.
      await get('/v1/calls?status=failed', key);
      await api.request('GET', `/v1/calls/${newId()}`, { key });
      const rows = await audited(key);
      expect(rows.map(({ method, path, status, details }) => [method, path, status, details])).to.have.deep.members([
        ['GET', '/v1/calls', 200, { unmasked: true }],
        ['GET', `/v1/calls/${call.id}`, 200, { unmasked: true }],
        ['GET', '/v1/cdr', 200, { unmasked: true }],
      ]);
      expect(rows.every(({ key_id, project_id }) => key_id === view.id && project_id === ground.projectId)).to.equal(
        true,
      );
      expect(JSON.stringify(rows)).to.not.contain(CUSTOMER);
    });

    it('not for a key without the scope', async () => {
      const key = await keyOf(READS);
      for (const path of [...paths(), cdrPath()]) await get(path, key);
      expect(await audited(key)).to.deep.equal([]);
    });

    it('or not shown, if the audit log cannot be written', async () => {
      await db.query('ALTER TABLE audit_log RENAME TO audit_log_away');
      try {
        for (const path of [
          '/v1/calls',
          `/v1/calls/${call.id}/timeline`,
          '/v1/events',
          cdrPath(),
          '/v1/events/stream',
        ]) {
          const answer = await api.request('GET', path, { key: sees });
          expect(answer.status, path).to.equal(500);
          expect(answer.text, path).to.not.contain(CUSTOMER);
        }
        await get('/v1/calls', masked);
      } finally {
        await db.query('ALTER TABLE audit_log_away RENAME TO audit_log');
      }
    });
  });

  it('are neither stored with events nor logged', async () => {
    for (const path of [...paths(), cdrPath()]) await get(path, sees);
    const [stored] = await db.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM events WHERE data::text LIKE '%' || $1 || '%' OR data ? 'customer_number'`,
      [CUSTOMER],
    );
    expect(stored?.count).to.equal(0);
    const log = api.log.join('');
    expect(log).to.contain('/v1/calls');
    expect(log).to.not.contain(CUSTOMER.slice(1));
  });

  /** The audit rows of a key. */
  async function audited(key: string): Promise<AuditRow[]> {
    await api.audit.flush();
    const { id } = await api.authenticator.authenticate(`Bearer ${key}`, '127.0.0.1');
    return (await listAuditRows(db, ground.projectId, 1000)).filter(({ key_id }) => key_id === id);
  }
});

function previousOf(id: string): string {
  const digits = (BigInt(`0x${id.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
