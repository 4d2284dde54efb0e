import { Readable } from 'node:stream';
import { expect } from 'chai';
import { languageCode } from '../../../adapters/transcription/languages.js';
import { OpenAiTranscriber } from '../../../adapters/transcription/index.js';
import { confidenceOf, speakersOf, turnsOf, type Segment } from '../../../core/model/transcript.js';
import { TranscriptionError, type AudioChunk } from '../../../core/ports/transcription.js';
import { piecesOf, UnreadableAudioError, type Piece } from '../../../core/services/transcription/pieces.js';
import { readWav, toneWav, wavOf } from '../../support/judges/audio.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { OpenAiPeer } from '../../support/peers/openai-peer.js';

function segment(startMs: number, endMs: number, text: string, confidence: number | null = null): Segment {
  return { startMs, endMs, text, confidence };
}

describe('Transcripts', () => {
  describe('turns', () => {
    it('are ordered by start, with adjacent segments of one speaker merged', () => {
      const turns = turnsOf([
        {
          speaker: 'customer',
          segments: [segment(0, 900, 'Hello.'), segment(1000, 2000, 'I have'), segment(6000, 7000, 'Yes')],
        },
        { speaker: 'agent', segments: [segment(2500, 5000, 'How can I help?')] },
      ]);
      expect(turns.map(({ speaker, startMs, endMs, text }) => [speaker, startMs, endMs, text])).to.deep.equal([
        ['customer', 0, 2000, 'Hello. I have'],
        ['agent', 2500, 5000, 'How can I help?'],
        ['customer', 6000, 7000, 'Yes'],
      ]);
    });

    it('start again after a silence', () => {
      const segments = [segment(0, 1000, 'One'), segment(2999, 3500, 'two'), segment(5500, 6000, 'three')];
      expect(turnsOf([{ speaker: null, segments }]).map(({ text }) => text)).to.deep.equal(['One two', 'three']);
    });

    it('can interrupt one another', () => {
      const turns = turnsOf([
        { speaker: 'agent', segments: [segment(0, 4000, 'A long sentence')] },
        { speaker: 'customer', segments: [segment(1000, 1500, 'Yes')] },
        { speaker: 'transfer', segments: [] },
      ]);
      expect(turns.map(({ speaker }) => speaker)).to.deep.equal(['agent', 'customer']);
    });

    it('have the mean confidence of their words, weighted by length', () => {
      expect(
        confidenceOf([segment(0, 1, 'aaa', 0.9), segment(1, 2, 'b', 0.5), segment(2, 3, 'unknown')]),
      ).to.be.closeTo(0.8, 1e-9);
      expect(confidenceOf([segment(0, 1, 'a')])).to.equal(null);
      const [turn] = turnsOf([{ speaker: null, segments: [segment(0, 1, 'a', 1), segment(1, 2, 'b', 0)] }]);
      expect(turn?.confidence).to.equal(0.5);
    });

    it('are attributed to the speaking and the listening party', () => {
      expect(speakersOf('customer', 2)).to.deep.equal(['customer', 'agent']);
      expect(speakersOf('agent', 2)).to.deep.equal(['agent', 'customer']);
      expect(speakersOf('transfer', 2)).to.deep.equal(['transfer', 'customer']);
      expect(speakersOf('customer', 1)).to.deep.equal([null]);
    });
  });

  describe('pieces', () => {
    async function pieces(wav: Uint8Array, seconds: number, chunkBytes = 1000): Promise<Piece[]> {
      const chunks: Buffer[] = [];
      for (let at = 0; at < wav.length; at += chunkBytes) chunks.push(Buffer.from(wav.subarray(at, at + chunkBytes)));
      const found: Piece[] = [];
      for await (const piece of piecesOf(Readable.from(chunks), seconds)) found.push(piece);
      return found;
    }

    it('are cut in silence, and lose nothing', async () => {
      // Loud, except for 0.3 s from 1.6 s and from 3.4 s.
      const samples = Float64Array.from({ length: 8000 * 5 }, (_, i) => {
        const at = i / 8000;
        const isQuiet = (at >= 1.6 && at < 1.9) || (at >= 3.4 && at < 3.7);
        return isQuiet ? 0 : 0.5 * Math.sin(i / 3);
      });
      const wav = wavOf(samples, 8000);
      const found = await pieces(wav, 2);
      expect(found.map(({ startMs }) => startMs)[0]).to.equal(0);
      expect(found[1]?.startMs).to.be.within(1600, 1900);
      expect(found[2]?.startMs).to.be.within(3400, 3700);
      const whole = found.flatMap(({ channels }) => [...(channels[0] ?? [])]);
      expect(whole).to.have.length(samples.length);
      const original = readWav(wav).samples;
      for (const i of [0, 12_345, 39_999]) expect((whole[i] ?? 0) / 32768).to.equal(original[i]);
    });

    it('keep the channels separate', async () => {
      const left = readWav(toneWav({ hz: 440, seconds: 0.5 })).samples;
      const wav = Buffer.from(wavOf(new Float64Array(4000), 8000, 2));
      left.forEach((sample, i) => wav.writeInt16LE(Math.round(sample * 32768), 44 + 4 * i));
      const [piece, ...none] = await pieces(wav, 600, 7);
      expect(none).to.deep.equal([]);
      expect(piece?.channels.map((channel) => channel.some((sample) => sample !== 0))).to.deep.equal([true, false]);
      expect(piece?.channels.map((channel) => channel.length)).to.deep.equal([4000, 4000]);
    });

    it('are empty for a recording without audio', async () =>
      expect(await pieces(wavOf(new Float64Array(0), 8000), 10)).to.deep.equal([]));

    for (const [what, bytes] of [
      ['nothing', Buffer.alloc(0)],
      ['half a header', toneWav({ hz: 440, seconds: 1 }).subarray(0, 30)],
      ['another file', Buffer.alloc(500, 'x')],
    ] as const) {
      it(`refuse ${what}`, async () =>
        expect(await failureOf(pieces(bytes, 10))).to.be.instanceOf(UnreadableAudioError));
    }
  });

  for (const [name, code] of [
    ['english', 'en'],
    ['Arabic', 'ar'],
    ['ar', 'ar'],
    ['en-US', 'en'],
    ['urdu', 'ur'],
    ['french', 'fr'],
    ['gibberish', null],
    ['', null],
    [undefined, null],
    [7, null],
  ] as const) {
    it(`map the language ${String(name)} to ${String(code)}`, () => expect(languageCode(name)).to.equal(code));
  }

  describe('through an HTTP API', () => {
    let peer: OpenAiPeer;
    let transcriber: OpenAiTranscriber;
    const audio: AudioChunk = {
      samples: Int16Array.from({ length: 16_000 }, (_, i) => 8000 * Math.sin(i / 3)),
      sampleRate: 8000,
    };

    beforeEach(async () => {
      peer = await OpenAiPeer.start('key-1');
      transcriber = new OpenAiTranscriber({
        baseUrl: peer.baseUrl,
        apiKey: 'key-1',
        model: 'whisper-1',
        timeoutMs: 500,
      });
    });
    afterEach(async () => {
      await transcriber.close();
      await peer.close();
    });

    it('sends the whole audio and reads segments, language and confidence', async () => {
      peer.hears = () => ({
        task: 'transcribe',
        language: 'arabic',
        duration: 2,
        text: ' مرحبا بك',
        segments: [
          { id: 0, start: 0.1, end: 0.9, text: ' مرحبا', avg_logprob: -0.1, no_speech_prob: 0.01 },
          { id: 1, start: 0.9, end: 99, text: ' بك ', avg_logprob: 0.2, no_speech_prob: 0.9 },
          { id: 2, start: 1.5, end: 1.6, text: '  ', avg_logprob: -0.1, no_speech_prob: 0 },
          // Text that Whisper hallucinates over silence.
          { id: 3, start: 1.6, end: 2, text: 'Subtitles by', avg_logprob: -1.4, no_speech_prob: 0.8 },
        ],
      });
      expect(await transcriber.transcribe(audio)).to.deep.equal({
        language: 'ar',
        segments: [segment(100, 900, 'مرحبا', Math.exp(-0.1)), segment(900, 2000, 'بك', 1)],
      });
      const [request] = peer.asked;
      expect(request?.fields).to.deep.equal({ model: 'whisper-1', response_format: 'verbose_json' });
      expect(request?.fileName).to.equal('audio.wav');
      const sound = readWav(request!.file);
      expect([sound.sampleRate, sound.samples.length]).to.deep.equal([8000, 16_000]);
      expect(sound.samples[1000]).to.equal(audio.samples[1000]! / 32768);
      expect(transcriber.engine).to.equal('openai:whisper-1');
    });

    it('uses the plain text of a server without segments, and does not request them again', async () => {
      peer.refuses = (request) =>
        request.fields.response_format === 'json' ? null : "response_format 'verbose_json' is not compatible";
      peer.hears = () => ({ text: 'Hello' });
      const expected = { language: null, segments: [segment(0, 2000, 'Hello')] };
      expect(await transcriber.transcribe(audio)).to.deep.equal(expected);
      expect(await transcriber.transcribe(audio)).to.deep.equal(expected);
      expect(peer.requests).to.equal(3);
    });

    it('has no segments if there is no speech', async () => {
      peer.hears = () => ({ text: ' ', language: 'english', segments: [] });
      expect(await transcriber.transcribe(audio)).to.deep.equal({ language: 'en', segments: [] });
    });

    for (const [what, answer, isFinal] of [
      ['is down', { status: 503, body: Buffer.from('') }, false],
      ['is busy', { status: 429, body: Buffer.from('') }, false],
      ['refuses the key', { status: 401, body: Buffer.from('') }, false],
      ['refuses the file', { status: 400, body: Buffer.from('{"error":"Invalid file format"}') }, true],
      ['finds the file too large', { status: 413, body: Buffer.from('') }, true],
      ['answers with HTML', { status: 200, body: Buffer.from('<html>') }, false],
      ['answers with another shape', { status: 200, body: Buffer.from('{"segments":"none"}') }, false],
      ['is silent', 'hang', false],
      ['closes the connection', 'break', false],
    ] as const) {
      it(`marks the error as retryable or final when the server ${what}`, async () => {
        peer.answer = answer;
        const error = await failureOf(transcriber.transcribe(audio));
        expect(error).to.be.instanceOf(TranscriptionError);
        expect((error as TranscriptionError).isFinal).to.equal(isFinal);
      });
    }
  });
});
