import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loudSeconds, readChannels, slice, toneSeconds } from '../support/audio.js';
import { eventually } from '../support/eventually.js';
import type { Baresip } from '../support/phones/index.js';
import { embeddedSettings } from '../support/platform-process.js';
import { ProcessStage } from '../support/process-stage.js';
import { AGENT_HZ } from '../support/trunk-talkers.js';

/** The commands of the README's tour, block by block. */
const blocks = [...readFileSync('README.md', 'utf8').matchAll(/<!-- tour -->\n```sh\n(.*?)```/gs)].map(
  ([, commands = '']) => commands,
);

describe('the tour in the README', () => {
  let folder: string;
  let stage: ProcessStage;
  let phone: Baresip;
  let terminal: Terminal;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-tour-'));
    // PostgreSQL's own user has to come through to the data folder; else its data would be kept outside of it.
    await chmod(folder, 0o755);
    stage = await ProcessStage.start(await embeddedSettings(join(folder, '.hatif')));
    expect(stage.bootstrap.sip.agents[0]!.number, 'the number that the README calls').to.equal('+966115550101');
    phone = await stage.softphone();
    terminal = new Terminal(folder);
  });
  after(async () => {
    terminal.close();
    await stage.close();
    await rm(folder, { recursive: true });
  });

  /** Types the next block; the API is where this platform has it. */
  const types = (index: number): Promise<string> =>
    terminal.run(blocks[index]!.replaceAll('http://127.0.0.1:8080', stage.bootstrap.base_url));

  it('works as written', async () => {
    expect(blocks).to.have.length(6);
    await types(0);
    const ringing = await phone.incoming();
    await phone.answer(ringing);
    await eventually(async () => (await terminal.run('api GET /calls/$CALL')).includes('"answered"'), 'the answer');

    expect(await types(1)).to.match(/"accepted".*"accepted"/s);
    await phone.waitToHear((audio) => loudSeconds(audio) > 1.5, { callId: ringing });

    await types(2);
    await stage.platform.exited;
    const from = phone.heard(ringing).seconds;
    await phone.waitToHear((audio) => loudSeconds(slice(audio, from)) > 1, { callId: ringing });

    await stage.start({ PORT: new URL(stage.bootstrap.base_url).port });
    await eventually(
      async () => (await terminal.run('api GET /calls/$CALL/timeline')).includes('call.adopted'),
      'the call is taken over',
    );
    expect(await types(3)).to.match(/"accepted".*"accepted".*"status":"answered"/s);
    const back = phone.heard(ringing).seconds;
    await phone.waitToHear((audio) => loudSeconds(slice(audio, back)) > 0.5, { callId: ringing });

    await types(4);
    await phone.closed(ringing);
    await eventually(
      async () => (await terminal.run('api GET /calls/$CALL')).includes('"recording_available":true'),
      'the recording',
    );
    expect(await types(5)).to.match(/call\.adopted.*call\.recording_ready/s);
    const [said, heard] = readChannels(join(folder, 'call.wav'));
    expect(toneSeconds(said!, AGENT_HZ), 'all that was said').to.be.above(said!.seconds - 0.5);
    expect(loudSeconds(heard!)).to.be.above(1);
  });
});

/** A shell that is typed into. */
class Terminal {
  readonly #shell;
  #said = '';
  #typed = 0;

  constructor(folder: string) {
    this.#shell = spawn('bash', ['--norc'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#shell.stdout.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
  }

  /** Resolves with what the commands said, when the last one is through. */
  async run(commands: string): Promise<string> {
    const end = `--- ${(this.#typed += 1)} ---\n`;
    this.#said = '';
    this.#shell.stdin.write(`${commands}\necho '${end.trim()}'\n`);
    while (!this.#said.endsWith(end)) await once(this.#shell.stdout, 'data');
    return this.#said.slice(0, -end.length);
  }

  close(): void {
    this.#shell.kill();
  }
}
