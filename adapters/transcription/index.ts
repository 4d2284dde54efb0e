export { OpenAiTranscriber } from './openai.js';
export { PocketsphinxTranscriber, type PocketsphinxProgram } from './pocketsphinx.js';
