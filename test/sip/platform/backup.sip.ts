import type { CallObject } from '../../../core/model/objects/call.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../../../cli/program.js';
import type { Settings } from '../../../config/settings.js';
import type { TimelineObject } from '../../../core/services/calls/read.js';
import { openCommandLine } from '../../../main/command/command-line.js';
import { openLog } from '../../../main/install/log.js';
import { startPlatform } from '../../../main/platform.js';
import { openCipher } from '../../../main/install/secret.js';
import { ask } from '../../support/api.js';
import { toneWav } from '../../support/judges/audio.js';
import { emptyDatabase } from '../../support/platform/database.js';
import { eventually } from '../../support/eventually.js';
import { hears, hearsMore } from '../../support/judges/hearing.js';
import {
  clearAway,
  embeddedSettings,
  hatif,
  PlatformProcess,
  processesOf,
} from '../../support/platform/platform-process.js';
import { TestPlatform } from '../../support/platform/platform.js';
import { AGENT_HZ, CUSTOMER, TrunkTalkers } from '../../support/calls/trunk-talkers.js';

const isEvent = ({ sequence }: TimelineObject): boolean => sequence !== null;

describe('a backup of an embedded installation', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-embedded-backup-'));
  });
  after(() => clearAway(folder));

  it('is made by the command while the installation runs, and restored into an empty folder', async () => {
    const original = await embeddedSettings(join(folder, 'original'));
    const copy = await embeddedSettings(join(folder, 'copy'));
    const archive = join(folder, 'hatif.tar.gz');
    const source = PlatformProcess.start(original);
    const { live_key: key } = await source.ready();
    expect(await hatif(original, 'backup', archive)).to.contain('Wrote');
    source.signal('SIGTERM');
    expect(await source.exited, source.output).to.equal(0);

    expect(await hatif(copy, 'restore', archive)).to.contain('Start it: npm start');
    expect(processesOf(copy.HATIF_DATA_DIR!), 'the database stops after the restore').to.deep.equal([]);
    const target = PlatformProcess.start(copy);
    const restored = await target.ready();
    expect(restored.live_key).to.equal(key);
    expect((await ask(restored.base_url, 'GET', '/v1/calls', { key })).status).to.equal(200);
    target.signal('SIGTERM');
    expect(await target.exited, target.output).to.equal(0);
  });
});

describe('a backup made while calls are live', () => {
  let stage: TestPlatform;
  let folder: string;

  before(async () => {
    stage = await TestPlatform.start();
    folder = await mkdtemp(join(tmpdir(), 'hatif-live-backup-'));
  });
  after(async () => {
    await stage.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const command = async (settings: Settings, ...args: string[]): Promise<void> => {
    let printed = '';
    const note = (line: string): void => void (printed += `${line}\n`);
    const context = openCommandLine(settings, new AbortController().signal);
    const code = await runCli(args, {
      ...context,
      progress: () => undefined,
      output: (json) => ({ json, out: note, note }),
    });
    expect(code, printed).to.equal(0);
  };

  it('restores to another platform: keys, secrets, calls and audio work, and the live call has ended', async () => {
    const talkers = await TrunkTalkers.at(stage);
    const { agent, carrier } = talkers;
    const form = new FormData();
    form.set('file', new Blob([toneWav({ hz: 700, seconds: 3 })]), 'tone.wav');
    const upload = await stage.request('POST', '/v1/callflows/audio', { raw: form });
    expect(upload.status, upload.text).to.equal(201);

    const over = await talkers.conversation();
    await carrier.hangup(over.atCarrier);
    await agent.closed(over.atAgent);
    await stage.over(over.callId);
    expect(await stage.charges(over.callId), 'all legs have ended').to.have.length(1);
    const known = await stage.read(over.callId);
    const live = await talkers.conversation();
    await eventually(
      async () => (await stage.read(live.callId)).status === 'answered',
      'the answer of the live call is stored',
    );

    const archive = join(folder, 'live.tar.gz');
    await command(stage.settings, 'backup', archive);
    // The backup does not affect the live call.
    await hearsMore(carrier, live.atCarrier, AGENT_HZ, 0.5);
    await stage.hangup(live.callId);
    await carrier.closed(live.atCarrier);
    const secret = (await stage.request('GET', '/v1/webhooks/secret')).body;
    const timeline = await stage.timeline(over.callId);
    await stage.over(live.callId);
    await stage.halt();

    const database = await emptyDatabase();
    try {
      const settings = { ...stage.settings, HATIF_DATA_DIR: join(folder, 'data'), DATABASE_URL: database.url };
      await command(settings, 'restore', archive);
      const parts = { ...stage.parts, databaseUrl: database.url };
      const cipher = await openCipher(settings);
      const platform = await startPlatform({ settings, parts, cipher, log: openLog(settings).log });
      try {
        const request = (method: string, path: string, json?: object): ReturnType<typeof ask> =>
          ask(platform.api!.url, method, path, { key: stage.demo.liveKey, ...(json && { json }) });
        const read = async (callId: string): Promise<CallObject> =>
          (await request('GET', `/v1/calls/${callId}`)).body as unknown as CallObject;
        await eventually(() => platform.engine?.isReady === true, 'the engine is connected');
        expect(await read(over.callId)).to.deep.equal(known);
        const entries = (await request('GET', `/v1/calls/${over.callId}/timeline`)).body?.data as TimelineObject[];
        expect(entries.filter(isEvent)).to.deep.equal(timeline.filter(isEvent));
        expect((await request('GET', '/v1/webhooks/secret')).body, 'an encrypted secret').to.deep.equal(secret);
        const closed = await eventually(async () => {
          const call = await read(live.callId);
          return call.status === 'ended' && call;
        }, 'the live call has ended');
        expect(closed).to.include({ disposition: 'answered' });
        const placed = await request('POST', '/v1/calls', { to: CUSTOMER, play: { audio_id: upload.body?.id } });
        expect(placed.status, placed.text).to.equal(202);
        const ringing = await carrier.incoming();
        await carrier.answer(ringing);
        await carrier.waitToHear(hears(700, 1), { callId: ringing });
        await carrier.closed(ringing);
      } finally {
        await platform.stop(0, true);
      }
    } finally {
      await database.close();
      await stage.resume();
    }
  });
});
