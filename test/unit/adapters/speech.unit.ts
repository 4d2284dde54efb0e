import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { AudioConverter } from '../../../adapters/media/converter.js';
import {
  CachedSpeech,
  EspeakVoice,
  NoSpeech,
  OpenAiVoice,
  openSpeech,
  type Program,
} from '../../../adapters/speech/index.js';
import { runProgram } from '../../../adapters/programs/run-program.js';
import { SpeechError } from '../../../core/ports/speech.js';
import { readWav, slice, toneShare, toneWav } from '../../support/judges/audio.js';
import { OpenAiPeer } from '../../support/peers/openai-peer.js';

const MP3 = readFileSync(new URL('../../support/fixtures/tone-440-stereo-vbr-id3.mp3', import.meta.url));
const LIMITS = { input: '', timeoutMs: 10_000, maxBytes: 1_000_000 };

/** A program that runs a script: voices fail in the same ways, whatever the program. */
function program(script: string): Program {
  return { command: process.execPath, args: ['-e', script, '--'], env: process.env, version: 'test' };
}

function espeak(voice: Program, dir: string): CachedSpeech {
  return new CachedSpeech([new EspeakVoice(voice, new Set(['en']))], dir);
}

async function refused(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('expected a rejection');
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
      ['a missing program', () => ({ ...program(''), command: path.join(dir, 'nothing') })],
      ['a program that fails', () => program('process.exit(1)')],
      ['a program without output', () => program('')],
    ] as const) {
      it(`rejects every text: ${what}`, async () => {
        const speech = await openSpeech({ espeak: made() }, dir);
        expect(speech).to.be.instanceOf(NoSpeech);
        expect([...speech.languages]).to.deep.equal([]);
        expect(await refused(speech.synthesize('hello', 'en'))).to.be.instanceOf(SpeechError);
      });
    }

    it('fails for a language without a voice', async () => {
      const speech = espeak(program(''), dir);
      expect((await refused(speech.synthesize('مرحبا', 'ar'))).message).to.contain('ar');
    });
  });

  for (const [what, script] of [
    ['that fails', 'process.exit(3)'],
    ['that writes no audio', 'console.log("hello")'],
    ['that dies', 'process.kill(process.pid, "SIGKILL")'],
  ] as const) {
    it(`by a voice ${what} is rejected, and not cached`, async () => {
      const speech = espeak(program(script), dir);
      const error = await refused(speech.synthesize('hello', 'en'));
      expect(error).to.be.instanceOf(SpeechError);
      expect(error.cause).to.be.instanceOf(Error);
      expect(readdirSync(dir)).to.deep.equal([]);
    });
  }

  it('is synthesized once, for concurrent and for later requests', async () => {
    const [sound, log] = [path.join(dir, 'sound.wav'), path.join(dir, 'log')];
    writeFileSync(sound, toneWav({ hz: 440, seconds: 0.2 }));
    const script = `fs.appendFileSync(${JSON.stringify(log)}, 'spoken '); fs.createReadStream(${JSON.stringify(sound)}).pipe(process.stdout)`;
    const voice = program(script);
    const speech = espeak(voice, path.join(dir, 'speech'));
    const files = await Promise.all([1, 2, 3].map(() => speech.synthesize('hello', 'en')));
    const other = espeak(voice, path.join(dir, 'speech'));
    expect(
      new Set([...files, await speech.synthesize('hello', 'en'), await other.synthesize(' hello ', 'en')]).size,
    ).to.equal(1);
    expect(readFileSync(log, 'utf8')).to.equal('spoken ');
    await other.synthesize('goodbye', 'en');
    expect(readFileSync(log, 'utf8')).to.equal('spoken spoken ');
  });

  it('rejects texts that are empty or too long', async () => {
    const speech = espeak(program(''), dir);
    for (const text of ['', '  \n\t ', '\0', 'a'.repeat(4001)]) {
      expect(await refused(speech.synthesize(text, 'en')), JSON.stringify(text.slice(0, 5))).to.be.instanceOf(
        SpeechError,
      );
    }
  });

  describe('behind an HTTP API', () => {
    let peer: OpenAiPeer;
    let failedVoices: string[];
    const converter = new AudioConverter();
    beforeEach(async () => {
      peer = await OpenAiPeer.start('key-1');
      failedVoices = [];
    });
    afterEach(() => peer.close());

    /** Speech with a fallback program that speaks at 300 Hz. */
    function speaker(options: { timeoutMs?: number; baseUrl?: string; apiKey?: string } = {}): CachedSpeech {
      const sound = path.join(dir, 'sound.wav');
      writeFileSync(sound, toneWav({ hz: 300, seconds: 0.5 }));
      const local = program(`fs.createReadStream(${JSON.stringify(sound)}).pipe(process.stdout)`);
      const voices = { ar: 'amal', en: 'ann' };
      const openai = { baseUrl: peer.baseUrl, apiKey: 'key-1', model: 'tts-1', voices, timeoutMs: 5000, ...options };
      return new CachedSpeech(
        [new OpenAiVoice(openai), new EspeakVoice(local, new Set(['en']))],
        path.join(dir, 'speech'),
        { converter, onFailure: (voice) => failedVoices.push(voice) },
      );
    }

    /** Returns the spoken tone: the server's voices are tones. */
    function tone(file: string): number {
      const audio = readWav(`${file}.wav`);
      return [300, 500, 700].find((hz) => toneShare(slice(audio, 0.1, 0.4), hz) > 0.9) ?? 0;
    }

    it('speaks with each language’s voice, and requests a text once', async () => {
      peer.voices = { amal: 500, ann: 700 };
      const speech = speaker();
      expect([...speech.languages].sort()).to.deep.equal(['ar', 'en']);
      const [english, arabic] = [await speech.synthesize('Hello', 'en'), await speech.synthesize('مرحبا', 'ar')];
      expect([tone(english), tone(arabic)]).to.deep.equal([700, 500]);
      expect(await speech.synthesize('Hello', 'en')).to.equal(english);
      expect(await speaker().synthesize('Hello', 'en')).to.equal(english);
      expect(peer.spoken).to.deep.equal([
        { model: 'tts-1', input: 'Hello', voice: 'ann', response_format: 'wav' },
        { model: 'tts-1', input: 'مرحبا', voice: 'amal', response_format: 'wav' },
      ]);
      expect(existsSync(`${english}.wav16`)).to.equal(true);
    });

    it('accepts mp3 from a server without wav', async () => {
      peer.answer = { status: 200, body: MP3 };
      expect(readWav(`${await speaker().synthesize('Hello', 'en')}.wav`).seconds).to.be.closeTo(1, 0.1);
    });

    for (const [what, answer] of [
      ['fails', { status: 500, body: Buffer.from('{"error":"no"}') }],
      ['is busy', { status: 429, body: Buffer.from('later') }],
      ['redirects', { status: 302, body: Buffer.from(''), location: 'http://127.0.0.1:1/' }],
      ['responds with no audio', { status: 200, body: Buffer.from('<html>') }],
      ['sends an empty response', { status: 200, body: Buffer.alloc(0) }],
      ['breaks the connection', 'break'],
    ] as const) {
      it(`falls back to espeak-ng if the server ${what}, and is skipped for a while`, async () => {
        peer.answer = answer;
        const speech = speaker();
        expect(tone(await speech.synthesize('Hello', 'en'))).to.equal(300);
        expect(tone(await speech.synthesize('Goodbye', 'en'))).to.equal(300);
        expect(failedVoices).to.deep.equal(['openai']);
        expect(peer.requests).to.equal(1);
        peer.answer = null;
        peer.voices = { ann: 700 };
        // The fallback's audio is not cached as this voice's.
        expect(tone(await speaker().synthesize('Hello', 'en'))).to.equal(700);
      });
    }

    it('falls back for a text that the server rejects, but not for the next one', async () => {
      peer.voices = { ann: 700 };
      peer.answer = { status: 400, body: Buffer.from('{"error":"input"}') };
      const speech = speaker();
      expect(tone(await speech.synthesize('Hello', 'en'))).to.equal(300);
      peer.answer = null;
      expect(tone(await speech.synthesize('Goodbye', 'en'))).to.equal(700);
    });

    it('falls back to espeak-ng while the server is unresponsive or unreachable', async () => {
      peer.answer = 'hang';
      expect(tone(await speaker({ timeoutMs: 100 }).synthesize('Hello', 'en'))).to.equal(300);
      const nowhere = speaker({ baseUrl: 'http://127.0.0.1:1/v1' });
      expect(tone(await nowhere.synthesize('Hello', 'en'))).to.equal(300);
      expect(failedVoices).to.deep.equal(['openai', 'openai']);
    });

    it('is not skipped if no other voice speaks the language', async () => {
      peer.answer = { status: 503, body: Buffer.from('') };
      const speech = speaker();
      expect(await refused(speech.synthesize('مرحبا', 'ar'))).to.be.instanceOf(SpeechError);
      peer.answer = null;
      peer.voices = { amal: 500 };
      expect(tone(await speech.synthesize('مرحبا', 'ar'))).to.equal(500);
    });

    it('does not reveal a rejected API key', async () => {
      const speech = speaker({ apiKey: 'key-2' });
      const error = await refused(speech.synthesize('مرحبا', 'ar'));
      expect(`${error.stack ?? ''} ${String(error.cause)}`)
        .to.contain('401')
        .and.not.contain('key-2');
    });

    it('works without espeak-ng', async () => {
      peer.voices = { v: 500 };
      const openai = { baseUrl: `${peer.baseUrl}/`, apiKey: 'key-1', model: 'm', voices: { ar: 'v', en: 'v' } };
      const speech = await openSpeech({ espeak: null, openai }, path.join(dir, 'speech'));
      expect(tone(await speech.synthesize('Hello', 'en'))).to.equal(500);
      await speech.close();
    });
  });

  describe('running programs', () => {
    it('passes text only on standard input', async () => {
      const cat = program('process.stdin.pipe(process.stdout)');
      const text = '$(touch /tmp/x) `id` "; -w /tmp/x\nمرحبا';
      const output = await runProgram(cat, [], { ...LIMITS, input: text });
      expect(Buffer.from(output).toString('utf8')).to.equal(text);
    });

    it('allows them to exit before they have read all input', async () => {
      const output = await runProgram(program('process.stdin.destroy()'), [], {
        ...LIMITS,
        input: 'x'.repeat(500_000),
      });
      expect(output).to.have.length(0);
    });

    it('reports how they failed', async () => {
      const error = await refused(runProgram(program('console.error("no voice"); process.exitCode = 2'), [], LIMITS));
      expect(error.message).to.match(/ended with 2: no voice/);
    });

    it('kills those that hang or produce endless output', async () => {
      const hang = program('setInterval(() => undefined, 1000)');
      expect((await refused(runProgram(hang, [], { ...LIMITS, timeoutMs: 50 }))).message).to.contain('50 ms');
      const chatty = program('const talk = () => process.stdout.write("x".repeat(65536), talk); talk()');
      expect((await refused(runProgram(chatty, [], LIMITS))).message).to.contain('more than');
    });

    it('ends one that starts after its signal', async () => {
      const hang = program('setInterval(() => undefined, 1000)');
      expect((await refused(runProgram(hang, [], { ...LIMITS, signal: AbortSignal.abort() }))).name).to.equal(
        'AbortError',
      );
    });
  });
});
