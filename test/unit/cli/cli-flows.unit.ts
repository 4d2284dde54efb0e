import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ApiClient, Json } from '../../../cli/common/api-client.js';
import type { CliContext } from '../../../cli/common/context.js';
import { UNUSED_CONTEXT } from '../../support/unused-context.js';
import { EXIT } from '../../../cli/common/failure.js';
import { runCli } from '../../../cli/program.js';
import { simulateFlow } from '../../../ivr/flow/machine/simulate.js';

const FLOW = {
  name: 'Line',
  kind: 'menu',
  definition: {
    language: 'en',
    prompt: { text: 'One for sales' },
    options: { 1: { type: 'number', target: '0501234567' } },
  },
};

describe('hatif flows', () => {
  let folder: string;
  let file: string;
  /** The requests that the API received. */
  let requests: string[];
  let bodies: unknown[];
  const flow = (id: string, name: string, more: object = {}): object => ({
    ...{ id, name, kind: 'menu', version: 2, status: 'active', sandbox: false, bound_numbers: ['+966115550100'] },
    ...more,
  });
  const responses: Record<string, Json> = {
    'POST /v1/callflows': { id: 'f9', name: 'Night', status: 'draft' },
    'POST /v1/callflows/f9/activate': { id: 'f9', name: 'Night', status: 'active' },
    'GET /v1/callflows?limit=100': {
      data: [flow('f1', 'Line'), flow('f2', 'Line', { sandbox: true }), flow('f3', 'Night', { sandbox: true })],
      next_cursor: 'more',
    },
    'GET /v1/callflows?limit=100&cursor=more': {
      data: [flow('f4', 'Twin'), flow('f5', 'Twin', { status: 'draft' })],
      next_cursor: null,
    },
    'PUT /v1/callflows/f1': { id: 'f1', name: 'Line', status: 'active', version: 3 },
    'GET /v1/numbers?limit=100': { data: [{ id: 'n1', e164: '+966115550101' }], next_cursor: 'next' },
    'GET /v1/numbers?limit=100&cursor=next': { data: [{ id: 'n2', e164: '+966115550100' }], next_cursor: null },
    'PUT /v1/numbers/n2/binding': { e164: '+966115550100' },
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-flows-'));
    file = join(folder, 'flow.json');
    await writeFile(file, JSON.stringify(FLOW));
  });
  after(() => rm(folder, { recursive: true }));
  beforeEach(() => {
    requests = [];
    bodies = [];
  });

  async function hatif(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    let [stdout, stderr] = ['', ''];
    const respond = (method: string) => (path: string, body?: unknown) => {
      requests.push(`${method} ${path}`);
      if (body !== undefined) bodies.push(body);
      return Promise.resolve(responses[`${method} ${path}`] ?? {});
    };
    const context: CliContext = {
      ...UNUSED_CONTEXT,
      simulateFlow,
      api: () =>
        Promise.resolve({
          ...{ keyKind: 'live', get: respond('GET'), post: respond('POST'), put: respond('PUT') },
        } as unknown as ApiClient),
      output: (json) => ({ json, out: (line) => (stdout += `${line}\n`), note: (line) => (stderr += `${line}\n`) }),
      interrupted: new AbortController().signal,
    };
    return { code: await runCli(args, context), stdout, stderr };
  }

  it('test runs a file with a scripted caller, without a platform', async () => {
    const { code, stdout } = await hatif('flow', 'test', file, '--script', '{"inputs":[{"digits":"1"}]}');
    expect(code).to.equal(0);
    expect(stdout).to.contain('Path: menu → option_1').and.to.contain('menu: One for sales');
    expect(stdout).to.contain('End: connect +966501234567');
    const silent = await hatif('flow', 'test', file, '--json');
    expect(JSON.parse(silent.stdout)).to.include({ ending: 'hangup' });
    expect(requests).to.deep.equal([]);
  });

  it('test reads the script from a file, and reports faults of the script or the flow', async () => {
    const script = join(folder, 'script.json');
    await writeFile(script, '{"inputs":[{"hang_up":true}]}');
    expect((await hatif('flow', 'test', file, '--script', `@${script}`)).stdout).to.contain('End: caller_hung_up');
    for (const args of [
      [file, '--script', '{"inputs":[{"digits":"x"}]}'],
      [file, '--script', 'nonsense'],
      [script],
      [join(folder, 'none.json')],
    ]) {
      const { code, stderr } = await hatif('flow', 'test', ...args);
      expect(code, args.join(' ')).to.equal(EXIT.usage);
      expect(stderr).to.match(/not valid|JSON|kind|read/);
    }
  });

  it('test names an http node that the script does not answer', async () => {
    const http = join(folder, 'http.json');
    const ask = { type: 'http', url: 'https://example.com/x', next: 'end', failed: 'end' };
    const definition = { start: 'ask', nodes: { ask, end: { type: 'hangup' } } };
    await writeFile(http, JSON.stringify({ name: 'Asks', kind: 'graph', definition }));
    const { stdout } = await hatif('flow', 'test', http);
    expect(stdout).to.contain('Not in the script: what ask gets (http); taken as a failure');
  });

  const KNOWN = ['GET /v1/callflows?limit=100', 'GET /v1/callflows?limit=100&cursor=more'];

  it('add creates a flow, activates it, and binds a number to it', async () => {
    const add = ['flows', 'add', file, '--name', 'Night', '--activate', '--bind', '011 555 0100'];
    const { code, stdout } = await hatif(...add);
    expect(code).to.equal(0);
    expect(stdout).to.contain('Night is active: f9; calls to +966115550100 run it.');
    expect(requests).to.deep.equal([
      ...KNOWN,
      'GET /v1/numbers?limit=100',
      'GET /v1/numbers?limit=100&cursor=next',
      'POST /v1/callflows',
      'POST /v1/callflows/f9/activate',
      'PUT /v1/numbers/n2/binding',
    ]);
  });

  it('add makes no twin, and names the command for a new version', async () => {
    const { code, stderr } = await hatif('flows', 'add', file, '--activate');
    expect(code).to.equal(EXIT.failed);
    expect(stderr).to.contain('has a call flow "Line" already').and.contain(`npx hatif flows update f1 ${file}`);
    expect(requests).to.deep.equal(KNOWN);
  });

  it('add creates nothing if there is no such number', async () => {
    const { code, stderr } = await hatif('flows', 'add', file, '--name', 'Night', '--bind', '011 555 9999');
    expect(code).to.equal(EXIT.failed);
    expect(stderr).to.contain('no number 011 555 9999').and.contain('Numbers: +966115550101, +966115550100');
    expect(requests.filter((request) => !request.startsWith('GET '))).to.deep.equal([]);
  });

  it('update replaces the current version under the same name, found by name or id', async () => {
    for (const wanted of ['Line', 'f1']) {
      const { code, stdout } = await hatif('flows', 'update', wanted, file);
      expect(code).to.equal(0);
      expect(stdout).to.contain('Line is active, version 3; new calls use it: f1.');
    }
    await hatif('flows', 'update', 'Line', file, '--replaces', '1', '--name', 'Night');
    const { kind, definition } = FLOW;
    const line = { name: 'Line', kind, definition, version: 2 };
    expect(bodies).to.deep.equal([line, line, { ...line, name: 'Night', version: 1 }]);
  });

  for (const [what, args, words] of [
    ['an unknown flow', ['update', 'Lin'], /no call flow "Lin"\.\nCall flows: Line, Twin, Twin\n/],
    [
      'a name of several flows',
      ['update', 'Twin'],
      /several call flows\.\n.*f4 \(version 2, active\), f5 \(version 2, draft/,
    ],
    ['the name of another flow', ['update', 'Line', '--name', 'Twin'], /has a call flow "Twin" already/],
    ['no number of a version', ['update', 'Line', '--replaces', 'last'], /--replaces: must be/],
    ['a project', ['update', 'Line', '--project', 'demo'], /the API key decides/],
  ] as const) {
    it(`update refuses ${what}`, async () => {
      const [command, wanted, ...options] = args;
      const { code, stderr } = await hatif('flows', command, wanted, file, ...options);
      expect(code).to.not.equal(0);
      expect(stderr).to.match(words);
      expect(requests.filter((request) => !request.startsWith('GET '))).to.deep.equal([]);
    });
  }

  it('list shows flows, and bind finds them by name', async () => {
    expect((await hatif('flows', 'list')).stdout).to.match(/Line\s+menu\s+2\s+active\s+no\s+\+966115550100/);
    expect((await hatif('flows', 'bind', '0115550100', 'Line')).stdout).to.contain('Calls to +966115550100 run Line.');
    expect(bodies).to.deep.equal([{ type: 'callflow', target: 'f1' }]);
    const { code, stderr } = await hatif('flows', 'bind', '+966115559999', 'f1');
    expect(code).to.equal(EXIT.failed);
    expect(stderr).to.contain('no number +966115559999');
  });
});
