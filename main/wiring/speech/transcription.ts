import { join } from 'node:path';
import { resolveTool } from '../../../adapters/embedded/index.js';
import {
  OpenAiTranscriber,
  PocketsphinxTranscriber,
  type PocketsphinxProgram,
} from '../../../adapters/transcription/index.js';
import type { Settings } from '../../../config/settings.js';
import type { Logger } from '../../../core/ports/logger.js';
import type { Transcriber } from '../../../core/ports/transcription.js';
import { cacheFolder } from '../../install/places.js';

/** Path of the model in its package. */
const MODEL = 'usr/share/pocketsphinx/model/en-us';

/** The transcriber of the settings; null if they name none. */
export function openTranscriber(settings: Settings, log: Logger): Transcriber | null {
  const { TRANSCRIPTION_URL, TRANSCRIPTION_API_KEY, TRANSCRIPTION_MODEL, TRANSCRIPTION_EMBEDDED } = settings;
  if (TRANSCRIPTION_URL !== undefined) {
    return new OpenAiTranscriber({
      baseUrl: TRANSCRIPTION_URL,
      apiKey: TRANSCRIPTION_API_KEY,
      model: TRANSCRIPTION_MODEL,
    });
  }
  return TRANSCRIPTION_EMBEDDED === true ? new PocketsphinxTranscriber(() => findPocketsphinx(settings, log)) : null;
}

/** Downloads it if necessary. @throws EmbeddedError */
async function findPocketsphinx(settings: Settings, log: Logger): Promise<PocketsphinxProgram> {
  const tool = await resolveTool('pocketsphinx', {
    cacheDir: cacheFolder(settings),
    ...(settings.DEBIAN_MIRROR === undefined ? {} : { aptMirror: settings.DEBIAN_MIRROR }),
    // Another installation would have its model elsewhere.
    preferEmbedded: true,
    onProgress: (text) => log.info({}, text),
  });
  return { ...tool, model: join(tool.prefix ?? '', MODEL) };
}
