export { AudioConverter, type ConverterOptions } from './converter.js';
export { AudioMediaStore, MAX_AUDIO_BYTES, MAX_AUDIO_SECONDS, type AudioMediaStoreOptions } from './media-store.js';
