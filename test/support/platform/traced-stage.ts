import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { chooseLoopbackPort } from '../../../adapters/embedded/system/ports.js';
import { FREESWITCH_PATH } from '../../../api/routes/platform/freeswitch.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { engineSecret } from '../../../core/services/engines/manage.js';
import { AsteriskHost } from '../../conformance/rigs/asterisk-host.js';
import { toneWav } from '../judges/audio.js';
import { eventually } from '../eventually.js';
import { Tap } from '../peers/tap.js';
import { freeSipPort, type Baresip } from '../phones/index.js';
import { testDatabase, type TestDatabase } from './database.js';
import { FreeswitchHost } from './freeswitch.js';
import { runHatif } from './programs.js';
import { testRedis } from './redis.js';
import { ProcessStage } from '../stages/process-stage.js';

const NAME = 'traced';
const SECRET = 'a secret that only this stage has, for tests';
const PROMPT_SECONDS = 0.3;

/** Where the engine is, and the arguments of `hatif engines add`. */
interface TracedEngine {
  readonly sip: string;
  readonly control: Tap;
  readonly password: string;
  readonly args: readonly string[];
  stop(): Promise<void>;
}

/** The platform as a process with one engine, with a tap on each of its connections. */
export class TracedStage {
  private constructor(
    readonly application: ProcessStage,
    readonly engine: TracedEngine,
    readonly taps: Readonly<Record<'api' | 'database' | 'redis', Tap>>,
    private readonly database: TestDatabase,
    private readonly carrier: Baresip,
    private readonly end: () => Promise<void>,
  ) {}

  /** Resolves when a call to {@link number} is answered, hears a short prompt and is hung up. */
  static async start(kind: 'asterisk' | 'freeswitch'): Promise<TracedStage> {
    const [database, redis, port, carrierPort] = await Promise.all([
      testDatabase(),
      testRedis(),
      chooseLoopbackPort(),
      freeSipPort(),
    ]);
    const taps = { api: await Tap.start('127.0.0.1', port) };
    const toDatabase = await Tap.of(database.url);
    const toRedis = await Tap.of(redis.url);
    const engine = await (kind === 'asterisk' ? asterisk() : freeswitch(taps.api.port));
    const settings = {
      HATIF_DATA_DIR: await mkdtemp(join(tmpdir(), 'hatif-traced-')),
      HATIF_SECRET: SECRET,
      PORT: String(port),
      DATABASE_URL: toDatabase.url,
      REDIS_URL: toRedis.url,
      ASTERISK_ENABLED: 'false',
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
      TRUNK_PROBE_SECONDS: '3600',
    };
    const application = await ProcessStage.start(settings);
    await runHatif(settings, ['engines', 'add', NAME, ...engine.args, '--sip', engine.sip], engine.password);
    const query = `SELECT 1 FROM engines
      WHERE name = $1 AND status = 'up' AND sip_status = 'up' AND lease_expires_at > clock_timestamp()`;
    await eventually(async () => (await database.db.query(query, [NAME])).length === 1, 'the engine accepts calls');
    const stage = new TracedStage(
      application,
      engine,
      { ...taps, database: toDatabase.tap, redis: toRedis.tap },
      database,
      await application.phone({ user: '+966501234567', sipPort: carrierPort }),
      async () => {
        await application.close();
        await engine.stop();
        await Promise.all([taps.api, toDatabase.tap, toRedis.tap, engine.control].map((tap) => tap.close()));
        await Promise.all([database.close(), redis.close()]);
      },
    );
    await stage.#bind();
    return stage;
  }

  /** Calls. Resolves with the ids of the ended call and its leg when everything is written: the process has stopped. */
  async call(): Promise<readonly string[]> {
    const atCarrier = await this.carrier.dial(`sip:${this.#number}@${this.engine.sip}`);
    await this.carrier.closed(atCarrier);
    const query = `SELECT id, call_id FROM legs
      WHERE (SELECT bool_and(ended_at IS NOT NULL) FROM calls)`;
    const legs = await eventually(async () => {
      const rows = await this.database.db.query<{ id: string; call_id: string }>(query);
      return rows.length > 0 && rows;
    }, 'the call has ended');
    this.application.platform.signal('SIGTERM');
    await this.application.platform.exited;
    return legs.flatMap(({ id, call_id: callId }) => [id, callId]);
  }

  get #number(): string {
    return this.application.bootstrap.line_number;
  }

  async #bind(): Promise<void> {
    const { application } = this;
    const { base_url: url, live_key: key } = application.bootstrap;
    const body = new FormData();
    body.set('file', new Blob([Uint8Array.from(toneWav({ hz: 440, seconds: PROMPT_SECONDS }))]), 'prompt.wav');
    const headers = { authorization: `Bearer ${key}` };
    const uploaded = await fetch(new URL('/v1/callflows/audio', url), { method: 'POST', headers, body });
    const { id: audioId } = (await uploaded.json()) as { readonly id: string };
    const good = async (method: string, path: string, json?: object): Promise<Record<string, unknown>> => {
      const answer = await application.request(method, path, json);
      expect(answer.status, `${path}: ${answer.text}`).to.be.below(300);
      return answer.body ?? {};
    };
    const nodes = { main: { type: 'play', audio_id: audioId, next: 'end' }, end: { type: 'hangup' } };
    const definition = { start: 'main', nodes };
    const { id } = await good('POST', '/v1/callflows', { name: 'traced', kind: 'graph', definition });
    await good('POST', `/v1/callflows/${String(id)}/activate`, {});
    const { data } = await good('GET', '/v1/numbers');
    const number = (data as { id: string; e164: string }[]).find(({ e164 }) => e164 === this.#number);
    await good('PUT', `/v1/numbers/${number!.id}/binding`, { type: 'callflow', target: id });
  }

  close(): Promise<void> {
    return this.end();
  }
}

async function asterisk(): Promise<TracedEngine> {
  const host = await AsteriskHost.start({ from: 18_600, to: 18_698 });
  const { url, user, password } = host.access;
  const through = await Tap.of(url);
  const address = new URL(through.url).origin;
  return {
    sip: host.sipAddress,
    control: through.tap,
    password,
    args: [address, '--user', user, '--details', host.celFile],
    stop: () => host.stop(),
  };
}

async function freeswitch(apiPort: number): Promise<TracedEngine> {
  const urls = [`http://127.0.0.1:${apiPort}${FREESWITCH_PATH}`];
  const host = await FreeswitchHost.start({
    application: { urls, user: NAME, password: engineSecret(new Cipher(SECRET), NAME) },
  });
  const control = await Tap.start('127.0.0.1', host.eslPort);
  const folders = ['--recordings', join(host.folder, 'recorded'), '--details', host.detailDir];
  return {
    sip: host.sipAddress,
    control,
    password: host.password,
    args: [`127.0.0.1:${control.port}`, '--kind', 'freeswitch', ...folders],
    stop: () => host.stop(),
  };
}
