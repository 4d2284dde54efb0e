import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { expect } from 'chai';
import fc from 'fast-check';

import { simulateFlow } from '../../../ivr/flow/machine/simulate.js';
import { ApiClient } from '../../../cli/common/api-client.js';
import type { CliContext } from '../../../cli/common/context.js';
import { UNUSED_CONTEXT } from '../../support/unused-context.js';
import { CliError, EXIT } from '../../../cli/common/failure.js';
import { fields, plain, table } from '../../../cli/common/output.js';
import { commandsFor } from '../../../core/model/commands.js';
import { runCli } from '../../../cli/program.js';
import { serverSentEvents, type ServerSentEvent } from '../../../cli/common/server-sent-events.js';

async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const size of sizes) {
    yield bytes.subarray(from, from + size);
    from += size;
  }
  await Promise.resolve();
  yield bytes.subarray(from);
}

async function eventsOf(stream: string, sizes: readonly number[] = []): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of serverSentEvents(inPieces(new TextEncoder().encode(stream), sizes))) events.push(event);
  return events;
}

describe('server-sent events', () => {
  it('are parsed field by field, without comments and unfinished events', async () => {
    const stream =
      ': keep open\n\nid: 7\nevent: call.answered\ndata: {"a":1}\n\ndata:one\ndata: two\n\ndata: never ended\n';
    expect(await eventsOf(stream)).to.deep.equal([
      { id: '7', event: 'call.answered', data: '{"a":1}' },
      { id: null, event: 'message', data: 'one\ntwo' },
    ]);
  });

  it('are the same for any chunks and line endings', async () => {
    const expected = [
      { id: '1', event: 'call.ringing', data: '{"text":"مرحبا"}' },
      { id: '2', event: 'message', data: 'x' },
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 }),
        async (end, sizes) => {
          const lines = ['id: 1', 'event: call.ringing', 'data: {"text":"مرحبا"}', '', 'id: 2', 'data: x', '', ''];
          expect(await eventsOf(`${lines.join(end)}${end}`, sizes)).to.deep.equal(expected);
        },
      ),
    );
  });
});

describe('command output', () => {
  it('is a table with aligned columns', () => {
    const rows = [
      { name: 'a', at: new Date('2026-03-04T05:06:07Z'), on: true, list: ['x', 'y'] },
      { name: 'longer', at: null, on: false, list: [] },
    ];
    const shown = table(
      rows,
      { NAME: (row) => row.name, AT: (row) => row.at, ON: (row) => row.on, LIST: (row) => row.list },
      'none',
    );
    expect(shown.split('\n')).to.deep.equal([
      'NAME    AT                 ON   LIST',
      'a       2026-03-04 05:06Z  yes  x,y',
      'longer  -                  no   -',
    ]);
    expect(table([], { NAME: () => '' }, 'none')).to.equal('none');
    expect(fields({ a: 1, long: null })).to.equal('a     1\nlong  -');
  });

  it('keeps columns aligned beside Arabic text, with and without marks', () => {
    const rows = [{ name: 'ريم الحَربيّ' }, { name: 'Sara' }];
    const shown = table(rows, { NAME: (row) => row.name, CALLS: () => 7 }, '');
    // Isolated (FSI, PDI), so that a terminal does not move the number to the other side of the name.
    expect(shown.split('\n')).to.deep.equal(['NAME        CALLS', '\u2068ريم الحَربيّ\u2069  7', 'Sara        7']);
    expect(fields({ name: 'ريم' })).to.equal('name  \u2068ريم\u2069');
  });

  it('contains no control characters from foreign texts', () => {
    expect(plain('\u001b[31mred\u001b[0m\u0007\r\nnext')).to.equal('red  next');
    expect(table([{ name: '\u001b]0;title\u0007x' }], { NAME: (row) => row.name }, '')).to.not.contain('\u001b');
  });
});

/** An API with scripted responses, for behaviour that a real one does not show on demand. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server & { url: string }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(server, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

describe('command line and the API', () => {
  let server: Server & { url: string };
  let answer: (request: IncomingMessage, response: ServerResponse) => void;

  before(async () => {
    server = await serve((request, response) => answer(request, response));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  let prefix: string | undefined;
  beforeEach(() => (prefix = undefined));

  async function hatif(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    let [stdout, stderr] = ['', ''];
    const context: CliContext = {
      ...UNUSED_CONTEXT,
      commands: commandsFor(prefix),
      simulateFlow,
      api: () => Promise.resolve(new ApiClient(server.url, 'sk_live_test')),
      output: (json) => ({ json, out: (line) => (stdout += `${line}\n`), note: (line) => (stderr += `${line}\n`) }),
      interrupted: new AbortController().signal,
    };
    return { code: await runCli(args, context), stdout, stderr };
  }

  it('lists every command with a sentence below a heading', async () => {
    const { code, stdout } = await hatif('--help');
    expect(code).to.equal(0);
    expect(stdout).to.contain('Usage: npx hatif [options] [command]');
    const headings = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
    expect(headings).to.include.members(['See what happens', 'Calls', 'Money', 'The installation']);
    expect(headings).to.not.include('Commands');
    const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]+)(?:\|\S+)?(?: [[<].*?[\]>])* {2,}(\S.*)$/gm)];
    const names = commands.map(([, name]) => name);
    expect(names).to.include.members(['status', 'calls', 'flows', 'caps', 'projects', 'engines', 'backup', 'restore']);
    for (const [, name, sentence] of commands) expect(sentence, name).to.match(/^[a-z]+,? /);
  });

  it('suggests the nearest command, and where the commands are listed', async () => {
    const far = await hatif('cals', 'list');
    expect(far.code).to.equal(EXIT.usage);
    expect(far.stderr).to.match(/unknown command 'cals'\n.*calls[^]*npx hatif --help/);
    const near = await hatif('calls', 'shw');
    expect(near.stderr).to.match(/Did you mean show\?[^]*\(npx hatif calls --help lists its commands\)/);
    const option = await hatif('caps', 'set', '--dya', '3');
    expect(option.stderr).to.match(/Did you mean --day\?[^]*\(npx hatif caps set --help lists its options\)/);
  });

  it('writes commands as they work outside of its container', async () => {
    prefix = 'docker compose exec application';
    const help = async (...args: string[]) => (await hatif(...args, '--help')).stdout.replace(/\s+/g, ' ');
    expect(await help('calls')).to.contain(`Usage: ${prefix} hatif calls `);
    expect(await help('calls', 'show')).to.contain(`\`${prefix} hatif calls list\` shows it`);
    expect(await help('webhooks', 'redeliver')).to.not.match(/npx|npm/);
    const { stderr } = await hatif('fraud', 'release', 'x');
    expect(stderr).to.contain(`${prefix} hatif fraud blocked shows the IDs.`);
  });

  it('refuses an address that is none before it asks the API', async () => {
    const { code, stderr } = await hatif('call', '0501234567', '--base-url', 'nonsense');
    expect(code).to.equal(EXIT.usage);
    expect(stderr).to.contain('--base-url: must be an address such as');
  });

  it('shows an error of the API with its code, its request id and a hint', async () => {
    answer = (_request, response) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error_code: 'SANDBOX_KEY_NOT_ALLOWED', message: 'Not with this key.', request_id: 'r-1' }),
      );
    };
    const { code, stderr } = await hatif('call', '+966501234567', '--say', 'Hi');
    expect(code).to.equal(EXIT.failed);
    expect(stderr).to.match(/^Not with this key\. \[SANDBOX_KEY_NOT_ALLOWED, request r-1\]\n.+/);
  });

  it('reports a foreign response or a missing server', async () => {
    answer = (_request, response) => response.writeHead(502).end('<html>');
    expect((await hatif('call', '+966501234567')).stderr).to.contain('status 502');
    const gone = await serve(() => undefined);
    gone.close();
    await once(gone, 'close');
    const error: unknown = await new ApiClient(gone.url, 'k').get('/v1/calls').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(CliError).and.to.include({ exitCode: EXIT.unreachable });
  });

  it('requests what the options specify, and treats exclusive options as wrong usage', async () => {
    const bodies: unknown[] = [];
    answer = (request, response) => {
      void text(request).then((body) => {
        bodies.push(JSON.parse(body));
        response.writeHead(202).end(JSON.stringify({ call_id: 'c-1', customer_number_masked: '+9665…' }));
      });
    };
    await hatif('call', '0501234567', '--say', 'مرحبا', '--no-follow');
    await hatif('call', '0501234567', '--say', 'Hello', '--from', '+966112345678', '--no-follow');
    await hatif('call', '0501234567', '--connect-agent', '1001', '--ring-timeout', '20', '--no-follow');
    expect(bodies).to.deep.equal([
      { to: '0501234567', play: { text: 'مرحبا', language: 'ar' } },
      { to: '0501234567', play: { text: 'Hello', language: 'en' }, caller_id_number: '+966112345678' },
      { to: '0501234567', connect: { type: 'agent', target: '1001' }, ring_timeout_seconds: 20 },
    ]);
    const both = await hatif('call', '0501234567', '--say', 'x', '--play', 'https://example.com/x.wav');
    expect(both.code).to.equal(EXIT.usage);
    expect(bodies).to.have.lengthOf(3);
  });

  it('follows a call, prints each event once, and exits with the outcome of the call', async () => {
    const entry = (type: string, data: object = {}): object => ({
      at: '2026-01-01T00:00:00.000Z',
      type,
      sequence: 1,
      data,
    });
    const timelines = [
      [entry('call.initiated')],
      [entry('call.initiated'), entry('leg.ringing', { leg: 'customer' })],
      [entry('call.initiated'), entry('leg.ringing', { leg: 'customer' }), entry('call.missed')],
    ];
    answer = (request, response) => {
      const isTimeline = request.url?.endsWith('/timeline');
      const call = {
        call_id: 'c-1',
        status: 'missed',
        disposition: 'busy',
        hangup_cause: { q850: 17, sip_code: 486, text: 'User busy' },
        duration_seconds: null,
        customer_number_masked: '+9665…',
      };
      const body = isTimeline ? { data: timelines.length > 1 ? timelines.shift() : timelines[0] } : call;
      response.writeHead(request.method === 'POST' ? 202 : 200).end(JSON.stringify(body));
    };
    const { code, stdout, stderr } = await hatif('call', '+966501234567');
    expect(code).to.equal(EXIT.unanswered);
    expect(stdout.match(/leg\.ringing {2}leg=customer/g)).to.have.lengthOf(1);
    expect(stdout.trimEnd().split('\n')).to.have.lengthOf(4);
    expect(stderr).to.contain('missed (busy): User busy');
  });

  it('prints the selected events as they arrive, and resumes after a lost connection', async () => {
    const message = (id: number, type: string): string =>
      `id: e${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, timestamp: '2026-01-01T00:00:00.000Z', data: { call_id: 'c-1' } })}\n\n`;
    const resumedFrom: (string | undefined)[] = [];
    answer = (request, response) => {
      resumedFrom.push(request.headers['last-event-id'] as string | undefined);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (resumedFrom.length > 1) response.write(message(3, 'call.ended'));
      else response.write(message(1, 'call.answered') + message(2, 'message.sent'), () => response.destroy());
    };
    const { code, stdout, stderr } = await hatif('listen', '--events', 'call.*', '--count', '2', '--json');
    expect(code).to.equal(0);
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).to.deep.equal(['call.answered', 'call.ended']);
    expect(resumedFrom).to.deep.equal([undefined, 'e2']);
    expect(stderr).to.contain('connection was lost');
  });

  it('treats an unknown event as wrong usage', async () => {
    expect((await hatif('listen', '--events', 'call.exploded')).code).to.equal(EXIT.usage);
  });
});
