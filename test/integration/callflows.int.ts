import { expect } from 'chai';
import { openApiDocument } from '../../api/http/openapi.js';
import { newId } from '../../core/model/ids.js';
import { testApi, type Answer, type TestApi } from '../support/api.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { flowStage, type FlowStage } from '../support/flow-stage.js';
import { documentProblems, routeProblems } from '../support/route-contract.js';
import { engineRow, insertRows, numberRow } from '../support/rows.js';

type Json = Record<string, unknown>;
interface Flow {
  readonly id: string;
  readonly version: number;
}

const END = { type: 'hangup' };
const MENU = {
  name: 'Main line',
  kind: 'menu',
  definition: {
    language: 'en',
    greeting: { text: 'Welcome.' },
    prompt: { text: 'Press one for sales.' },
    options: { 1: { type: 'number', target: '0501234567' } },
  },
};
const graph = (nodes: Json, more: Json = {}): Json => ({
  name: 'Graph',
  kind: 'graph',
  definition: { start: Object.keys(nodes)[0], nodes, ...more },
});

describe('the API of call flows', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: FlowStage;
  let api: TestApi;
  let key: string;
  let sandboxKey: string;
  let owner: { organizationId: string; projectId: string };

  before(async () => {
    database = await testDatabase();
    stage = flowStage(database.url);
  });
  after(async () => {
    await stage.close();
    await database.close();
  });
  beforeEach(async () => {
    api = await testApi({ db: database.db, routes: stage.routes });
    owner = await api.owner();
    ({ key } = await api.key({ projectId: owner.projectId }));
    ({ key: sandboxKey } = await api.key({ projectId: owner.projectId, kind: 'sandbox' }));
    stage.spoken.length = 0;
  });
  afterEach(async () => {
    await api.close();
    await database.db.query('DELETE FROM engines');
    expect(api.faults).to.deep.equal([]);
  });

  const request = (method: string, path: string, json?: object, as = key): Promise<Answer> =>
    api.request(method, `/v1${path}`, { key: as, ...(json && { json }) });
  async function good(method: string, path: string, json?: object, as = key): Promise<Json> {
    const answer = await request(method, path, json, as);
    expect(answer.status, answer.text).to.be.within(200, 204);
    return answer.body ?? {};
  }
  /** `status CODE path`, of the first detail. */
  const codeOf = async (answer: Promise<Answer>): Promise<string> => {
    const { status, body } = await answer;
    const [detail] = (body?.details ?? []) as { path: string }[];
    return `${status} ${String(body?.error_code)}${detail ? ` ${detail.path}` : ''}`;
  };
  const make = async (json: object = MENU, as = key): Promise<Flow> =>
    (await good('POST', '/callflows', json, as)) as unknown as Flow;
  const withEngine = (kind: 'asterisk' | 'simulator' = 'asterisk'): Promise<void> => {
    const id = newId();
    return insertRows(database.db, 'engines', [engineRow({ id, name: `engine-${id}`, kind })]);
  };
  const number = async (project = owner): Promise<{ id: string; e164: string }> => {
    const e164 = `+96611${String(Math.floor(Math.random() * 9_000_000) + 1_000_000)}`;
    const ground = { ...project, engineId: '' };
    const row = numberRow(ground, e164);
    await insertRows(database.db, 'numbers', [row]);
    return { id: row.id, e164 };
  };

  it('keeps to its definitions', async () => {
    expect(await routeProblems(api, stage.routes)).to.deep.equal([]);
    const document = openApiDocument({ routes: stage.routes, version: '1', serverUrl: '' });
    expect(documentProblems(document, stage.routes)).to.deep.equal([]);
  });

  it('are made as drafts, read, listed and removed', async () => {
    const made = await good('POST', '/callflows', MENU);
    expect(made).to.deep.include({ ...MENU, version: 1, status: 'draft', sandbox: false, bound_numbers: [] });
    expect(await good('GET', `/callflows/${String(made.id)}`)).to.deep.equal(made);
    const second = await make(graph({ end: END }));
    const { data, next_cursor } = await good('GET', '/callflows?limit=1');
    expect((data as Flow[]).map(({ id }) => id)).to.deep.equal([second.id]);
    const rest = await good('GET', `/callflows?limit=1&cursor=${String(next_cursor)}`);
    expect(rest).to.deep.include({ data: [made], next_cursor: null });
    await good('DELETE', `/callflows/${second.id}`);
    expect(await codeOf(request('GET', `/callflows/${second.id}`))).to.equal('404 NOT_FOUND');
    expect(await codeOf(request('DELETE', `/callflows/${second.id}`))).to.equal('404 NOT_FOUND');
  });

  describe('refuse at once', () => {
    const rows: readonly (readonly [what: string, json: Json, path: string])[] = [
      ['a kind that there is not', { ...MENU, kind: 'tree' }, 'kind'],
      ['no name', { ...MENU, name: ' ' }, 'name'],
      ['an unknown member', { ...MENU, colour: 'red' }, 'colour'],
      ['an unknown member of a node', graph({ a: { ...END, colour: 'red' } }), 'definition.nodes.a.colour'],
      ['a type of node that there is not', graph({ a: { type: 'dance' } }), 'definition.nodes.a.type'],
      [
        'a wrong value in a node',
        graph({ a: { type: 'gather', prompt: { text: 'x' }, variable: 'x', max_digits: 99 } }),
        'definition.nodes.a.max_digits',
      ],
      ['a name of a node that is none', graph({ a: END, '../a': END }), 'definition.nodes'],
      ['what the database cannot hold', graph({ a: { type: 'say', text: 'a\0b', next: 'a' } }), 'definition'],
      [
        'more nodes than there may be',
        graph(Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`n${index}`, END]))),
        'definition.nodes',
      ],
      [
        'more text than there may be',
        graph(
          Object.fromEntries(
            Array.from({ length: 200 }, (_, index) => [`n${index}`, { type: 'say', text: 'x'.repeat(4000) }]),
          ),
        ),
        'definition',
      ],
    ];
    for (const [what, json, path] of rows) {
      it(what, async () => {
        expect(await codeOf(request('POST', '/callflows', json))).to.match(new RegExp(`^400 VALIDATION_ERROR ${path}`));
      });
    }
  });

  describe('versions', () => {
    it('are written one after another, and none is lost', async () => {
      const { id } = await make();
      const changed = await good('PUT', `/callflows/${id}`, { ...MENU, name: 'Second', version: 1 });
      expect(changed).to.deep.include({ version: 2, name: 'Second', status: 'draft' });
      const answer = await api.request('PUT', `/v1/callflows/${id}`, {
        key,
        json: { ...MENU, name: 'Third' },
        headers: { 'If-Match': '"2"' },
      });
      expect(answer.body).to.deep.include({ version: 3, name: 'Third' });
      const { data } = await good('GET', `/callflows/${id}/versions`);
      expect((data as { version: number; name: string }[]).map(({ version, name }) => [version, name])).to.deep.equal([
        [3, 'Third'],
        [2, 'Second'],
        [1, 'Main line'],
      ]);
      const page = await good('GET', `/callflows/${id}/versions?limit=2`);
      const rest = await good('GET', `/callflows/${id}/versions?limit=2&cursor=${String(page.next_cursor)}`);
      expect((rest.data as unknown[]).length).to.equal(1);
    });

    it('conflict where somebody was faster', async () => {
      const { id } = await make();
      const writes = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          request('PUT', `/callflows/${id}`, { ...MENU, name: `W${at}`, version: 1 }),
        ),
      );
      const statuses = writes.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([200, ...Array.from({ length: 7 }, () => 409)]);
      const late = await request('PUT', `/callflows/${id}`, { ...MENU, version: 1 });
      expect(late.body).to.include({ error_code: 'CALLFLOW_VERSION_CONFLICT' });
      expect(late.body?.message).to.match(/version 1 was sent.*current one is 2/);
      expect((await good('GET', `/callflows/${id}`)).version).to.equal(2);
    });

    it('need the version, and the kind stays', async () => {
      const { id } = await make();
      expect(await codeOf(request('PUT', `/callflows/${id}`, MENU))).to.equal('400 VALIDATION_ERROR version');
      const other = { ...graph({ end: END }), version: 1 };
      expect(await codeOf(request('PUT', `/callflows/${id}`, other))).to.equal('400 VALIDATION_ERROR kind');
    });
  });

  describe('activation', () => {
    beforeEach(() => withEngine());

    it('names every fault with its node, and changes nothing', async () => {
      const { id } = await make(
        graph({
          a: { type: 'play', audio_id: newId(), next: 'b' },
          b: { type: 'queue', queue_id: newId(), next: 'nowhere' },
          c: { type: 'subflow', callflow_id: newId(), next: 'c' },
        }),
      );
      const answer = await request('POST', `/callflows/${id}/activate`);
      expect(answer.status).to.equal(400);
      const details = answer.body?.details as { path: string; message: string; message_ar: string }[];
      expect(details.map(({ path }) => path)).to.deep.equal([
        'definition.nodes.a.audio_id',
        'definition.nodes.b.next',
        'definition.nodes.b.queue_id',
        'definition.nodes.c',
        'definition.nodes.c',
        'definition.nodes.c.callflow_id',
      ]);
      for (const { message, message_ar } of details) {
        expect(message).to.match(/node [abc] /);
        expect(message_ar).to.match(/[\u0600-\u06ff]/);
      }
      expect((await good('GET', `/callflows/${id}`)).status).to.equal('draft');
    });

    it('makes it active and its fixed texts spoken, and back', async () => {
      const { id } = await make(
        graph({
          a: { type: 'say', text: 'Same for all', next: 'b' },
          b: { type: 'say', text: 'Only for {{caller_number}}', next: 'end' },
          end: END,
        }),
      );
      expect((await good('POST', `/callflows/${id}/activate`)).status).to.equal('active');
      expect(stage.spoken).to.deep.equal(['Same for all']);
      expect((await good('POST', `/callflows/${id}/activate`)).status).to.equal('active');
      expect((await good('POST', `/callflows/${id}/deactivate`)).status).to.equal('inactive');
      expect((await good('POST', `/callflows/${id}/deactivate`)).status).to.equal('inactive');
    });

    it('is asked of every later version too', async () => {
      const { id } = await make(graph({ end: END }));
      await good('POST', `/callflows/${id}/activate`);
      const bad = { ...graph({ a: { type: 'say', text: 'x', next: 'gone' } }), version: 1 };
      expect(await codeOf(request('PUT', `/callflows/${id}`, bad))).to.equal(
        '400 VALIDATION_ERROR definition.nodes.a.next',
      );
      const right = { ...graph({ a: { type: 'say', text: 'x', next: 'end' }, end: END }), version: 1 };
      expect(await good('PUT', `/callflows/${id}`, right)).to.include({ version: 2, status: 'active' });
    });

    it('looks through the flows that a flow calls', async () => {
      const inner = await make(graph({ end: END }));
      const outer = await make(graph({ a: { type: 'subflow', callflow_id: inner.id, next: 'end' }, end: END }));
      const inactive = await request('POST', `/callflows/${outer.id}/activate`);
      expect(inactive.body?.message).to.contain('not active');
      await good('POST', `/callflows/${inner.id}/activate`);
      await good('POST', `/callflows/${outer.id}/activate`);
      const back = { ...graph({ a: { type: 'subflow', callflow_id: outer.id, next: 'end' }, end: END }), version: 1 };
      const circle = await request('PUT', `/callflows/${inner.id}`, back);
      expect(circle.status).to.equal(400);
      expect(circle.body?.message).to.contain('come back to this one');
      expect(await codeOf(request('DELETE', `/callflows/${inner.id}`))).to.equal('400 VALIDATION_ERROR id');
    });
  });

  it('cannot be activated where there is no engine to run it', async () => {
    const { id } = await make(graph({ end: END }));
    expect(await codeOf(request('POST', `/callflows/${id}/activate`))).to.equal('404 CALLFLOW_TENANT_NOT_FOUND');
  });

  it('are switched off by flags: all of them, or graphs only', async () => {
    const off = async (flag: string): Promise<string> => {
      const made = await api.owner({ [flag]: false });
      return (await api.key({ projectId: made.projectId })).key;
    };
    const [none, menus] = [await off('callflows'), await off('graph_callflows')];
    expect(await codeOf(request('GET', '/callflows', undefined, none))).to.equal('503 IVR_DISABLED');
    expect(await codeOf(request('POST', '/callflows', graph({ end: END }), menus))).to.equal('503 IVR_DISABLED');
    await make(MENU, menus);
  });

  describe('belong to whoever made them', () => {
    it('and nobody else sees them', async () => {
      const { id } = await make();
      const stranger = (await api.key({ projectId: (await api.owner()).projectId })).key;
      for (const [method, path, json] of [
        ['GET', '', undefined],
        ['PUT', '', { ...MENU, version: 1 }],
        ['DELETE', '', undefined],
        ['POST', '/activate', undefined],
        ['POST', '/deactivate', undefined],
        ['GET', '/versions', undefined],
        ['POST', '/simulate', {}],
      ] as const) {
        expect(await codeOf(request(method, `/callflows/${id}${path}`, json, stranger)), `${method} ${path}`).to.equal(
          '404 NOT_FOUND',
        );
      }
      expect((await good('GET', '/callflows', undefined, stranger)).data).to.deep.equal([]);
    });

    it('and a sandbox key neither sees nor touches what production runs', async () => {
      const live = await make();
      expect(await codeOf(request('PUT', `/callflows/${live.id}`, { ...MENU, version: 1 }, sandboxKey))).to.equal(
        '404 NOT_FOUND',
      );
      const own = await make(graph({ end: END }), sandboxKey);
      const { data } = await good('GET', '/callflows', undefined, sandboxKey);
      expect((data as Flow[]).map(({ id }) => id)).to.deep.equal([own.id]);
      await withEngine('simulator');
      expect((await good('POST', `/callflows/${own.id}/activate`, undefined, sandboxKey)).status).to.equal('active');
      // A live flow cannot lean on what a sandbox key may change.
      await withEngine();
      const leaning = await make(graph({ a: { type: 'subflow', callflow_id: own.id, next: 'end' }, end: END }));
      expect(await codeOf(request('POST', `/callflows/${leaning.id}/activate`))).to.equal(
        '400 VALIDATION_ERROR definition.nodes.a.callflow_id',
      );
    });

    it('and need the scope', async () => {
      const reader = (await api.key({ projectId: owner.projectId, scopes: ['callflows:read'] })).key;
      const { id } = await make();
      await good('GET', `/callflows/${id}`, undefined, reader);
      await good('POST', `/callflows/${id}/simulate`, {}, reader);
      expect(await codeOf(request('POST', '/callflows', MENU, reader))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    });
  });

  it('are simulated, drafts and earlier versions too', async () => {
    const { id } = await make();
    const result = await good('POST', `/callflows/${id}/simulate`, { inputs: [{ digits: '1' }] });
    expect(result).to.deep.include({
      callflow_id: id,
      version: 1,
      ending: 'connect',
      handed_to: { type: 'number', target: '+966501234567' },
    });
    expect(result.prompts).to.deep.equal([
      { node: 'greeting_1', text: 'Welcome.', language: 'en', audio_id: null },
      { node: 'menu', text: 'Press one for sales.', language: 'en', audio_id: null },
    ]);
    await good('PUT', `/callflows/${id}`, { ...MENU, definition: { ...MENU.definition, options: {} }, version: 1 });
    const before = await good('POST', `/callflows/${id}/simulate`, { version: 1, inputs: [{ digits: '1' }] });
    expect(before.ending).to.equal('connect');
    const now = await good('POST', `/callflows/${id}/simulate`, { inputs: [{ digits: '1' }] });
    expect(now).to.include({ version: 2, ending: 'hangup' });
    expect(await codeOf(request('POST', `/callflows/${id}/simulate`, { version: 9 }))).to.equal('404 NOT_FOUND');
    const bad = request('POST', `/callflows/${id}/simulate`, { inputs: [{ digits: 'x' }] });
    expect(await codeOf(bad)).to.match(/^400 VALIDATION_ERROR inputs/);
  });

  describe('a number', () => {
    const bind = (id: string, json: object, as = key): Promise<Answer> =>
      request('PUT', `/numbers/${id}/binding`, json, as);

    it('is bound to a flow, which shows it and cannot be removed then', async () => {
      const { id } = await make();
      const line = await number();
      const bound = await bind(line.id, { type: 'callflow', target: id });
      expect(bound.body).to.deep.include({ e164: line.e164, binding: { type: 'callflow', target: id } });
      expect((await good('GET', `/callflows/${id}`)).bound_numbers).to.deep.equal([line.e164]);
      const refused = await request('DELETE', `/callflows/${id}`);
      expect(refused.status).to.equal(400);
      expect(refused.body?.message).to.contain(line.e164);
      expect((await bind(line.id, { type: 'none' })).body?.binding).to.equal(null);
      await good('DELETE', `/callflows/${id}`);
    });

    it('is bound to whatever else takes calls', async () => {
      const line = await number();
      const other = await number();
      for (const binding of [
        { type: 'number', target: '+966501234567' },
        { type: 'sip', target: 'sip:a@example.com' },
        { type: 'voicemail', target: null },
        { type: 'voicemail', target: other.e164 },
        { type: 'echo', target: null },
      ]) {
        const answer = await bind(line.id, binding);
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.body?.binding).to.deep.equal(binding);
      }
    });

    it('is not bound to what is not there', async () => {
      const line = await number();
      for (const [json, code] of [
        [{ type: 'callflow', target: newId() }, '400 VALIDATION_ERROR binding.target'],
        [{ type: 'queue', target: newId() }, '400 VALIDATION_ERROR binding.target'],
        [{ type: 'agent', target: '4711' }, '400 VALIDATION_ERROR binding.target'],
        [{ type: 'voicemail', target: '+966115559999' }, '400 VALIDATION_ERROR binding.target'],
        [{ type: 'number', target: 'x' }, '400 INVALID_PHONE_NUMBER target'],
        [{ type: 'none', target: 'x' }, '400 VALIDATION_ERROR target'],
        [{ type: 'hangup' }, '400 VALIDATION_ERROR type'],
      ] as const) {
        expect(await codeOf(bind(line.id, json)), JSON.stringify(json)).to.equal(code);
      }
    });

    it('of others, of nobody, or of production for a sandbox key, is not bound', async () => {
      const { id } = await number(await api.owner());
      const json = { type: 'echo' };
      expect(await codeOf(bind(id, json))).to.equal('404 NUMBER_NOT_FOUND');
      expect(await codeOf(bind(newId(), json))).to.equal('404 NUMBER_NOT_FOUND');
      expect(await codeOf(bind((await number()).id, json, sandboxKey))).to.equal('403 SANDBOX_KEY_NOT_ALLOWED');
    });

    it('keeps a flow of another project out of reach', async () => {
      const other = await api.owner();
      const foreign = await make(MENU, (await api.key({ projectId: other.projectId })).key);
      const line = await number();
      expect(await codeOf(bind(line.id, { type: 'callflow', target: foreign.id }))).to.equal(
        '400 VALIDATION_ERROR binding.target',
      );
    });
  });
});
