import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { build } from 'esbuild';
import { WebSocket, WebSocketServer, type RawData } from 'ws';
import { ENGINES_MS } from '../../../core/services/web-calling/connect.js';
import { OWNER_MS } from '../../../core/services/web-calling/pages.js';
import { connectWithinMs, firstRetryMs } from '../../../packages/web/src/signalling/retry.js';
import { replyTo } from '../../support/peers/sip-reply.js';

/** How long a process may take to answer another one. */
const LAST_QUESTION_MS = 5_000;

/** What this test uses of the package's line, whose own types are those of browsers. */
interface Line {
  on(name: 'registered' | 'refused', listener: (status: number | null) => void): void;
  start(): void;
  stop(): void;
}

/** The same of the package, as it runs in browsers, with JsSIP. */
interface Package {
  readonly Line: new (account: object, isInCall: () => boolean) => Line;
  readonly exchange: (options: object) => Promise<object>;
  readonly askToResume: (baseUrl: string, account: object) => Promise<number>;
}

/** Node 20 has no WebSocket of its own. */
async function browserPackage(): Promise<Package> {
  Object.assign(globalThis, { WebSocketOfTest: WebSocket });
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from './src/signalling/line.ts'; export * from './src/account/exchange.ts'`,
      ...{ resolveDir: join(process.cwd(), 'packages/web'), loader: 'js' },
    },
    ...{ bundle: true, write: false, format: 'esm', platform: 'browser', logLevel: 'silent' },
    define: { WebSocket: 'WebSocketOfTest' },
  });
  const module = Buffer.from(outputFiles[0]!.contents).toString('base64');
  return (await import(`data:text/javascript;base64,${module}`)) as Package;
}

describe('the first registration of a browser', function () {
  this.timeout(30_000);
  let server: WebSocketServer;
  let web: Package;
  /** The answers to the next REGISTERs with a password; the last one is repeated. */
  let answers: string[];
  /** The WebSockets that were opened, and the REGISTERs with a password. */
  let connections: number;
  let registers: number;

  before(async () => {
    web = await browserPackage();
  });
  beforeEach(async () => {
    [connections, registers] = [0, 0];
    server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'sip' });
    server.on('connection', (socket) => {
      connections += 1;
      socket.on('message', (data) => socket.send(answer(textOf(data))));
    });
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const client of server.clients) client.terminate();
    await new Promise((resolve) => server.close(resolve));
  });

  const answer = (request: string): string => {
    const challenge = 'WWW-Authenticate: Digest realm="hatif", nonce="a1b2c3", algorithm=MD5, qop="auth"';
    if (!/^Authorization:/im.test(request)) return replyTo(request, '401 Unauthorized', challenge);
    registers += 1;
    const status = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (!status.startsWith('200')) return replyTo(request, status, challenge);
    return replyTo(request, status, /^Contact: .*$/im.exec(request)![0].trim());
  };

  /** What the line reports first. */
  const outcome = async (): Promise<string> => {
    const line = new web.Line(
      {
        sip: { uri: 'sip:web.1@web', username: 'web.1', password: 'secret' },
        ws_url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
        display_name: 'Reem',
      },
      () => false,
    );
    try {
      return await new Promise((resolve) => {
        line.on('registered', () => resolve('registered'));
        line.on('refused', (status) => resolve(`refused ${String(status)}`));
        line.start();
      });
    } finally {
      line.stop();
    }
  };

  it('succeeds although the engine did not know the browser at first, each time by another connection', async () => {
    answers = ['401 Unauthorized', '403 Forbidden', '200 OK'];
    expect(await outcome()).to.equal('registered');
    expect([registers, connections]).to.deep.equal([3, 3]);
  });

  it('is given up after three more attempts', async () => {
    answers = ['401 Unauthorized'];
    expect(await outcome()).to.equal('refused 401');
    expect([registers, connections]).to.deep.equal([4, 4]);
  });

  it('is given up at once for other reasons', async () => {
    answers = ['404 Not Found'];
    expect(await outcome()).to.equal('refused 404');
    expect(registers).to.equal(1);
  });

  /** Runs this while the platform gives these answers, of which the last one is repeated. @returns what it was sent */
  const platform = async (
    replies: readonly [status: number, body: object][],
    run: (baseUrl: string) => Promise<void>,
  ): Promise<string[]> => {
    const bodies: string[] = [];
    const http = createServer((request, response) => {
      void text(request).then((body) => {
        const [status, reply] = replies[Math.min(bodies.push(body), replies.length) - 1]!;
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
      });
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    try {
      await run(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
    } finally {
      http.close();
    }
    return bodies;
  };

  it('follows an account, which is asked for again with the same nonce while the engines do not answer', async () => {
    const away: [number, object] = [502, { error_code: 'WEBRTC_PROVISIONING_FAILED' }];
    const bodies = await platform([away, away, [200, { answer: 3 }]], async (baseUrl) => {
      expect(await web.exchange({ baseUrl, token: 'wcs_1', region: null })).to.deep.equal({ answer: 3 });
    });
    expect(bodies).to.have.lengthOf(3);
    expect(new Set(bodies).size).to.equal(1);
  });

  it('waits for the platform longer than that waits for engines, and for the owners of calls', async () => {
    const limits: number[] = [];
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => {
      limits.push(ms);
      return timeout(ms);
    };
    try {
      await platform([[200, { calls: 1 }]], async (baseUrl) => {
        await web.exchange({ baseUrl, token: 'wcs_1', region: null });
        expect(await web.askToResume(baseUrl, { username: 'web.1', password: 'secret' })).to.equal(1);
      });
    } finally {
      AbortSignal.timeout = timeout;
    }
    expect(limits).to.have.lengthOf(2);
    expect(limits[0]).to.be.greaterThan(ENGINES_MS + LAST_QUESTION_MS);
    expect(limits[1]).to.be.greaterThan(OWNER_MS + LAST_QUESTION_MS);
  });

  it('waits longer each time, and less than a connection may take', () => {
    const pauses = [0, 1, 2].map((refusals) => firstRetryMs(401, refusals)!);
    expect(pauses).to.deep.equal(pauses.toSorted((a, b) => a - b));
    expect(pauses.reduce((sum, one) => sum + one)).to.be.below(connectWithinMs(0, false));
    expect([firstRetryMs(401, 3), firstRetryMs(503, 0)]).to.deep.equal([null, null]);
  });
});

function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString() : '';
}
