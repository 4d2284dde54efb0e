import { FormData } from 'undici';
import wavefile from 'wavefile';
import type { Api } from './api.js';

const RATE = 8_000;
const HZ = 440;
const LOUDNESS = 8_000;

/** Uploads a tone. @returns its id, for `play.audio_id` */
export async function uploadTone(api: Api, seconds: number): Promise<string> {
  const samples = Int16Array.from({ length: seconds * RATE }, (_, at) =>
    Math.round(LOUDNESS * Math.sin((2 * Math.PI * HZ * at) / RATE)),
  );
  const wav = new wavefile.WaveFile();
  wav.fromScratch(1, RATE, '16', samples);
  const form = new FormData();
  form.set('file', new Blob([wav.toBuffer()]), 'tone.wav');
  const { id } = (await api.post('/v1/callflows/audio', form)) as { readonly id: string };
  return id;
}
