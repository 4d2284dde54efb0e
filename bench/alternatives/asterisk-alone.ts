import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbedded, stopEmbedded, type AsteriskPart } from '../../adapters/embedded/index.js';
import { findBinaries } from '../../adapters/embedded/postgres/binaries.js';
import { ariOf, pushPeer } from '../lib/asterisk.js';
import { UNLIMITED, type SipPeer } from '../lib/engine.js';
import { freeUdpPort } from '../lib/ports.js';

/** Agents of the queue; Local channels that answer and hang up at once, so that no phone is measured. */
const AGENTS = 50;

const CONTEXTS = `
[alone-dialplan]
exten => _[+0-9]!,1,Answer()
 same => n,Hangup()

[alone-queue]
exten => _[+0-9]!,1,Answer()
 same => n,Queue(alone,,,,30)
 same => n,Hangup()

[alone-agents]
exten => _X!,1,Answer()
 same => n,Hangup()
`;

const members = Array.from({ length: AGENTS }, (_, number) => `member => Local/${number}@alone-agents`);
const QUEUES = `[general]
autofill = yes

[alone]
strategy = leastrecent
timeout = 15
retry = 1
wrapuptime = 0
${members.join('\n')}
`;

/** An Asterisk that works without Hatif, as an operator would set it up who writes dialplan. */
export interface AsteriskAlone {
  /** Answers and hangs up. */
  readonly dialplan: SipPeer;
  /** Puts callers in a queue (app_queue), whose agents answer and hang up. */
  readonly queue: SipPeer;
  stop(): Promise<void>;
}

/**
 * Starts an Asterisk whose dialplan answers calls and puts them into queues, and that writes a CDR of each call to
 * PostgreSQL (cdr_pgsql), one by one as by default. It writes no event log.
 * @param database the URL of a database with the table of {@link CDR_TABLE}
 * @throws EmbeddedError if Asterisk does not start, or lacks cdr_pgsql or app_queue
 */
export async function openAsteriskAlone(folder: string, database: string): Promise<AsteriskAlone> {
  const templatesDir = join(folder, 'alone-templates');
  cpSync(fileURLToPath(new URL('../../config/asterisk', import.meta.url)), templatesDir, { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(join(templatesDir, name), text);
  appendFileSync(join(templatesDir, 'extensions.conf'), CONTEXTS);
  appendFileSync(join(templatesDir, 'modules.list'), '\nrequire cdr_pgsql\nrequire app_queue\n');
  write('queues.conf', QUEUES);
  write('cdr.conf', '[general]\nenable = yes\n');
  write('cel.conf', '[general]\nenable = no\n');
  write('cdr_pgsql.conf', connectionOf(new URL(database)));
  const port = await freeUdpPort();
  const asterisk = await withClientLibrary(() =>
    startEmbedded(
      {
        dataDir: join(folder, 'alone'),
        cacheDir: resolve(process.env.HATIF_CACHE_DIR ?? '.hatif-cache'),
        asterisk: {
          sip: { bind: '127.0.0.1', port },
          rtp: { from: 30_000, to: 32_999 },
          templatesDir,
          maxCallsPerSecond: UNLIMITED,
        },
      },
      { postgres: false, redis: false, asterisk: true, speech: false },
    ),
  );
  try {
    if (!asterisk.asterisk) throw new Error('Asterisk was not started');
    const peers = await peersOf(asterisk.asterisk);
    return { ...peers, stop: () => stopEmbedded(asterisk) };
  } catch (error) {
    await stopEmbedded(asterisk);
    throw error;
  }
}

/** Where Asterisk writes CDRs: the columns of its own documentation that a plain call fills. */
export const CDR_TABLE = `CREATE TABLE cdr (
  start timestamptz, answer timestamptz, "end" timestamptz, clid text, src text, dst text, dcontext text,
  channel text, dstchannel text, lastapp text, lastdata text, duration int, billsec int, disposition text,
  amaflags int, accountcode text, uniqueid text, linkedid text)`;

async function peersOf(asterisk: AsteriskPart): Promise<Pick<AsteriskAlone, 'dialplan' | 'queue'>> {
  const ari = ariOf(asterisk);
  const { host, port } = asterisk.sip;
  const peer = async (context: string): Promise<SipPeer> => {
    const own = await freeUdpPort();
    await pushPeer(ari, context, own);
    return { sip: `${host}:${port}`, port: own, pid: asterisk.pid };
  };
  return { dialplan: await peer('alone-dialplan'), queue: await peer('alone-queue') };
}

function connectionOf({ hostname, port, pathname, username, password }: URL): string {
  const fields = { hostname, port, dbname: pathname.slice(1), user: username, password, table: 'cdr' };
  const lines = Object.entries(fields).map(([name, value]) => `${name} = ${decodeURIComponent(value)}`);
  return `[global]\n${lines.join('\n')}\n`;
}

/**
 * Asterisk is downloaded without PostgreSQL's client library, which Hatif does not need. The module finds the one of
 * the embedded PostgreSQL, because a library that the process has loaded already is not looked for.
 */
async function withClientLibrary<T>(start: () => Promise<T>): Promise<T> {
  const before = process.env.LD_PRELOAD;
  process.env.LD_PRELOAD = join((await findBinaries()).root, 'lib', 'libpq.so.5');
  try {
    return await start();
  } finally {
    if (before === undefined) delete process.env.LD_PRELOAD;
    else process.env.LD_PRELOAD = before;
  }
}
