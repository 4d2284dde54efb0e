import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import {
  codeOf,
  END,
  flowEach,
  graph,
  MENU,
  type Flow,
  type FlowStage,
  type Json,
} from '../../support/stages/flow-stage.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';

describe('The API of call flows', function () {
  this.timeout(60_000);
  let stage: FlowStage;
  flowEach((made) => (stage = made));

  it('conforms to its definitions', async () => {
    expect(await routeProblems(stage.api, stage.routes)).to.deep.equal([]);
    const document = openApiDocument({ routes: stage.routes, version: '1', serverUrl: '' });
    expect(documentProblems(document, stage.routes)).to.deep.equal([]);
  });

  it('creates drafts, reads, lists and deletes them', async () => {
    const made = await stage.good('POST', '/callflows', MENU);
    expect(made).to.deep.include({ ...MENU, version: 1, status: 'draft', sandbox: false, bound_numbers: [] });
    expect(await stage.good('GET', `/callflows/${String(made.id)}`)).to.deep.equal(made);
    const second = await stage.make(graph({ end: END }));
    const { data, next_cursor } = await stage.good('GET', '/callflows?limit=1');
    expect((data as Flow[]).map(({ id }) => id)).to.deep.equal([second.id]);
    const rest = await stage.good('GET', `/callflows?limit=1&cursor=${String(next_cursor)}`);
    expect(rest).to.deep.include({ data: [made], next_cursor: null });
    await stage.good('DELETE', `/callflows/${second.id}`);
    expect(await codeOf(stage.request('GET', `/callflows/${second.id}`))).to.equal('404 NOT_FOUND');
    expect(await codeOf(stage.request('DELETE', `/callflows/${second.id}`))).to.equal('404 NOT_FOUND');
  });

  describe('rejects on creation', () => {
    const rows: readonly (readonly [what: string, json: Json, path: string])[] = [
      ['an unknown kind', { ...MENU, kind: 'tree' }, 'kind'],
      ['no name', { ...MENU, name: ' ' }, 'name'],
      ['an unknown member', { ...MENU, colour: 'red' }, 'colour'],
      ['an unknown member of a node', graph({ a: { ...END, colour: 'red' } }), 'definition.nodes.a.colour'],
      ['an unknown node type', graph({ a: { type: 'dance' } }), 'definition.nodes.a.type'],
      [
        'an invalid value in a node',
        graph({ a: { type: 'gather', prompt: { text: 'x' }, variable: 'x', max_digits: 99 } }),
        'definition.nodes.a.max_digits',
      ],
      [
        'a split with a weight that is not allowed',
        graph({
          a: {
            type: 'split',
            branches: [
              { weight: 10, next: 'end' },
              { weight: 101, next: 'end' },
            ],
          },
          end: END,
        }),
        'definition.nodes.a.branches\\[1\\].weight',
      ],
      ['an invalid node id', graph({ a: END, '../a': END }), 'definition.nodes'],
      [
        'characters that the database cannot store',
        graph({ a: { type: 'say', text: 'a\0b', next: 'a' } }),
        'definition',
      ],
      [
        'too many nodes',
        graph(Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`n${index}`, END]))),
        'definition.nodes',
      ],
      [
        'too much text',
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
        expect(await codeOf(stage.request('POST', '/callflows', json))).to.match(
          new RegExp(`^400 VALIDATION_ERROR ${path}`),
        );
      });
    }
  });

  describe('versions', () => {
    it('are numbered in sequence, and none is lost', async () => {
      const { id } = await stage.make();
      const changed = await stage.good('PUT', `/callflows/${id}`, { ...MENU, name: 'Second', version: 1 });
      expect(changed).to.deep.include({ version: 2, name: 'Second', status: 'draft' });
      const answer = await stage.api.request('PUT', `/v1/callflows/${id}`, {
        key: stage.key,
        json: { ...MENU, name: 'Third' },
        headers: { 'If-Match': '"2"' },
      });
      expect(answer.body).to.deep.include({ version: 3, name: 'Third' });
      const { data } = await stage.good('GET', `/callflows/${id}/versions`);
      expect((data as { version: number; name: string }[]).map(({ version, name }) => [version, name])).to.deep.equal([
        [3, 'Third'],
        [2, 'Second'],
        [1, 'Main line'],
      ]);
      const page = await stage.good('GET', `/callflows/${id}/versions?limit=2`);
      const rest = await stage.good('GET', `/callflows/${id}/versions?limit=2&cursor=${String(page.next_cursor)}`);
      expect((rest.data as unknown[]).length).to.equal(1);
    });

    it('conflict after a concurrent change', async () => {
      const { id } = await stage.make();
      const writes = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          stage.request('PUT', `/callflows/${id}`, { ...MENU, name: `W${at}`, version: 1 }),
        ),
      );
      const statuses = writes.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([200, ...Array.from({ length: 7 }, () => 409)]);
      const late = await stage.request('PUT', `/callflows/${id}`, { ...MENU, version: 1 });
      expect(late.body).to.include({ error_code: 'CALLFLOW_VERSION_CONFLICT' });
      expect(late.body?.message).to.match(/version 1 was sent.*current one is 2/);
      expect((await stage.good('GET', `/callflows/${id}`)).version).to.equal(2);
    });

    it('require the current version and keep the kind', async () => {
      const { id } = await stage.make();
      expect(await codeOf(stage.request('PUT', `/callflows/${id}`, MENU))).to.equal('400 VALIDATION_ERROR version');
      const other = { ...graph({ end: END }), version: 1 };
      expect(await codeOf(stage.request('PUT', `/callflows/${id}`, other))).to.equal('400 VALIDATION_ERROR kind');
    });
  });

  it('simulates flows, including drafts and earlier versions', async () => {
    const { id } = await stage.make();
    const result = await stage.good('POST', `/callflows/${id}/simulate`, { inputs: [{ digits: '1' }] });
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
    await stage.good('PUT', `/callflows/${id}`, {
      ...MENU,
      definition: { ...MENU.definition, options: {} },
      version: 1,
    });
    const before = await stage.good('POST', `/callflows/${id}/simulate`, { version: 1, inputs: [{ digits: '1' }] });
    expect(before.ending).to.equal('connect');
    const now = await stage.good('POST', `/callflows/${id}/simulate`, { inputs: [{ digits: '1' }] });
    expect(now).to.include({ version: 2, ending: 'hangup' });
    expect(await codeOf(stage.request('POST', `/callflows/${id}/simulate`, { version: 9 }))).to.equal('404 NOT_FOUND');
    const bad = stage.request('POST', `/callflows/${id}/simulate`, { inputs: [{ digits: 'x' }] });
    expect(await codeOf(bad)).to.match(/^400 VALIDATION_ERROR inputs/);
  });

  it('simulates the branch of a split that the script names', async () => {
    const branches = [
      { weight: 10, next: 'new' },
      { weight: 90, next: 'usual' },
    ];
    const { id } = await stage.make(graph({ trial: { type: 'split', branches }, new: END, usual: END }));
    const nodes = async (script: Json): Promise<unknown[]> => {
      const { path } = await stage.good('POST', `/callflows/${id}/simulate`, script);
      return (path as Json[]).map(({ node }) => node);
    };
    expect(await nodes({ splits: [1] })).to.deep.equal(['trial', 'usual']);
    expect(await nodes({})).to.deep.equal(['trial', 'new']);
    const bad = stage.request('POST', `/callflows/${id}/simulate`, { splits: [10] });
    expect(await codeOf(bad)).to.match(/^400 VALIDATION_ERROR splits/);
  });
});
