/** The minimum of a FreeSWITCH application: one event socket; stores nothing. */
import { EslRefusal, openEsl, type EslEvent, type EslSocket } from '../../engine/freeswitch/esl/esl-connection.js';

/** Connects and subscribes to these events. */
export async function connect(names: readonly string[], onEvent: (event: EslEvent) => void): Promise<EslSocket> {
  const { ESL_PORT = '', ESL_PASSWORD: password = '' } = process.env;
  const socket = await openEsl(
    { host: '127.0.0.1', port: Number(ESL_PORT), password, timeoutMs: 10_000 },
    { onEvent, onClosed: (reason) => console.error(reason) },
  );
  await socket.command(`event json ${names.join(' ')}`);
  return socket;
}

export function channelOf(event: EslEvent): string {
  return event['Unique-ID'] ?? '';
}

/** Logs a connection failure. Ignores a refused command: the other side has just hung up, and sipp counts that. */
export function logFailure(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    if (!(error instanceof EslRefusal)) console.error(error);
  });
}
