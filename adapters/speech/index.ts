export { EspeakSpeech, NoSpeech, MAX_TEXT_LENGTH, openSpeech, type SpeechOptions } from './espeak.js';
export type { Program } from './run-program.js';
