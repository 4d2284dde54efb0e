import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { toneWav } from '../../support/judges/audio.js';

/** Hold music without pauses: silence in it would look like a hold without music. */
export const HOLD_MUSIC = { hz: 1_400, seconds: 60 };
const SOUND_SECONDS = 3;

/** Serves a tone of some seconds, for calls that play. */
export async function serveSound(): Promise<Server> {
  const wav = toneWav({ hz: 1_000, seconds: SOUND_SECONDS });
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'audio/wav' });
    response.end(wav);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
