import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { EmbeddedError, resolveTool } from '../../../adapters/embedded/index.js';
import { convert } from '../../../adapters/media/convert.js';
import { runProgram } from '../../../adapters/programs/run-program.js';
import { PocketsphinxTranscriber } from '../../../adapters/transcription/index.js';
import { readSettings } from '../../../config/read-settings.js';
import { TranscriptionError } from '../../../core/ports/transcription.js';
import { openTranscriber } from '../../../main/wiring/speech/transcription.js';
import { readWav } from '../../support/judges/audio.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { quiet } from '../../support/logger.js';

const cacheDir = process.env.HATIF_CACHE_DIR ?? path.resolve('.hatif-cache');

describe('Transcription by pocketsphinx', function () {
  this.timeout(300_000);

  let transcriber: PocketsphinxTranscriber;

  before(() => {
    const settings = readSettings({ HATIF_CACHE_DIR: cacheDir, TRANSCRIPTION_EMBEDDED: 'true' });
    const opened = openTranscriber(settings, quiet);
    if (!(opened instanceof PocketsphinxTranscriber)) throw new Error('another engine was opened');
    transcriber = opened;
  });

  /** Synthesizes the text with this machine's espeak-ng. */
  async function spoken(text: string): Promise<{ narrow: Int16Array; wide: Int16Array }> {
    const espeak = await resolveTool('espeak-ng', { cacheDir });
    const args = ['-v', 'en-us', '-s', '140', '-b', '1', '--stdin', '--stdout'];
    const bytes = await runProgram(espeak, args, { input: text, timeoutMs: 30_000, maxBytes: 10_000_000 });
    const { narrow, wide } = await convert({ audio: bytes, maxSeconds: 60, loudness: -20 });
    const pcm = (wav: Uint8Array): Int16Array =>
      Int16Array.from(readWav(wav).samples, (sample) => Math.round(sample * 32767));
    return { narrow: pcm(narrow), wide: pcm(wide) };
  }

  it('is enabled by its setting only', () => {
    expect(openTranscriber(readSettings({ HATIF_CACHE_DIR: cacheDir }), quiet)).to.equal(null);
    expect(transcriber.engine).to.equal('pocketsphinx');
  });

  it('recognizes English words of a synthetic voice, with their times, at low confidence', async () => {
    const { wide } = await spoken('Please call me back tomorrow morning. Thank you very much.');
    const { language, segments } = await transcriber.transcribe({ samples: wide, sampleRate: 16_000 });
    expect(language).to.equal('en');
    const text = segments.map((segment) => segment.text).join(' ');
    // The words that it recognizes in a synthetic voice; the rest of its output is wrong.
    expect(text).to.match(/tomorrow|morning/);
    expect(text).not.to.match(/[<>()[\]]/);
    const seconds = wide.length / 16;
    for (const [index, { startMs, endMs, confidence }] of segments.entries()) {
      expect(startMs).to.be.within(segments[index - 1]?.endMs ?? 0, endMs);
      expect(endMs).to.be.at.most(seconds);
      expect(confidence).to.be.within(0, 1);
    }
  });

  it('accepts telephone audio', async () => {
    const { narrow } = await spoken('Good morning.');
    const { segments } = await transcriber.transcribe({ samples: narrow, sampleRate: 8000 });
    expect(segments.length).to.be.above(0);
  });

  it('looks for its program at each use until it has found it', async () => {
    const failures = [() => Promise.reject(new EmbeddedError('pocketsphinx', 'the mirror is unavailable'))];
    let lookups = 0;
    const late = new PocketsphinxTranscriber(() => {
      lookups += 1;
      const program = { command: process.execPath, args: ['-e', `console.log('{"w":[]}')`, '--'] };
      return (
        failures.pop()?.() ?? Promise.resolve({ ...program, env: process.env, version: '', model: '/nonexistent' })
      );
    });
    expect(lookups).to.equal(0);
    const silence = { samples: new Int16Array(8000), sampleRate: 8000 };
    const error = await failureOf(late.transcribe(silence));
    expect(error).to.be.instanceOf(TranscriptionError);
    expect((error as TranscriptionError).isFinal).to.equal(false);
    for (let i = 0; i < 2; i += 1) expect((await late.transcribe(silence)).segments).to.deep.equal([]);
    expect(lookups).to.equal(2);
  });

  it('ends its program when it is closed', async () => {
    const listening = createServer().listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const { port } = listening.address() as AddressInfo;
    const source = `require('net').connect(${port}, '127.0.0.1').resume()`;
    const endless = new PocketsphinxTranscriber(() =>
      Promise.resolve({
        ...{ command: process.execPath, args: ['-e', source, '--'], env: process.env },
        ...{ version: '', model: '/nonexistent' },
      }),
    );
    const failure = failureOf(endless.transcribe({ samples: new Int16Array(8000), sampleRate: 8000 }));
    const [connection] = (await once(listening, 'connection')) as [Socket];
    connection.on('error', () => undefined).resume();
    const ended = once(connection, 'close');
    await endless.close();
    await ended;
    expect(await failure).to.be.instanceOf(TranscriptionError);
    listening.close();
  });

  it('reports that its program is missing or broken', async () => {
    const silence = { samples: new Int16Array(8000), sampleRate: 8000 };
    for (const program of [
      { command: '/nonexistent/pocketsphinx', args: [] },
      { command: process.execPath, args: ['-e', 'console.log("no JSON")', '--'] },
      { command: process.execPath, args: ['-e', 'process.exit(1)', '--'] },
    ]) {
      const broken = new PocketsphinxTranscriber(() =>
        Promise.resolve({ ...program, env: process.env, version: '', model: '/nonexistent' }),
      );
      const error = await failureOf(broken.transcribe(silence));
      expect(error).to.be.instanceOf(TranscriptionError);
      expect((error as TranscriptionError).isFinal).to.equal(false);
    }
  });
});
