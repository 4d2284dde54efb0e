import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import { EmbeddedError, resolveTool, startEmbedded, stopEmbedded } from '../../../adapters/embedded/index.js';
import type { EmbeddedOptions, EmbeddedParts } from '../../../adapters/embedded/index.js';
import { endProcess, processRef } from '../../../adapters/embedded/system/process.js';
import { run } from '../../../adapters/embedded/system/run.js';
import { adoptedOf, askAri, pidsOf, pushSip } from '../../support/platform/embedded.js';
import { freeSipPort } from '../../support/phones/index.js';
import { SipPeer } from '../../support/peers/sip-peer.js';
import { skipBecause } from '../../support/skip.js';

const ALL = { postgres: true, redis: true, asterisk: true, speech: true };
const CACHE = resolve(process.env.HATIF_CACHE_DIR ?? '.hatif-cache');

describe('embedded parts', function () {
  // The first run on a machine downloads the packages.
  this.timeout(300_000);
  let options: EmbeddedOptions;
  let parts: EmbeddedParts;

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'hatif-embedded-'));
    const from = 41_000;
    options = {
      dataDir,
      cacheDir: CACHE,
      asterisk: {
        sip: { bind: '127.0.0.1', port: await freeSipPort() },
        rtp: { from, to: from + 99 },
        applicationWaitSeconds: 1,
      },
    };
    parts = await startEmbedded(options, ALL);
  });

  after(async () => {
    await stopEmbedded(parts);
    await rm(options.dataDir, { recursive: true, force: true });
  });

  it('starts a PostgreSQL that accepts queries and requires its password', async () => {
    const client = new pg.Client({ connectionString: parts.postgres!.url });
    await client.connect();
    await client.query('CREATE TABLE kept (what text)');
    await client.query("INSERT INTO kept VALUES ('before')");
    await client.end();
    const url = new URL(parts.postgres!.url);
    url.password = 'wrong';
    const stranger = new pg.Client({ connectionString: url.href });
    const refused = await stranger.connect().then(
      () => 'let in',
      (error: unknown) => (error as { code: string }).code,
    );
    expect(refused).to.equal('28P01');
    expect(Number(parts.postgres!.version.split('.')[0])).to.be.greaterThanOrEqual(18);
  });

  it('starts a Redis that never evicts, persists data, and requires its password', async () => {
    const client = new Redis(parts.redis!.url);
    await client.set('kept', 'before');
    expect(await client.config('GET', 'maxmemory-policy')).to.deep.equal(['maxmemory-policy', 'noeviction']);
    expect(await client.config('GET', 'appendonly')).to.deep.equal(['appendonly', 'yes']);
    client.disconnect();
    const url = new URL(parts.redis!.url);
    const stranger = new Redis(Number(url.port), '127.0.0.1', { maxRetriesPerRequest: 0 });
    stranger.on('error', () => undefined);
    const answer = await stranger.get('kept').catch((error: unknown) => (error as Error).message);
    expect(answer).to.include('NOAUTH');
    stranger.disconnect();
  });

  it('starts an Asterisk with all modules running', async () => {
    const modules = (await askAri(parts, 'GET', '/asterisk/modules')) as { name: string; status: string }[];
    expect(modules.filter(({ status }) => status !== 'Running').map(({ name }) => name)).to.deep.equal([]);
    expect(modules.map(({ name }) => name)).to.include.members([
      'chan_pjsip.so',
      'res_stasis_recording.so',
      'app_echo.so',
    ]);
    expect(parts.asterisk!.codecs.slice(0, 2)).to.deep.equal(['alaw', 'ulaw']);
    const log = await readFile(parts.asterisk!.logFile, 'utf8');
    expect(log.split('\n').filter((line) => line.includes('] ERROR['))).to.deep.equal([]);
  });

  it('hides credentials from other users of the machine', async () => {
    const files = (await readdir(options.dataDir, { recursive: true, withFileTypes: true })).filter((entry) =>
      /^(access\.json|ari\.json|ari\.conf|redis\.conf)$/.test(entry.name),
    );
    expect(files.map(({ name }) => name)).to.have.members([
      'access.json',
      'access.json',
      'ari.json',
      'ari.conf',
      'redis.conf',
    ]);
    for (const file of files) {
      expect((await stat(join(file.parentPath, file.name))).mode & 0o077, file.name).to.equal(0);
    }
  });

  it('speaks Arabic and English', async () => {
    const speech = parts.speech!;
    for (const [language, text] of [
      ['ar', 'مرحبا بكم'],
      ['en', 'welcome'],
    ] as const) {
      const file = join(options.dataDir, `${language}.wav`);
      const result = await run(speech.command, [...speech.args, '-v', language, '-w', file, text], { env: speech.env });
      expect(result.code, result.stderr).to.equal(0);
      expect((await stat(file)).size).to.be.greaterThan(10_000);
    }
  });

  it('challenges unknown callers and never lets them dial', async () => {
    const stranger = await SipPeer.open(parts.asterisk!.sip.port);
    expect(await stranger.invite('911', (status) => Number(status) >= 200)).to.deep.equal(['401']);
    stranger.close();
  });

  describe('calls from a trunk that was configured by address and port', () => {
    let trunk: SipPeer;
    before(async () => {
      trunk = await SipPeer.open(parts.asterisk!.sip.port);
      await pushSip(parts, 'aor', 'carrier', { contact: `sip:127.0.0.1:${trunk.port}` });
      await pushSip(parts, 'endpoint', 'carrier', {
        context: 'hatif-trunk',
        aors: 'carrier',
        allow: 'alaw',
        identify_by: 'ip',
      });
      await pushSip(parts, 'identify', 'carrier', { endpoint: 'carrier', match: `127.0.0.1:${trunk.port}` });
    });
    after(() => trunk.close());

    it('ring while the application is unavailable, and get 503 if it does not return', async () => {
      const statuses = await trunk.invite('+966112223344', (status) => Number(status) >= 200);
      expect(statuses).to.deep.equal(['100', '180', '503']);
    });

    it('get 503 at once above the limit, except to emergency numbers', async () => {
      await askAri(parts, 'POST', '/asterisk/variable?variable=HATIF_MAX_CALLS&value=0');
      expect(await trunk.invite('+966112223344', (status) => Number(status) >= 200)).to.deep.equal(['100', '503']);
      expect(await trunk.invite('911', (status) => status !== '100')).to.deep.equal(['100', '180']);
      await askAri(parts, 'POST', '/asterisk/variable?variable=HATIF_MAX_CALLS&value=1000');
    });
  });

  it('adopts running components', async () => {
    const again = await startEmbedded(options, ALL);
    expect(pidsOf(again)).to.deep.equal(pidsOf(parts));
    expect(adoptedOf(again)).to.deep.equal([true, true, true]);
    expect(again.asterisk!.ari).to.deep.equal(parts.asterisk!.ari);
  });

  it('restarts an idle Asterisk whose configuration changed', async () => {
    const changed = { ...options, asterisk: { ...options.asterisk!, maxCalls: 7 } };
    const again = await startEmbedded(changed, { ...ALL, postgres: false, redis: false, speech: false });
    expect(again.asterisk!.adopted).to.equal(false);
    expect(again.asterisk!.pid).not.to.equal(parts.asterisk!.pid);
    const { value } = (await askAri(again, 'GET', '/asterisk/variable?variable=HATIF_MAX_CALLS')) as { value: string };
    expect(value).to.equal('7');
  });

  it('keeps an Asterisk with a live call although its configuration changed', async () => {
    const busy = await startEmbedded(options, ALL);
    // Both halves of a Local channel: a call that needs no phone. It exists without an application.
    await askAri(
      busy,
      'POST',
      '/channels?endpoint=Local/s@hatif-echo&extension=s&context=hatif-echo&priority=1&channelId=live',
    );
    const warnings: string[] = [];
    const changed = {
      ...options,
      asterisk: { ...options.asterisk!, maxCalls: 8 },
      onProgress: (text: string) => void warnings.push(text),
    };
    const again = await startEmbedded(changed, ALL);
    expect(again.asterisk!.pid).to.equal(busy.asterisk!.pid);
    expect(again.asterisk!.staleConfig).to.equal(true);
    expect(warnings.join()).to.include('live calls');
    await askAri(busy, 'DELETE', '/channels/live');
  });

  it('survives if the process is killed, and is adopted by the next one', async () => {
    await stopEmbedded(await startEmbedded(options, ALL));
    const entry = resolve('adapters/embedded/index.ts');
    const code = `import { startEmbedded } from ${JSON.stringify(entry)};
      const parts = await startEmbedded(${JSON.stringify(options)}, ${JSON.stringify(ALL)});
      console.log(JSON.stringify([parts.postgres.pid, parts.redis.pid, parts.asterisk.pid]));
      setInterval(() => {}, 1e6);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    child.kill('SIGKILL');
    await once(child, 'exit');
    parts = await startEmbedded(options, ALL);
    expect(pidsOf(parts)).to.deep.equal(JSON.parse(line));
    expect(adoptedOf(parts)).to.deep.equal([true, true, true]);
  });

  it('restarts each component that was killed, with its data', async () => {
    const killed = pidsOf(parts);
    for (const pid of killed) await endProcess(processRef(pid)!, 'SIGKILL', 10_000);
    parts = await startEmbedded(options, ALL);
    for (const [index, pid] of pidsOf(parts).entries()) expect(pid).not.to.equal(killed[index]);
    expect(adoptedOf(parts)).to.deep.equal([false, false, false]);
    const client = new pg.Client({ connectionString: parts.postgres!.url });
    await client.connect();
    expect((await client.query('SELECT what FROM kept')).rows).to.deep.equal([{ what: 'before' }]);
    await client.end();
    const redis = new Redis(parts.redis!.url);
    expect(await redis.get('kept')).to.equal('before');
    redis.disconnect();
  });

  it('stops cleanly and leaves nothing running; stopping twice does nothing', async () => {
    await stopEmbedded(parts, { drainMs: 5_000 });
    await stopEmbedded(parts);
    for (const pid of pidsOf(parts)) expect(processRef(pid)).to.equal(undefined);
    const [log] = await Promise.all([readFile(parts.postgres!.logFile, 'utf8')]);
    expect(log.trimEnd().split('\n').at(-1)).to.include('database system is shut down');
  });

  it('starts again without any distribution once everything was downloaded', async () => {
    parts = await startEmbedded({ ...options, aptMirror: 'http://127.0.0.1:9/debian' }, ALL);
    expect(parts.asterisk!.adopted).to.equal(false);
  });

  it('reports that the SIP port is taken', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'hatif-embedded-'));
    const failure = await startEmbedded({ ...options, dataDir }, { ...ALL, postgres: false, redis: false }).catch(
      (error: unknown) => error,
    );
    expect(failure)
      .to.be.instanceOf(EmbeddedError)
      .with.property('message')
      .that.matches(/SIP.*Choose another port/);
    expect((failure as EmbeddedError).startWith).to.match(/^SIP_PORT=\d+$/);
    await rm(dataDir, { recursive: true });
  });

  it('reports that the distribution cannot be reached, and keeps nothing incomplete', async () => {
    const cacheDir = await mkdtemp(join(tmpdir(), 'hatif-cache-'));
    const failure = await resolveTool('redis-server', {
      cacheDir,
      aptMirror: 'http://127.0.0.1:9/debian',
      preferEmbedded: true,
    }).catch((error: unknown) => error);
    expect(failure)
      .to.be.instanceOf(EmbeddedError)
      .with.property('message')
      .that.includes('package index cannot be read');
    expect(await readdir(cacheDir)).not.to.include('redis');
    await rm(cacheDir, { recursive: true });
  });

  it('rejects a mirror whose index does not have Debian’s signature', async () => {
    const lists = join(CACHE, 'apt', 'lists');
    const known = (await readdir(lists).catch(() => [])).find((name) => name.endsWith('_InRelease'));
    const genuine = known === undefined ? undefined : await readFile(join(lists, known), 'utf8');
    const forged = [
      'Origin: Debian\nSuite: unstable\nCodename: sid\nDate: Sat, 01 Jan 2028 00:00:00 UTC\n',
      ...(genuine === undefined ? [] : [genuine.replace('Origin: Debian', 'Origin: Debiam')]),
    ];
    for (const index of forged) {
      const mirror = createServer((request, response) => {
        if (request.url?.endsWith('/InRelease') === true) response.end(index);
        else response.writeHead(404).end();
      }).listen(0, '127.0.0.1');
      await once(mirror, 'listening');
      const aptMirror = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/debian`;
      const cacheDir = await mkdtemp(join(tmpdir(), 'hatif-cache-'));
      const failure = await resolveTool('redis-server', { cacheDir, aptMirror, preferEmbedded: true }).catch(
        (error: unknown) => error,
      );
      expect(failure)
        .to.be.instanceOf(EmbeddedError)
        .with.property('message')
        .that.matches(/not signed|NOSPLIT|BADSIG|GPG error/);
      mirror.close();
      await rm(cacheDir, { recursive: true });
    }
  });

  it('describes the alternatives on a machine without apt', async () => {
    const cacheDir = await mkdtemp(join(tmpdir(), 'hatif-cache-'));
    const path = process.env.PATH;
    process.env.PATH = cacheDir;
    const failure = await resolveTool('asterisk', { cacheDir }).catch((error: unknown) => error);
    process.env.PATH = path;
    expect(failure).to.be.instanceOf(EmbeddedError).with.property('message').that.includes('docker compose');
    await rm(cacheDir, { recursive: true });
  });

  it('sets up PostgreSQL where its own user has access if started as root below a closed folder', async function () {
    if (process.getuid?.() !== 0) skipBecause(this, 'only root can become another user');
    const closed = await mkdtemp(join(tmpdir(), 'hatif-closed-'));
    await chmod(closed, 0o700);
    const inside = { ...options, dataDir: join(closed, 'data') };
    const { postgres } = await startEmbedded(inside, { postgres: true, redis: false, asterisk: false, speech: false });
    const place = (await readFile(join(inside.dataDir, 'postgres.place'), 'utf8')).trim();
    try {
      expect(place).to.match(/^\/var\/lib\/hatif-[0-9a-f]{12}$/);
      const status = await readFile(`/proc/${postgres!.pid}/status`, 'utf8');
      expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.to.equal('0');
    } finally {
      await postgres!.stop();
      await rm(place, { recursive: true });
      await rm(closed, { recursive: true });
    }
  });
});
