import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FREESWITCH_PATH } from '../../api/routes/platform/freeswitch.js';
import { chooseLoopbackPort } from '../../adapters/embedded/system/ports.js';
import { Cipher } from '../../core/model/access/cipher.js';
import { engineSecret } from '../../core/services/engines/manage.js';
import { openEsl } from '../../engine/freeswitch/esl/esl-connection.js';
import { FreeswitchHost } from '../../test/support/platform/freeswitch.js';
import { UNLIMITED, type BenchEngine, type SipPeer } from './engine.js';
import { freeUdpPort } from './ports.js';

const NAME = 'freeswitch';
const SECRET = 'a secret that only the benchmark uses';
const COMMAND_WITHIN_MS = 5_000;
/**
 * FreeSWITCH's own limit of new calls per second. Higher than the dialplan's, because it has no exception for emergency
 * numbers.
 */
const ownLimitOf = (callsPerSecond: number): number => 2 * callsPerSecond + 100;

/**
 * Replaces the application's dialplan: `1` is answered and hung up (after a pause, because the answer would be lost
 * otherwise), `2` waits for a script.
 */
const CONTEXT = `<context name="hatif">
  <extension name="plain"><condition field="destination_number" expression="^1$">
    <action application="answer"/><action application="sleep" data="100"/><action application="hangup"/>
  </condition></extension>
  <extension name="bare"><condition field="destination_number" expression="^2$">
    <action application="park"/>
  </condition></extension>
</context>`;

/**
 * Starts a FreeSWITCH for the platform and another for the baselines. They are separate because FreeSWITCH sends the
 * events of all its calls to every connected application.
 */
export async function openFreeswitch(folder: string): Promise<BenchEngine> {
  const port = await chooseLoopbackPort();
  const recordings = join(folder, 'recorded');
  mkdirSync(recordings, { recursive: true });
  const host = await FreeswitchHost.start({
    application: {
      urls: [`http://127.0.0.1:${port}${FREESWITCH_PATH}`],
      user: NAME,
      password: engineSecret(new Cipher(SECRET), NAME),
    },
    rtp: { from: 26_000, to: 29_998 },
    maxCallsPerSecond: UNLIMITED,
  });
  try {
    const baseline = await FreeswitchHost.start(
      { rtp: { from: 20_000, to: 23_998 }, maxCallsPerSecond: UNLIMITED },
      withoutApplication,
    );
    return await engineOf(host, baseline, String(port), recordings);
  } catch (error) {
    await host.stop();
    throw error;
  }
}

/** Configuration without the application: accepts all calls, sends no requests and no call details. */
function withoutApplication(configuration: string): string {
  return configuration
    .replace(/<context name="hatif">[^]*?<\/context>/, () => CONTEXT)
    .replaceAll(
      /<load module="mod_(xml_curl|json_cdr|cdr_csv)"\/>|<param name="apply-inbound-acl" value="hatif-[^>]*>/g,
      '',
    )
    .replace('name="auth-calls" value="true"', 'name="auth-calls" value="false"');
}

async function engineOf(
  host: FreeswitchHost,
  baseline: FreeswitchHost,
  port: string,
  recordings: string,
): Promise<BenchEngine> {
  const nothing = { onEvent: () => undefined, onClosed: () => undefined };
  const eslOf = ({ eslPort, password }: FreeswitchHost): ReturnType<typeof openEsl> =>
    openEsl({ host: '127.0.0.1', port: eslPort, password, timeoutMs: COMMAND_WITHIN_MS }, nothing);
  const sockets = [await eslOf(host), await eslOf(baseline)] as const;
  const [esl] = sockets;
  const peerOf = async ({ sipAddress: sip, pid }: FreeswitchHost): Promise<SipPeer> => ({
    sip,
    pid,
    port: await freeUdpPort(),
  });
  return {
    title: 'FreeSWITCH',
    version: /\d+(\.\d+)+/.exec(await esl.api('version'))?.[0] ?? 'unknown',
    peers: { trunk: await peerOf(host), bare: await peerOf(baseline), plain: await peerOf(baseline) },
    numbers: { plain: '1', bare: '2' },
    settings: {
      PORT: port,
      HATIF_SECRET: SECRET,
      ASTERISK_ENABLED: 'false',
      BENCH_ENGINE: JSON.stringify({
        name: NAME,
        kind: 'freeswitch',
        address: `127.0.0.1:${host.eslPort}`,
        user: '',
        password: host.password,
        sip: host.sipAddress,
        weight: 1,
        maxCalls: null,
        details: host.detailDir,
        recordings,
        wsUrl: null,
      }),
    },
    scripts: {
      answer: 'baselines/esl-answer.ts',
      dial: 'baselines/esl-dial.ts',
      environment: { ESL_PORT: String(baseline.eslPort), ESL_PASSWORD: baseline.password },
    },
    async mute(legId, muted) {
      await esl.api(`uuid_audio ${legId} ${muted ? 'start read mute 1' : 'stop'}`);
    },
    async limit(callsPerSecond) {
      await esl.api(`global_setvar hatif_max_calls_per_second=${callsPerSecond}`);
      await esl.api(`fsctl sps ${ownLimitOf(callsPerSecond)}`);
    },
    async calls() {
      const counts = await Promise.all(sockets.map((socket) => socket.api('show channels count')));
      return counts.reduce((sum, text) => sum + Number(/\d+/.exec(text)?.[0] ?? 0), 0);
    },
    async hangUpAll() {
      await Promise.all(sockets.map((socket) => socket.api('hupall')));
    },
    async stop() {
      for (const socket of sockets) socket.close('done');
      await Promise.all([host.stop(), baseline.stop()]);
    },
  };
}
