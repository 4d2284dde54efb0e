import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import type { FreeswitchEngine } from '../../engine/freeswitch/freeswitch-engine.js';
import { freeswitchEngine } from '../conformance/freeswitch-engine.js';
import type { Heard } from '../conformance/heard.js';
import { carrierAt, connected } from '../conformance/stage.js';
import { toneWav } from '../support/audio.js';
import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { Baresip, Sipp } from '../support/phones/index.js';
import { EslRecorder } from './esl-recorder.js';
import { EXPECTED } from './expected.js';
import { SCENARIOS, type Deed } from './scenarios.js';
import { writeTranscript } from './transcript.js';

const CALLER = '+966501234567';
/** Set to write the transcripts anew. */
const writes = process.env.HATIF_RECORD_WIRE === '1';

/** The scenarios whose transcripts are replayed on machines without FreeSWITCH, on FreeSWITCH itself. */
describeFreeswitch('FreeSWITCH, written down', () => {
  let host: FreeswitchHost;
  let callee: Baresip;
  let other: Baresip;
  let caller: Baresip;
  let busy: Sipp;
  let agent: Baresip | undefined;
  let recorder: EslRecorder;
  let engine: FreeswitchEngine;
  let heard: Heard;

  before(async () => {
    host = await FreeswitchHost.start();
    callee = await Baresip.start({ user: 'callee', answer: 'auto' });
    other = await Baresip.start({ user: 'other', answer: 'auto' });
    caller = await Baresip.start({ user: CALLER });
    busy = await Sipp.start({ scenario: 'uas-reject', status: 486 });
    await writeFile(join(host.folder, 'prompt.wav'), toneWav({ hz: 440, seconds: 0.4 }));
  });
  beforeEach(async () => {
    recorder = await EslRecorder.start(host.eslPort);
    ({ engine, heard } = freeswitchEngine(host, { port: recorder.port }));
    await engine.trunks.put(carrierAt(caller.sipPort));
    await connected({ engine, heard });
  });
  afterEach(async () => {
    await engine.stop();
    recorder.close();
    await agent?.close();
    agent = undefined;
  });
  after(async () => {
    await Promise.all([callee.close(), other.close(), caller.close(), busy.stop()]);
    await host.stop();
  });

  const act = async (deed: Deed): Promise<void> => {
    switch (deed) {
      case 'callee hangs up':
        return callee.hangup();
      case 'callee presses 1#2':
        return callee.sendDtmf('1#2');
      case 'caller dials':
        await caller.dial(`sip:9200001@${host.sipAddress}`);
        return;
      case 'agent registers': {
        const softphone = { aor: 'agent-1', password: newId(), displayName: 'Agent', maxContacts: 1 };
        await engine.registrations.put(softphone);
        const registrar = { host: '127.0.0.1', port: host.sipPort, password: softphone.password };
        agent = await Baresip.start({ user: softphone.aor, registrar });
      }
    }
  };

  for (const [name, run] of Object.entries(SCENARIOS)) {
    it(name, async () => {
      const world = {
        ...{
          callee: callee.uri,
          other: other.uri,
          busy: `sip:callee@${busy.address}`,
          prompt: join(host.folder, 'prompt'),
        },
        ...{ recorded: join(host.folder, 'recorded'), trunk: `127.0.0.1:${caller.sipPort}` },
      };
      expect(await run({ engine, heard, world, act })).to.deep.equal(EXPECTED[name]);
      if (!writes) return;
      const folder = fileURLToPath(new URL('./freeswitch/', import.meta.url));
      await mkdir(folder, { recursive: true });
      const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.jsonl`);
      await writeFile(file, writeTranscript({ world, lines: recorder.lines }));
    });
  }
});
