import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { resolveTool, type Tool } from '../../../adapters/embedded/index.js';
import { loudnessOf } from '../../../adapters/media/loudness.js';
import { CachedSpeech, EspeakVoice, openSpeech } from '../../../adapters/speech/index.js';
import { SpeechError, type Speech } from '../../../core/ports/speech.js';
import { hasSpeech, peak, readWav } from '../../support/judges/audio.js';

const cacheDir = process.env.HATIF_CACHE_DIR ?? path.resolve('.hatif-cache');

describe('Speech synthesis by espeak-ng', function () {
  this.timeout(180_000);

  let tool: Tool;
  let dir: string;
  let speech: Speech;

  before(async () => {
    tool = await resolveTool('espeak-ng', { cacheDir });
    dir = mkdtempSync(path.join(tmpdir(), 'hatif-speech-'));
    speech = await openSpeech({ espeak: tool }, dir);
  });

  after(() => rmSync(dir, { recursive: true, force: true }));

  it('speaks Arabic and English', () => {
    expect([...speech.languages].sort()).to.deep.equal(['ar', 'en']);
  });

  for (const [language, text] of [
    ['en', 'Welcome to Hatif. Please hold the line.'],
    ['ar', 'مرحبًا بكم في هاتف. يرجى الانتظار على الخط.'],
  ] as const) {
    it(`produces both sample rates at the loudness of a prompt: ${language}`, async () => {
      const file = await speech.synthesize(text, language);
      const [narrow, wide] = [readWav(`${file}.wav`), readWav(`${file}.wav16`)];
      expect([narrow.sampleRate, wide.sampleRate]).to.deep.equal([8000, 16000]);
      for (const audio of [narrow, wide]) {
        expect(audio.seconds).to.be.within(1.5, 8);
        expect(hasSpeech(audio)).to.equal(true);
        expect(loudnessOf(Float32Array.from(audio.samples), audio.sampleRate)).to.be.closeTo(-20, 1);
        expect(peak(audio)).to.be.lessThan(1);
      }
    });
  }

  it('pronounces a word differently in each language, and different words differently', async () => {
    const files = await Promise.all([
      speech.synthesize('123', 'en'),
      speech.synthesize('123', 'ar'),
      speech.synthesize('124', 'en'),
    ]);
    expect(new Set(files).size).to.equal(3);
    const sounds = files.map((file) => Buffer.from(readWav(`${file}.wav`).samples.buffer).toString('base64'));
    expect(new Set(sounds).size).to.equal(3);
  });

  it('synthesizes a text once, also for concurrent requests, and serves it without a voice afterwards', async () => {
    const text = 'This was said before.';
    const files = await Promise.all([1, 2, 3].map(() => speech.synthesize(text, 'en')));
    expect(new Set(files).size).to.equal(1);
    const voiceless = new CachedSpeech(
      [new EspeakVoice({ ...tool, command: '/nonexistent/espeak-ng' }, new Set(['en']))],
      dir,
    );
    expect(await voiceless.synthesize(text, 'en')).to.equal(files[0]);
    const fresh = await voiceless.synthesize('This was never said.', 'en').catch((error: unknown) => error);
    expect(fresh).to.be.instanceOf(SpeechError);
  });

  it('synthesizes a text again if its file is missing', async () => {
    const file = await speech.synthesize('Gone.', 'en');
    rmSync(`${file}.wav16`);
    expect(await speech.synthesize('Gone.', 'en')).to.equal(file);
    expect(existsSync(`${file}.wav16`)).to.equal(true);
  });

  it('treats text as plain text: no options, shell, markup or phoneme names', async () => {
    const marker = path.join(dir, 'marker');
    const texts = [
      `-w ${marker}`,
      `--phonout=${marker}`,
      `$(touch ${marker})`,
      `<audio src="/etc/passwd"/>`,
      "[[h@'loU]]",
    ];
    for (const text of texts)
      expect(hasSpeech(readWav(`${await speech.synthesize(text, 'en')}.wav`)), text).to.equal(true);
    expect(existsSync(marker)).to.equal(false);
  });

  it('leaves complete files only', () => {
    const names = readdirSync(dir).filter((name) => name !== 'marker');
    expect(names.every((name) => /^[0-9a-f]{64}\.wav(16)?$/.test(name))).to.equal(true);
  });
});
