/** The minimum of an Asterisk application: commands over keep-alive HTTP, events over a WebSocket; stores nothing. */
import { createRequire } from 'node:module';
import { Pool } from 'undici';

export interface Event {
  readonly type: string;
  readonly channel?: { readonly id: string; readonly state: string };
}

interface Socket {
  on(event: 'message', listener: (text: unknown) => void): void;
  on(event: 'open', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

/** The WebSocket library of ari-client, which the product also uses. */
const WebSocket = createRequire(createRequire(import.meta.url).resolve('ari-client'))('ws') as new (
  url: string,
) => Socket;

const APP = 'bench';
const EVENTS = ['StasisStart', 'ChannelStateChange', 'ChannelDestroyed'];

export interface Ari {
  command(method: 'POST' | 'DELETE' | 'PUT', path: string, body?: object): Promise<void>;
}

/** Connects as the application `bench`. */
export async function connect(onEvent: (event: Event) => void): Promise<Ari> {
  const { ARI_URL = '', ARI_USER = '', ARI_PASSWORD = '' } = process.env;
  const { origin, pathname } = new URL(ARI_URL);
  const authorization = `Basic ${Buffer.from(`${ARI_USER}:${ARI_PASSWORD}`).toString('base64')}`;
  const pool = new Pool(origin, { connections: 16, keepAliveTimeout: 4_000 });
  const command: Ari['command'] = async (method, path, body) => {
    const response = await pool.request({
      method,
      path: `${pathname}${path}`,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await response.body.text();
    // 404: the other side may have just hung up.
    if (response.statusCode >= 300 && response.statusCode !== 404) throw new Error(`${method} ${path}: ${text}`);
  };
  const credentials = `${encodeURIComponent(ARI_USER)}:${encodeURIComponent(ARI_PASSWORD)}`;
  const socket = new WebSocket(`${origin.replace('http', 'ws')}${pathname}/events?app=${APP}&api_key=${credentials}`);
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
  });
  await command('PUT', `/applications/${APP}/eventFilter`, { allowed: EVENTS.map((type) => ({ type })) });
  socket.on('message', (text) => onEvent(JSON.parse(String(text)) as Event));
  return { command };
}

/** Logs a failure: one failed call does not end the measurement. */
export function logFailure(work: Promise<unknown>): void {
  work.catch((error: unknown) => console.error(error instanceof Error ? error.message : error));
}
