import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseLoopbackPort } from '../../../adapters/embedded/system/ports.js';
import { AsteriskHost } from '../../conformance/rigs/asterisk-host.js';
import { AGENT_HZ, CARRIER_HZ, TrunkTalkers } from '../calls/trunk-talkers.js';
import { TestAuthority, type MadeCertificate } from '../certificates.js';
import { eventually } from '../eventually.js';
import { SipSocket } from '../peers/sip/socket.js';
import { freeSipPort, type Baresip } from '../phones/index.js';
import { testDatabase, type TestDatabase } from '../platform/database.js';
import { DrachtioHost } from '../platform/drachtio.js';
import { testRedis } from '../platform/redis.js';
import { FreeswitchStage } from './freeswitch-stage.js';
import { ProcessStage } from './process-stage.js';

/** How phones and carriers reach the platform, with the platform behind it and one engine, or two. */
export interface WayIn {
  readonly application: ProcessStage;
  readonly talkers: TrunkTalkers;
  readonly hasEdge: boolean;
  /** The phone of the agent 1002, which is the target of transfers. */
  readonly colleague: Baresip;
  /** Where the platform reaches its carrier. */
  readonly carrierPort: number;
  /** Where a carrier reaches the platform, as `host:port`. */
  readonly address: string;
  /** Where a carrier calls a number. */
  readonly uri: (number: string) => string;
  /** Where a phone calls it. */
  readonly phoneUri: (number: string) => string;
  /** A phone without a program, over the transport that phones need. */
  readonly socket: () => Promise<SipSocket>;
  /** A sender over UDP. */
  readonly stranger: () => Promise<SipSocket>;
  /** The legs that the engines have. */
  legs(): Promise<number>;
  /** To which new calls go. */
  readonly engine: () => EngineKind;
  /** Resolves when new calls go to this engine. */
  prefers(engine: EngineKind): Promise<void>;
  close(): Promise<void>;
}

type EngineKind = 'asterisk' | 'freeswitch';

/** What the parts of a way in are made with; with a certificate, phones need TLS and encrypted audio. */
interface Ground {
  readonly certificate: (MadeCertificate & { readonly folder: string; readonly tlsPort: number }) | null;
  readonly edge: DrachtioHost | null;
  readonly settings: Readonly<Record<string, string>>;
}

interface Opened {
  readonly application: ProcessStage;
  readonly db: TestDatabase['db'];
  readonly sipPort: number;
  readonly carrierPort: number;
  legs(): Promise<number>;
  close(): Promise<void>;
}

const OPENERS = { asterisk: openAsterisk, freeswitch: openFreeswitch, both: openBoth } as const;
/** Outweighs any load. */
const PREFERRED = 100_000;
export const COLLEAGUE_HZ = 1_400;

/** @param isSecure phones need TLS and encrypted audio */
export async function openWayIn(
  engine: keyof typeof OPENERS,
  { hasEdge, isSecure }: { readonly hasEdge: boolean; readonly isSecure: boolean },
): Promise<WayIn> {
  const authority = await TestAuthority.create();
  const made = isSecure ? await authority.issue() : null;
  const edge = hasEdge ? await DrachtioHost.start(made ?? undefined) : null;
  const certificate = made && {
    ...made,
    ...writtenDown(made),
    tlsPort: edge ? edge.tlsPort : (await freeSipPort()) + 1,
  };
  const settings = {
    ...(certificate && {
      ...{ SIP_TLS_CERT: join(certificate.folder, 'cert.pem'), SIP_TLS_KEY: join(certificate.folder, 'key.pem') },
      ...{ SIP_TLS_PORT: String(certificate.tlsPort), SIP_PHONE_TRANSPORT: 'tls', SIP_PHONE_SRTP: 'required' },
    }),
    ...edge?.settings,
  };
  const opened = await OPENERS[engine]({ certificate, edge, settings });
  const { application } = opened;
  const sipPort = edge?.sipPort ?? opened.sipPort;
  const phonePort = certificate?.tlsPort ?? sipPort;
  const trusts = certificate && join(certificate.folder, 'authority.pem');
  if (trusts !== null) writeFileSync(trusts, authority.cert);
  const phoneOf = async (at: 0 | 1, toneHz: number): Promise<Baresip> => {
    const { agent: user, password } = application.bootstrap.sip.agents[at]!;
    const phone = await application.phone({
      ...{ user, registrar: { host: '127.0.0.1', port: phonePort, password }, source: { toneHz } },
      ...(trusts !== null && ({ transport: 'tls', srtp: 'required', trusts } as const)),
    });
    await phone.registered();
    return phone;
  };
  const [agent, colleague] = [await phoneOf(0, AGENT_HZ), await phoneOf(1, COLLEAGUE_HZ)];
  const carrier = await application.phone({
    ...{ user: 'carrier', sipPort: opened.carrierPort, source: { toneHz: CARRIER_HZ } },
  });
  let current: EngineKind = engine === 'freeswitch' ? engine : 'asterisk';
  const talkers = new TrunkTalkers((json) => application.call(json), carrier, agent);
  return {
    ...{ application, talkers, colleague, hasEdge, carrierPort: opened.carrierPort },
    address: `127.0.0.1:${sipPort}`,
    uri: (number) => `sip:${number}@127.0.0.1:${sipPort}`,
    phoneUri: (number) => `sip:${number}@127.0.0.1:${phonePort}`,
    socket: () => (certificate ? SipSocket.openTls(phonePort, authority.cert) : SipSocket.open(phonePort)),
    stranger: () => SipSocket.open(sipPort, '127.0.0.9'),
    legs: () => opened.legs(),
    engine: () => current,
    async prefers(kind) {
      current = kind;
      const { db } = opened;
      await db.query(`UPDATE engines SET weight = CASE WHEN kind = $1 THEN ${PREFERRED} ELSE 1 END`, [kind]);
      // The edge learns of it within a second.
      await eventually(async () => {
        const id = await carrier.dial(`sip:${application.bootstrap.line_number}@127.0.0.1:${sipPort}`);
        await carrier.waitFor('CALL_ESTABLISHED', { callId: id });
        await carrier.hangup(id);
        await carrier.closed(id);
        const [latest] = await db.query<{ kind: string }>(
          `SELECT engines.kind FROM calls JOIN engines ON engines.id = engine_id ORDER BY calls.id DESC LIMIT 1`,
        );
        return latest?.kind === kind && (await opened.legs()) === 0;
      }, `calls go to ${kind}`);
    },
    async close() {
      await opened.close();
      await edge?.stop();
      if (certificate) rmSync(certificate.folder, { recursive: true, force: true });
    },
  };
}

function writtenDown({ cert, key, pem }: MadeCertificate): { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'hatif-way-in-'));
  const files = { 'cert.pem': cert, 'key.pem': key, 'agent.pem': pem, 'cafile.pem': cert };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return { folder };
}

async function openAsterisk({ certificate, edge, settings }: Ground): Promise<Opened> {
  const [database, redis] = await Promise.all([testDatabase(), testRedis()]);
  const [carrierPort, port, sipPort] = [await freeSipPort(), await chooseLoopbackPort(), await freeSipPort()];
  const tls = certificate && {
    port: certificate.tlsPort,
    certificateFile: join(certificate.folder, 'cert.pem'),
    privateKeyFile: join(certificate.folder, 'key.pem'),
  };
  const sip = { bind: '127.0.0.1', port: sipPort, ...(tls && !edge && { tls }) };
  const asterisk = await AsteriskHost.start({ from: 19_200, to: 19_398 }, { sip });
  const application = await ProcessStage.start({
    HATIF_DATA_DIR: await mkdtemp(join(tmpdir(), 'hatif-way-in-')),
    ...{ PORT: String(port), DATABASE_URL: database.url, REDIS_URL: redis.url, SIP_PORT: String(sipPort) },
    ASTERISK_ARI_URL: asterisk.access.url,
    ASTERISK_ARI_USER: asterisk.access.user,
    ASTERISK_ARI_PASSWORD: asterisk.access.password,
    ASTERISK_SIP_ADDRESS: asterisk.sipAddress,
    SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
    ...{ TRUNK_PROBE_SECONDS: '3600', HATIF_FLAGS_OFF: 'call_velocity', DRAIN_SECONDS: '0' },
    ...settings,
  });
  return {
    ...{ application, db: database.db, sipPort, carrierPort },
    legs: () => legsIn(asterisk),
    async close() {
      await application.close();
      await asterisk.stop();
      await Promise.all([database.close(), redis.close()]);
    },
  };
}

async function openFreeswitch({
  certificate,
  edge,
  settings,
}: Ground): Promise<Opened & { readonly stage: FreeswitchStage }> {
  const tls = certificate &&
    !edge && { port: certificate.tlsPort, folder: certificate.folder, minVersion: '1.2' as const };
  const stage = await FreeswitchStage.start(settings, {
    ...(tls && { tls }),
    ...(certificate && { srtp: { phones: 'required', trunks: 'off' } as const }),
  });
  return {
    ...{ application: stage.application, db: stage.database.db },
    ...{ sipPort: stage.host.sipPort, carrierPort: stage.carrierPort },
    legs: () => stage.leftInEngine(),
    close: () => stage.close(),
    stage,
  };
}

/** Both engines, in front of which only an edge can be. */
async function openBoth(ground: Ground): Promise<Opened> {
  const { stage, ...freeswitch } = await openFreeswitch(ground);
  const asterisk = await AsteriskHost.start({ from: 19_200, to: 19_398 });
  await stage.addAsterisk('second', asterisk);
  return {
    ...freeswitch,
    legs: async () => (await legsIn(asterisk)) + (await stage.leftInEngine()),
    async close() {
      await stage.close();
      await asterisk.stop();
    },
  };
}

async function legsIn(asterisk: AsteriskHost): Promise<number> {
  return ((await asterisk.ask('/channels')) as readonly unknown[]).length;
}
