import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { resolveTool } from '../../../adapters/embedded/index.js';
import { concat, hasSpeech, readWav, slice, toneSeconds, wavOf } from '../../support/judges/audio.js';
import { Baresip } from '../../support/phones/index.js';
import { digitPromptsOf, digitsSaid } from '../../support/judges/spoken-digits.js';
import { Tour } from '../../support/calls/tour.js';

const BEEP_HZ = 1000;
/** For the download of the transcription model, and both calls. */
const LIMIT_MS = 300_000;
/** A woman's voice at 8 kHz, repeated so that the whole sentence follows the tone at any time. */
const SENTENCE = { file: 'demo-abouttotry.wav', fromSeconds: 7.2, words: 'connected to the internet' };
const SENTENCE_SECONDS = 8;
const CODE_MS = 60_000;

describe('the second example in the README', function () {
  this.timeout(LIMIT_MS);
  const cacheDir = process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache');
  let tour: Tour;
  let phone: Baresip;

  before(async () => {
    tour = await Tour.start();
    tour.begin('line');
    const { host, port, agents } = tour.stage.bootstrap.sip;
    const { agent: user, password } = agents[0]!;
    const registrar = { host, port, password };
    phone = await Baresip.start({ codecs: ['PCMA'], user, registrar, source: { wav: await humanVoice() } });
    await phone.registered();
  });
  after(async () => {
    await phone.close();
    await tour.close();
  });

  /** Asterisk ships recordings of a human voice. */
  async function humanVoice(): Promise<string> {
    const { prefix } = await resolveTool('asterisk', { cacheDir, preferEmbedded: true });
    const audio = readWav(join(prefix!, 'usr/share/asterisk/sounds/en_US_f_Allison', SENTENCE.file));
    const sentence = slice(audio, SENTENCE.fromSeconds);
    const { samples, sampleRate } = concat(Array.from({ length: 8 }, () => sentence));
    const file = join(tour.folder, 'speech.wav');
    writeFileSync(file, wavOf(samples, sampleRate));
    return file;
  }

  it('works as written', async () => {
    const line = tour.stage.bootstrap.line_number;
    expect(await tour.next())
      .to.match(/Path: .*voicemail/s)
      .and.to.contain(`calls to ${line} run it`);
    expect(await tour.next()).to.match(/"enabled": true.*"transcribe": true/s);

    const leaving = await phone.dial(line);
    await phone.waitToHear(hasSpeech, { callId: leaving });
    await phone.sendDtmf('2');
    await phone.waitToHear((audio) => toneSeconds(audio, BEEP_HZ) > 0.1, { callId: leaving, timeoutMs: 60_000 });
    // No event reports the length of a message while the caller speaks.
    await pause(1.5 * SENTENCE_SECONDS * 1000);
    await phone.hangup(leaving);
    const message = await tour.next();
    expect(message).not.to.contain('disabled');
    const read = await tour.until('api GET /voicemails', '"transcription_status": "completed"', LIMIT_MS / 2);
    expect(read).to.contain(SENTENCE.words);

    expect(await tour.next()).to.equal('');
    const ringing = await phone.incoming();
    await phone.answer(ringing);
    await phone.closed(ringing, CODE_MS);
    const said = digitsSaid(phone.heard(ringing), await digitPromptsOf(tour.stage.dataDir, 'en'));
    expect(said, 'the code, twice').to.match(/^(\d{6})\1$/);
    const checked = await tour.next({ 482913: said.slice(0, 6) });
    expect(checked).to.contain('"state": "verified"').and.to.contain('"verified": true');
    expect(tour.left).to.equal(0);
  });
});
