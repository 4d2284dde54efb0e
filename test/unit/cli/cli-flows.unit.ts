import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ApiClient, Json } from '../../../cli/common/api-client.js';
import type { CliContext } from '../../../cli/common/context.js';
import { EXIT } from '../../../cli/common/failure.js';
import { commandsFor } from '../../../core/model/commands.js';
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
  const responses: Record<string, Json> = {
    'POST /v1/callflows': { id: 'f1', name: 'Line', status: 'draft' },
    'POST /v1/callflows/f1/activate': { id: 'f1', name: 'Line', status: 'active' },
    'GET /v1/callflows?limit=100': {
      data: [{ id: 'f1', name: 'Line', kind: 'menu', version: 2, status: 'active', bound_numbers: ['+966115550100'] }],
    },
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
  beforeEach(() => (requests = []));

  async function hatif(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const unused = (): never => {
      throw new Error('is not used');
    };
    let [stdout, stderr] = ['', ''];
    const respond = (method: string) => (path: string) => {
      requests.push(`${method} ${path}`);
      return Promise.resolve(responses[`${method} ${path}`] ?? {});
    };
    const context: CliContext = {
      version: '0.0.0',
      commands: commandsFor(undefined),
      withPlatform: unused,
      writeAsteriskConfig: unused,
      writeFreeswitchConfig: unused,
      backup: unused,
      restore: unused,
      handover: unused,
      simulateFlow,
      progress: () => undefined,
      readSecret: unused,
      api: () =>
        Promise.resolve({ get: respond('GET'), post: respond('POST'), put: respond('PUT') } as unknown as ApiClient),
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

  it('add creates a flow, activates it, and binds a number to it', async () => {
    const { code, stdout } = await hatif('flows', 'add', file, '--activate', '--bind', '011 555 0100');
    expect(code).to.equal(0);
    expect(stdout).to.contain('Line is active: f1');
    expect(requests).to.deep.equal([
      'POST /v1/callflows',
      'POST /v1/callflows/f1/activate',
      'GET /v1/numbers?limit=100',
      'GET /v1/numbers?limit=100&cursor=next',
      'PUT /v1/numbers/n2/binding',
    ]);
  });

  it('list shows flows, and bind reports a missing number', async () => {
    expect((await hatif('flows', 'list')).stdout).to.match(/Line\s+menu\s+2\s+active\s+\+966115550100/);
    const { code, stderr } = await hatif('flows', 'bind', '+966115559999', 'f1');
    expect(code).to.equal(EXIT.failed);
    expect(stderr).to.contain('no number +966115559999');
  });
});
