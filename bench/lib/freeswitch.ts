import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FREESWITCH_PATH } from '../../api/routes/platform/freeswitch.js';
import { chooseLoopbackPort } from '../../adapters/embedded/system/ports.js';
import { Cipher } from '../../core/model/access/cipher.js';
import { engineSecret } from '../../core/services/engines/manage.js';
import { openEsl } from '../../engine/freeswitch/esl/esl-connection.js';
import { FreeswitchHost } from '../../test/support/platform/freeswitch.js';
import { UNLIMITED, type BenchEngine, type Door } from './engine.js';
import { freeUdpPort } from './ports.js';

const NAME = 'freeswitch';
const SECRET = 'a secret of the benchmark and of nobody else';
const COMMAND_WITHIN_MS = 5_000;
/** Behind the dialplan's limit of new calls a second stands FreeSWITCH's own, which knows no emergency numbers. */
const spareOf = (callsPerSecond: number): number => 2 * callsPerSecond + 100;

/** In place of the application's dialplan: `1` is answered and hung up (not within the same moment: the answer would be lost), `2` waits for a script. */
const CONTEXT = `<context name="hatif">
  <extension name="plain"><condition field="destination_number" expression="^1$">
    <action application="answer"/><action application="sleep" data="100"/><action application="hangup"/>
  </condition></extension>
  <extension name="bare"><condition field="destination_number" expression="^2$"><action application="park"/></condition></extension>
</context>`;

/**
 * A FreeSWITCH for the platform, and another, which the platform does not hear, for what it is compared with: whoever is connected to a FreeSWITCH
 * is told of all its calls.
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
    const beside = await FreeswitchHost.start(
      { rtp: { from: 20_000, to: 23_998 }, maxCallsPerSecond: UNLIMITED },
      alone,
    );
    return await engineOf(host, beside, String(port), recordings);
  } catch (error) {
    await host.stop();
    throw error;
  }
}

/** Without the application: everybody may call, nobody is asked or told. */
function alone(configuration: string): string {
  return configuration
    .replace(/<context name="hatif">[^]*?<\/context>/, () => CONTEXT)
    .replaceAll(/<load module="mod_(xml_curl|json_cdr)"\/>|<param name="apply-inbound-acl" value="hatif-[^>]*>/g, '')
    .replace('name="auth-calls" value="true"', 'name="auth-calls" value="false"');
}

async function engineOf(
  host: FreeswitchHost,
  beside: FreeswitchHost,
  port: string,
  recordings: string,
): Promise<BenchEngine> {
  const nothing = { onEvent: () => undefined, onClosed: () => undefined };
  const eslOf = ({ eslPort, password }: FreeswitchHost): ReturnType<typeof openEsl> =>
    openEsl({ host: '127.0.0.1', port: eslPort, password, timeoutMs: COMMAND_WITHIN_MS }, nothing);
  const sockets = [await eslOf(host), await eslOf(beside)] as const;
  const [esl] = sockets;
  const doorOf = async ({ sipAddress: sip, pid }: FreeswitchHost): Promise<Door> => ({
    sip,
    pid,
    port: await freeUdpPort(),
  });
  return {
    title: 'FreeSWITCH',
    version: /\d+(\.\d+)+/.exec(await esl.api('version'))?.[0] ?? 'unknown',
    doors: { trunk: await doorOf(host), bare: await doorOf(beside), plain: await doorOf(beside) },
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
      }),
    },
    scripts: {
      answer: 'baselines/esl-answer.ts',
      dial: 'baselines/esl-dial.ts',
      environment: { ESL_PORT: String(beside.eslPort), ESL_PASSWORD: beside.password },
    },
    async mute(legId, muted) {
      await esl.api(`uuid_audio ${legId} ${muted ? 'start read mute 1' : 'stop'}`);
    },
    async limit(callsPerSecond) {
      await esl.api(`global_setvar hatif_max_calls_per_second=${callsPerSecond}`);
      await esl.api(`fsctl sps ${spareOf(callsPerSecond)}`);
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
      await Promise.all([host.stop(), beside.stop()]);
    },
  };
}
