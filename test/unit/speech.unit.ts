import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { EspeakSpeech, NoSpeech, openSpeech, type Program } from '../../adapters/speech/index.js';
import { runProgram } from '../../adapters/speech/run-program.js';
import { SpeechError } from '../../core/ports/speech.js';
import { toneWav } from '../support/audio.js';

const LIMITS = { input: '', timeoutMs: 10_000, maxBytes: 1_000_000 };

/** A program that does what the script says: how a voice fails is the same whatever voice it is. */
function program(script: string): Program {
  return { command: process.execPath, args: ['-e', script, '--'], env: process.env, version: 'test' };
}

async function refused(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was refused');
}

describe('Speech', function () {
  this.timeout(20_000);

  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'hatif-speech-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  describe('without a voice', () => {
    for (const [what, made] of [
      ['no program', () => null],
      ['a program that is not there', () => ({ ...program(''), command: path.join(dir, 'nothing') })],
      ['a program that fails', () => program('process.exit(1)')],
      ['a program that says nothing', () => program('')],
    ] as const) {
      it(`is none, and says so: ${what}`, async () => {
        const speech = await openSpeech(made(), dir);
        expect(speech).to.be.instanceOf(NoSpeech);
        expect([...speech.languages]).to.deep.equal([]);
        expect(await refused(speech.synthesize('hello', 'en'))).to.be.instanceOf(SpeechError);
      });
    }

    it('of a language fails for that language', async () => {
      const speech = new EspeakSpeech(program(''), dir, new Set(['en']));
      expect((await refused(speech.synthesize('مرحبا', 'ar'))).message).to.contain('ar');
    });
  });

  for (const [what, script] of [
    ['that fails', 'process.exit(3)'],
    ['that writes no audio', 'console.log("hello")'],
    ['that dies', 'process.kill(process.pid, "SIGKILL")'],
  ] as const) {
    it(`by a voice ${what} is an error, and leaves nothing behind`, async () => {
      const speech = new EspeakSpeech(program(script), dir, new Set(['en']));
      const error = await refused(speech.synthesize('hello', 'en'));
      expect(error).to.be.instanceOf(SpeechError);
      expect(error.cause).to.be.instanceOf(Error);
      expect(readdirSync(dir)).to.deep.equal([]);
    });
  }

  it('is asked of the voice once: for many at the same time, and again later', async () => {
    const [sound, log] = [path.join(dir, 'sound.wav'), path.join(dir, 'log')];
    writeFileSync(sound, toneWav({ hz: 440, seconds: 0.2 }));
    const script = `fs.appendFileSync(${JSON.stringify(log)}, 'spoken '); fs.createReadStream(${JSON.stringify(sound)}).pipe(process.stdout)`;
    const voice = program(script);
    const speech = new EspeakSpeech(voice, path.join(dir, 'speech'), new Set(['en']));
    const files = await Promise.all([1, 2, 3].map(() => speech.synthesize('hello', 'en')));
    const other = new EspeakSpeech(voice, path.join(dir, 'speech'), new Set(['en']));
    expect(
      new Set([...files, await speech.synthesize('hello', 'en'), await other.synthesize(' hello ', 'en')]).size,
    ).to.equal(1);
    expect(readFileSync(log, 'utf8')).to.equal('spoken ');
    await other.synthesize('goodbye', 'en');
    expect(readFileSync(log, 'utf8')).to.equal('spoken spoken ');
  });

  it('refuses texts that are empty or too long', async () => {
    const speech = new EspeakSpeech(program(''), dir, new Set(['en']));
    for (const text of ['', '  \n\t ', '\0', 'a'.repeat(4001)]) {
      expect(await refused(speech.synthesize(text, 'en')), JSON.stringify(text.slice(0, 5))).to.be.instanceOf(
        SpeechError,
      );
    }
  });

  describe('runs programs', () => {
    it('and hands text over by standard input only', async () => {
      const cat = program('process.stdin.pipe(process.stdout)');
      const text = '$(touch /tmp/x) `id` "; -w /tmp/x\nمرحبا';
      const output = await runProgram(cat, [], { ...LIMITS, input: text });
      expect(Buffer.from(output).toString('utf8')).to.equal(text);
    });

    it('that may end before they read everything', async () => {
      const output = await runProgram(program('process.stdin.destroy()'), [], {
        ...LIMITS,
        input: 'x'.repeat(500_000),
      });
      expect(output).to.have.length(0);
    });

    it('and tells how they failed', async () => {
      const error = await refused(runProgram(program('console.error("no voice"); process.exitCode = 2'), [], LIMITS));
      expect(error.message).to.match(/ended with 2: no voice/);
    });

    it('and ends those that hang or never stop talking', async () => {
      const hang = program('setInterval(() => undefined, 1000)');
      expect((await refused(runProgram(hang, [], { ...LIMITS, timeoutMs: 50 }))).message).to.contain('50 ms');
      const chatty = program('const talk = () => process.stdout.write("x".repeat(65536), talk); talk()');
      expect((await refused(runProgram(chatty, [], LIMITS))).message).to.contain('more than');
    });
  });
});
