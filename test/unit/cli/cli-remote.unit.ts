import { Readable } from 'node:stream';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';

import { countingRecords } from '../../../cli/common/csv.js';
import type { CliContext } from '../../../cli/common/context.js';
import { UNUSED_CONTEXT } from '../../support/unused-context.js';
import { EXIT } from '../../../cli/common/failure.js';
import { readAuthorities } from '../../../cli/common/installation.js';
import { rangesOf } from '../../../cli/remote/ranges.js';
import { withRemote } from '../../../cli/remote/installation.js';
import { runCli } from '../../../cli/program.js';
import { csvLine } from '../../../core/model/csv.js';
import { readNumberLines } from '../../../core/model/number/import.js';

const TOKEN = 'adm_of_the_tests';
const fixture = (name: string): string => fileURLToPath(new URL(`../../support/fixtures/${name}`, import.meta.url));

describe('hatif --url', () => {
  let answer: RequestListener;
  let server: ReturnType<typeof createServer>;
  let url: string;

  before(async () => {
    server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const json = (response: ServerResponse, body: object, status = 200): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const page = (data: readonly object[], next_cursor: string | null = null): object => ({
    data,
    next_cursor,
    limit: 100,
  });
  const refusal = (error_code: string, message: string): object => ({
    error_code,
    message,
    message_ar: '',
    request_id: 'r',
  });
  const isProjects = ({ url: path }: IncomingMessage): boolean => path?.startsWith('/v1/admin/projects') === true;
  /** Lists no project; any other request is answered by the test. */
  const beside = (own: RequestListener): RequestListener => {
    return (request, response) => (isProjects(request) ? json(response, page([])) : own(request, response));
  };

  async function hatif(
    args: readonly string[],
    token: string | null = TOKEN,
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    let [stdout, stderr] = ['', ''];
    const context: CliContext = {
      ...UNUSED_CONTEXT,
      withInstallation: async (installation, work) => {
        const ca = installation.caFile === null ? null : await readAuthorities(installation.caFile);
        return withRemote({ url: installation.url, ca, token: token ?? undefined }, work);
      },
      output: (asJson) => ({
        json: asJson,
        out: (line) => (stdout += `${line}\n`),
        note: (line) => (stderr += `${line}\n`),
      }),
      interrupted: new AbortController().signal,
    };
    return { code: await runCli(args, context), stdout, stderr };
  }

  describe('refuses before it sends anything', () => {
    let asked: number;
    beforeEach(() => {
      asked = 0;
      answer = (_, response) => {
        asked += 1;
        json(response, page([]));
      };
    });
    afterEach(() => expect(asked).to.equal(0));

    for (const [what, args, problem] of [
      ['no address', ['--url', 'hatif.example'], /"hatif\.example" is not the address of an installation/],
      ['an address with a path', ['--url', 'https://files.example/a.mp3'], /To play a file in a call: --play/],
      ['an address with a password', ['--url', 'https://me:x@hatif.example'], /is not the address/],
      ['another protocol', ['--url', 'ftp://hatif.example'], /is not the address/],
      ['plain HTTP to another host', ['--url', 'http://192.0.2.1:8080'], /without encryption[^]*Use https/],
      ['--ca alone', ['--ca', 'file.pem'], /--ca: is only used with --url/],
    ] as const) {
      it(what, async () => {
        const { code, stderr } = await hatif(['projects', 'list', ...args]);
        expect(stderr).to.match(problem);
        expect(code).to.equal(EXIT.usage);
      });
    }

    it('no token, an API key in its place, and a text that no header holds', async () => {
      for (const [token, problem] of [
        [null, 'HATIF_ADMIN_TOKEN is not set'],
        ['sk_live_4f9zQ0kSx1uVbN7cR2tYhE3MwLgA5d', 'holds an API key'],
        ['adm_x\r\nX-Other: y', 'is not a token'],
      ] as const) {
        const { code, stderr } = await hatif(['projects', 'list', '--url', url], token);
        expect(stderr).to.contain(problem).and.contain('admin token create');
        expect(stderr).to.not.contain('4f9zQ0kSx1uVbN7cR2tYhE3MwLgA5d');
        expect(code).to.equal(EXIT.usage);
      }
    });

    for (const [words, args] of [
      ['backup', ['backup', 'x.tar.gz']],
      ['restore', ['restore', 'x.tar.gz']],
      ['handover', ['handover']],
      ['asterisk-config', ['asterisk-config', 'folder']],
      ['freeswitch-config', ['freeswitch-config', 'folder']],
      ['certificates list', ['certificates', 'list']],
      ['certificates retry', ['certificates', 'retry']],
      ['certificates write', ['certificates', 'write', 'folder']],
      ['flows test', ['flow', 'test', 'flow.json']],
    ] as const) {
      it(`the local command ${words}`, async () => {
        const { code, stderr } = await hatif(['--url', url, ...args]);
        expect(stderr).to.contain(`--url is not for \`${words}\`: it `);
        expect(code).to.equal(EXIT.usage);
      });
    }

    it('a file of authorities that is none', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'hatif-ca-'));
      const file = join(folder, 'ca.pem');
      await writeFile(file, 'no certificate');
      expect((await hatif(['status', '--url', url, '--ca', file])).stderr).to.contain('is not a certificate');
      expect((await hatif(['status', '--url', url, '--ca', join(folder, 'none')])).stderr).to.contain('cannot be read');
      await rm(folder, { recursive: true });
    });
  });

  it('sends the token, and reads every page', async () => {
    const asked: string[] = [];
    answer = (request, response) => {
      asked.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`);
      const project = (id: string): object => ({
        id,
        name: id,
        organization_id: 'o',
        created_at: '2026-01-01T00:00:00.000Z',
      });
      json(response, request.url?.includes('cursor=next') ? page([project('b')]) : page([project('a')], 'next'));
    };
    await hatif(['--url', `${url}/`, 'calls', 'list']);
    expect(asked).to.deep.equal([
      `/v1/admin/projects?limit=100 Bearer ${TOKEN}`,
      `/v1/admin/projects?limit=100&cursor=next Bearer ${TOKEN}`,
    ]);
  });

  it('says that the host is away', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    other.close();
    await once(other, 'close');
    const { code, stderr } = await hatif(['status', '--url', `http://127.0.0.1:${port}`]);
    expect(stderr).to.match(/^http:\/\/127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED/);
    expect(stderr).to.not.contain('unknown');
    expect(code).to.equal(EXIT.unreachable);
  });

  it('says that a change may have happened if the connection breaks', async () => {
    answer = beside((_, response) => response.destroy());
    const { code, stderr } = await hatif(['sip-targets', 'add', 'pbx.example', '--url', url]);
    expect(stderr).to.contain('does not answer').and.contain('Whether it did what it was asked for is unknown');
    expect(code).to.equal(EXIT.unreachable);
    const reading = await hatif(['sip-targets', 'list', '--url', url]);
    expect(reading.stderr).to.contain('does not answer').and.not.contain('unknown');
  });

  for (const [what, status, body, problem, exit] of [
    [
      'a refused token',
      401,
      refusal('ADMIN_UNAUTHORIZED', 'Not you.'),
      /refuses the token of HATIF_ADMIN_TOKEN: Not you\./,
      1,
    ],
    ['no route', 404, refusal('NOT_FOUND', 'There is no GET /v1/admin/sip-targets.'), /no route[^]*older or newer/, 1],
    ['a database that is away', 503, refusal('INTERNAL_ERROR', 'Away.'), /The database does not answer/, 3],
    ['an unknown code', 418, refusal('TEAPOT', 'I am a teapot.'), /^I am a teapot\.\n$/, 1],
    ['no error code', 502, {}, /returned status 502 without an error code/, 3],
  ] as const) {
    it(`reports ${what}`, async () => {
      answer = beside((_, response) => json(response, body, status));
      const { code, stderr } = await hatif(['sip-targets', 'list', '--url', url]);
      expect(stderr).to.match(problem);
      expect(code).to.equal(exit);
    });
  }

  it('reports a host that is no installation', async () => {
    answer = (_, response) => void response.writeHead(200).end('<h1>Hello</h1>');
    expect((await hatif(['status', '--url', url])).stderr).to.contain('returned something else than JSON');
    answer = (_, response) => json(response, { hello: 1 });
    expect((await hatif(['status', '--url', url])).stderr).to.contain('something else than a list');
    answer = (_, response) => void response.writeHead(301, { location: 'https://other.example/' }).end();
    expect((await hatif(['status', '--url', url])).stderr).to.contain('redirects to https://other.example/');
  });

  it('waits as long as a rate limit asks for, and no longer than that', async () => {
    let tries = 0;
    answer = beside((_, response) => {
      tries += 1;
      if (tries === 1) response.setHeader('retry-after', '0.01');
      const refused = refusal('RATE_LIMIT_EXCEEDED', 'Too many.');
      json(response, tries === 1 ? refused : { data: [] }, tries === 1 ? 429 : 200);
    });
    expect((await hatif(['sip-targets', 'list', '--url', url])).stdout).to.contain('No SIP address');
    expect(tries).to.equal(2);
    answer = beside((_, response) => {
      response.setHeader('retry-after', '3600');
      json(response, refusal('RATE_LIMIT_EXCEEDED', 'Too many.'), 429);
    });
    expect((await hatif(['sip-targets', 'list', '--url', url])).stderr).to.contain('Too many.');
  });

  it('never names what is not a segment of a path', async () => {
    const asked: string[] = [];
    answer = beside((request, response) => {
      asked.push(request.url ?? '');
      json(response, refusal('NOT_FOUND', 'Nothing.'), 404);
    });
    for (const name of ['', '.', '..']) {
      const { code, stderr } = await hatif(['engines', 'remove', name, '--url', url]);
      expect([code, stderr]).to.deep.equal([EXIT.failed, `There is nothing named "${name}".\n`]);
    }
    await hatif(['engines', 'remove', '../trunks/a?b', '--url', url]);
    expect(asked).to.deep.equal(['/v1/admin/engines/..%2Ftrunks%2Fa%3Fb']);
  });

  it('sends an object with a change that says nothing more', async () => {
    let body = '';
    answer = beside((request, response) => {
      void text(request).then((sent) => {
        body = sent;
        json(response, refusal('VALIDATION_ERROR', 'No.'), 400);
      });
    });
    await hatif(['engines', 'resume', 'x', '--url', url]);
    expect(body).to.equal('{}');
  });

  describe('over TLS', () => {
    let secure: ReturnType<typeof createTlsServer>;
    let address: string;
    before(async () => {
      const [cert, key] = await Promise.all(
        ['self-signed.pem', 'self-signed-key.pem'].map((name) => readFile(fixture(name))),
      );
      secure = createTlsServer({ cert, key }, (_, response) => json(response, page([]))).listen(0, '127.0.0.1');
      await once(secure, 'listening');
      address = `127.0.0.1:${(secure.address() as AddressInfo).port}`;
    });
    after(() => {
      secure.closeAllConnections();
      secure.close();
    });

    it('refuses a certificate of an unknown authority, and takes the one that --ca names', async () => {
      const unknown = await hatif(['projects', 'list', '--url', `https://${address}`]);
      expect(unknown.stderr)
        .to.match(/The certificate of .* is not trusted: self-signed/)
        .and.contain('--ca names the file');
      expect(unknown.code).to.equal(EXIT.unreachable);
      const trusted = ['projects', 'list', '--url', `https://${address}`, '--ca', fixture('self-signed.pem')];
      expect((await hatif(trusted)).stdout).to.contain('There is no project yet');
    });

    it('refuses a certificate of another authority, and one of another host', async () => {
      const other = ['projects', 'list', '--url', `https://${address}`, '--ca', fixture('self-signed-renewed.pem')];
      expect((await hatif(other)).code).to.equal(EXIT.unreachable);
      const host = ['projects', 'list', '--url', `https://${address.replace('127.0.0.1', 'localhost')}`];
      const { code, stderr } = await hatif([...host, '--ca', fixture('self-signed.pem')]);
      expect(stderr).to.match(/is not trusted|does not answer/);
      expect(code).to.equal(EXIT.unreachable);
    });

    it('says that a host speaks no TLS', async () => {
      answer = (_, response) => json(response, page([]));
      const { code, stderr } = await hatif(['projects', 'list', '--url', url.replace('http:', 'https:')]);
      expect(stderr).to.contain('does not answer');
      expect(code).to.equal(EXIT.unreachable);
    });
  });
});

describe('numbers of an import', () => {
  it('are written as ranges, which the platform reads as the same numbers', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 60 }), (endings) => {
        const numbers = endings.map((ending) => `+966115551${String(ending).padStart(3, '0')}`);
        const lines = rangesOf(numbers).map((number, index) => ({ line: index + 1, number, type: '' }));
        const read = readNumberLines(lines);
        expect(read.faults).to.deep.equal([]);
        expect(read.numbers.map(({ e164 }) => e164)).to.deep.equal(numbers);
      }),
    );
    expect(rangesOf(['+966115551000', '+966115551001', '+966115551003'])).to.deep.equal([
      '+966115551000-+966115551001',
      '+966115551003',
    ]);
    expect(rangesOf(['+99999999', '+100000000'])).to.deep.equal(['+99999999', '+100000000']);
  });
});

describe('records of CSV', () => {
  it('are counted, whatever is in them and however the text is cut', async () => {
    const rows = fc.array(fc.array(fc.string({ maxLength: 6 }), { minLength: 2, maxLength: 3 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), async (records, size) => {
        const whole = records.map((record) => csvLine(record)).join('');
        const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        let [count, again] = [0, ''];
        for await (const piece of countingRecords(Readable.from(pieces), (more) => (count += more))) again += piece;
        expect([count, again]).to.deep.equal([records.length, whole]);
      }),
    );
  });
});
