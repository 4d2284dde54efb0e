import { createServer, type RequestListener, type Server } from 'node:http';
import { expect } from 'chai';
import { AcmeAuthority } from '../../../adapters/acme/acme-authority.js';
import type { AcmeCertificateRow } from '../../../core/data/rows.js';
import { isSound } from '../../../core/services/certificates/state.js';
import { listenOnLoopback, portOf } from '../../support/peers/listening.js';
import { CertificateStage, MOST_REQUESTS } from '../../support/stages/certificate-stage.js';

const MINUTE_MS = 60_000;

describe('the renewal of a certificate', () => {
  let stage: CertificateStage;
  let server: Server;
  let answer: RequestListener;
  let names = 0;
  const authorities: AcmeAuthority[] = [];

  before(async () => {
    stage = await CertificateStage.start();
    server = createServer((request, response) => answer(request, response));
    await listenOnLoopback(server);
  });
  after(async () => {
    await Promise.all(authorities.map((authority) => authority.close()));
    server.closeAllConnections();
    server.close();
    await stage.close();
  });

  /** A certificate that nobody has asked for, from the authority of the test. */
  function another(directoryUrl = `http://127.0.0.1:${portOf(server)}/dir`) {
    const wanted = { authority: directoryUrl, names: `n${(names += 1)}.example.test` };
    const authority = new AcmeAuthority({ directoryUrl });
    authorities.push(authority);
    return { wanted, authority, renewal: stage.renewal(authority, wanted) };
  }

  const minutesUntil = (time: Date): number => Math.round((time.getTime() - stage.clock.now().getTime()) / MINUTE_MS);

  it('waits for as long as an authority asks that has had enough', async () => {
    answer = (_, response) => {
      response.writeHead(429, { 'retry-after': '7200' }).end('{"detail":"too many orders"}');
    };
    const { wanted, renewal } = another();
    await renewal.run();
    const row = await stage.row(wanted);
    expect([row.failures, minutesUntil(row.next_attempt_at)]).to.deep.equal([1, 120]);
    expect(row.failure).to.contain('429');
  });

  it('names an authority that is away', async () => {
    const { wanted, renewal } = another('http://127.0.0.1:1/dir');
    await renewal.run();
    expect((await stage.row(wanted)).failure).to.equal('127.0.0.1:1 cannot be reached (ECONNREFUSED)');
  });

  it('survives an answer that is none', async () => {
    answer = (_, response) => response.end('<html>a proxy</html>');
    const { wanted, renewal } = another();
    await renewal.run();
    const row = await stage.row(wanted);
    expect(row.failures).to.equal(1);
    expect(row.failure).to.match(/\w/);
  });

  it('is given up by a process that stops, and due again at once', async () => {
    let asked = (): void => undefined;
    const reached = new Promise<void>((resolve) => (asked = resolve));
    answer = () => asked();
    const { wanted, authority, renewal } = another();
    let isStopping = false;
    const run = renewal.run(() => isStopping);
    await reached;
    isStopping = true;
    await authority.close();
    await run;
    const row = await stage.row(wanted);
    expect([row.failures, row.failure]).to.deep.equal([0, null]);
    expect(row.next_attempt_at.getTime()).to.be.at.most(stage.clock.now().getTime());
  });

  it('of a process that was killed is taken up by another one after ten minutes', async () => {
    answer = (_, response) => response.end('{}');
    const { wanted, renewal } = another();
    const now = stage.clock.now();
    await stage.certificates.want(wanted, now);
    const taken = await stage.certificates.take(wanted, now, new Date(now.getTime() + 10 * MINUTE_MS));
    expect(taken?.names).to.equal(wanted.names);
    await renewal.run();
    expect((await stage.row(wanted)).failures, 'while the other one may still work').to.equal(0);
    stage.clock.moveTo(new Date(now.getTime() + 10 * MINUTE_MS));
    await renewal.run();
    expect((await stage.row(wanted)).failures, 'its own attempt').to.equal(1);
  });

  it('forgets what older settings asked for', async () => {
    const { wanted } = another();
    const now = stage.clock.now();
    await stage.certificates.want(wanted, new Date(now.getTime() - 25 * 60 * MINUTE_MS));
    expect((await stage.certificates.list(now)).map((row) => row.names)).not.to.include(wanted.names);
  });

  it('is sound while it is in time', () => {
    const day = (days: number): Date => new Date(Date.UTC(2026, 0, 1) + days * 24 * 60 * MINUTE_MS);
    const row = (failures: number): Pick<AcmeCertificateRow, 'not_before' | 'not_after' | 'failures'> => ({
      ...{ not_before: day(0), not_after: day(90), failures },
    });
    expect(isSound(row(0), day(80))).to.equal(true);
    expect(isSound(row(1), day(61)), 'a failure with time left').to.equal(true);
    expect(isSound(row(1), day(76)), 'a failure with little time left').to.equal(false);
    expect(isSound(row(0), day(90)), 'expired').to.equal(false);
    expect(isSound({ not_before: null, not_after: null, failures: 0 }, day(1)), 'none').to.equal(false);
  });
});

describe('plain HTTP beside HTTPS', () => {
  let stage: CertificateStage;

  before(async () => {
    stage = await CertificateStage.start();
  });
  after(() => stage.close());

  it('answers challenges that are open, and no others', async () => {
    const at = (token: string): string => `${stage.url}/.well-known/acme-challenge/${token}`;
    const now = stage.clock.now();
    await stage.certificates.putChallenge('open', 'open.thumbprint', new Date(now.getTime() + MINUTE_MS));
    await stage.certificates.putChallenge('over', 'over.thumbprint', new Date(now.getTime() - 1));
    const open = await fetch(at('open'), { redirect: 'manual' });
    expect([open.status, await open.text()]).to.deep.equal([200, 'open.thumbprint']);
    for (const token of ['over', 'unknown', 'a%2Fb', 'x'.repeat(300)]) {
      expect((await fetch(at(token), { redirect: 'manual' })).status, token).to.equal(308);
    }
    await stage.certificates.removeChallenge('open', now);
    expect(await stage.certificates.challenge('open', now)).to.equal(null);
  });

  it('sends browsers to HTTPS, to this host only, and refuses requests with a body', async () => {
    for (const [path, location] of [
      ['/docs?x=1', 'https://voice.example.test/docs?x=1'],
      ['//evil.example/', 'https://voice.example.test//evil.example/'],
    ] as const) {
      const answer = await fetch(`${stage.url}${path}`, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).to.deep.equal([308, location]);
    }
    const sent = await fetch(`${stage.url}/v1/calls`, { method: 'POST', body: '{}', redirect: 'manual' });
    expect(sent.status).to.equal(403);
  });

  it('limits requests', async () => {
    const answers = Array.from(
      { length: MOST_REQUESTS },
      async () => (await fetch(stage.url, { redirect: 'manual' })).status,
    );
    expect(await Promise.all(answers)).to.include(429);
  });
});
