import { join } from 'node:path';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { FreeswitchConfig } from '../../config/freeswitch/render.js';
import { toneWav } from '../support/judges/audio.js';
import { FreeswitchHost } from '../support/platform/freeswitch.js';
import type { ChaosEngine } from './chaos-engine.js';
import { HOLD_MUSIC } from './phones/sound.js';

/** The same time as on an Asterisk of Hatif. */
const CALLER_WAIT_SECONDS = 15;

/** A real FreeSWITCH that tests kill and start again. Its hold music has no pauses. */
export class ChaosFreeswitch implements ChaosEngine {
  readonly kind = 'freeswitch';

  private constructor(
    private readonly host: FreeswitchHost,
    private readonly musicDir: string,
  ) {}

  /** @param application how it reaches the application */
  static async start(application: FreeswitchConfig['application']): Promise<ChaosFreeswitch> {
    const musicDir = await mkdtemp(join(tmpdir(), 'hatif-music-'));
    await writeFile(join(musicDir, 'music.wav'), toneWav(HOLD_MUSIC));
    const applicationWaitSeconds = CALLER_WAIT_SECONDS;
    return new ChaosFreeswitch(await FreeswitchHost.start({ application, musicDir, applicationWaitSeconds }), musicDir);
  }

  get sip(): ChaosEngine['sip'] {
    return { host: '127.0.0.1', port: this.host.sipPort };
  }

  get control(): ChaosEngine['control'] {
    return { host: '127.0.0.1', port: this.host.eslPort };
  }

  addArguments({ host, port }: ChaosEngine['control']): ReturnType<ChaosEngine['addArguments']> {
    const folders = ['--recordings', join(this.host.folder, 'recorded'), '--details', this.host.detailDir];
    return { args: [`${host}:${port}`, '--kind', 'freeswitch', ...folders], password: this.host.password };
  }

  async describeChannels(): Promise<string[]> {
    const { rows = [] } = JSON.parse(await this.host.api('show channels as json')) as {
      readonly rows?: readonly { readonly uuid: string; readonly name: string; readonly callstate: string }[];
    };
    return rows.map(({ uuid, name, callstate }) => `channel ${name} (${uuid}) is ${callstate}`);
  }

  kill(): void {
    this.host.kill();
  }

  async restart(): Promise<void> {
    await this.host.restart();
  }

  async stop(): Promise<void> {
    await this.host.stop();
    await rm(this.musicDir, { recursive: true, force: true });
  }
}
