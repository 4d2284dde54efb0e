import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { resolveTool } from '../../../adapters/embedded/index.js';
import { MAX_TEXT_LENGTH, openSpeech } from '../../../adapters/speech/index.js';
import { readWav } from '../../support/judges/audio.js';

const TEXT = 'مرحبا بكم '.repeat(400);

describe('Speech synthesis by espeak-ng', function () {
  this.timeout(180_000);
  let dir: string;

  before(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'hatif-speech-'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('speaks the longest text', async () => {
    const cacheDir = process.env.HATIF_CACHE_DIR ?? path.resolve('.hatif-cache');
    const speech = await openSpeech({ espeak: await resolveTool('espeak-ng', { cacheDir }) }, dir);
    expect(TEXT).to.have.length(MAX_TEXT_LENGTH);
    const file = await speech.synthesize(TEXT, 'ar');
    expect(readWav(`${file}.wav`).seconds).to.be.greaterThan(120);
  });
});
