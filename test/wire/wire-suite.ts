import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Engine } from '../../core/ports/engine.js';
import type { Heard } from '../conformance/rigs/heard.js';
import type { EngineGround } from '../conformance/rigs/rig.js';
import { carrierAt, connected } from '../conformance/rigs/stage.js';
import { toneWav } from '../support/judges/audio.js';
import { Baresip, Sipp } from '../support/phones/index.js';
import { EXPECTED } from './expected.js';
import { AGENT, SCENARIOS, type Deed } from './scenarios.js';
import { transcriptUrl, writeTranscript, type Asked, type ENGINES, type Said } from './transcript.js';

const CALLER = '+966501234567';
/** Set this to record the transcripts again. */
const writes = process.env.HATIF_RECORD_WIRE === '1';

/** A proxy between an adapter and its engine that records their messages. */
export interface Recorder {
  readonly lines: readonly (Asked | Said)[];
  readonly port: number;
  close(): void;
}

export interface WireOptions {
  readonly name: (typeof ENGINES)[number];
  readonly start: () => Promise<EngineGround>;
  /** Starts the proxy for the engine's port. */
  readonly record: (port: number) => Promise<Recorder>;
}

/** Runs the scenarios on the engine itself; their transcripts are replayed on machines without it. */
export function wireConformance({ name: engineName, start, record }: WireOptions): void {
  let ground: EngineGround;
  let callee: Baresip;
  let other: Baresip;
  let caller: Baresip;
  let busy: Sipp;
  let agent: Baresip | undefined;
  let recorder: Recorder;
  let engine: Engine;
  let heard: Heard;

  before(async () => {
    ground = await start();
    callee = await Baresip.start({ user: 'callee', answer: 'auto' });
    other = await Baresip.start({ user: 'other', answer: 'auto' });
    caller = await Baresip.start({ user: CALLER });
    busy = await Sipp.start({ scenario: 'uas-reject', status: 486 });
    await writeFile(join(ground.folder, 'prompt.wav'), toneWav({ hz: 440, seconds: 0.4 }));
  });
  beforeEach(async () => {
    recorder = await record(ground.port);
    ({ engine, heard } = ground.open({ port: recorder.port }));
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
    await ground.stop();
  });

  const act = async (deed: Deed): Promise<void> => {
    switch (deed) {
      case 'callee hangs up':
        return callee.hangup();
      case 'callee presses 1#2':
        return callee.sendDtmf('1#2');
      case 'caller dials':
        await caller.dial(`sip:9200001@${ground.sipAddress}`);
        return;
      case 'agent registers': {
        const registrar = { host: '127.0.0.1', port: ground.sipPort, password: AGENT.password };
        agent = await Baresip.start({ user: AGENT.aor, registrar });
      }
    }
  };

  for (const [name, run] of Object.entries(SCENARIOS)) {
    it(name, async () => {
      const world = {
        ...{ callee: callee.uri, other: other.uri, busy: `sip:callee@${busy.address}` },
        ...{ prompt: join(ground.folder, 'prompt'), recorded: join(ground.folder, 'recorded') },
        trunk: `127.0.0.1:${caller.sipPort}`,
      };
      expect(await run({ engine, heard, world, act })).to.deep.equal(EXPECTED[name]);
      if (!writes) return;
      const file = transcriptUrl(engineName, name);
      await mkdir(new URL('./', file), { recursive: true });
      await writeFile(file, writeTranscript({ world, lines: recorder.lines }));
    });
  }
}
