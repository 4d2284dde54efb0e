import type { Response } from 'express';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import type { JsonReply, OpenReply, RawReply, Reply, StreamEvent, StreamReply } from './reply.js';

const HEARTBEAT_MS = 15_000;

/** Writes the answer. Resolves when the socket has accepted it; for a stream, when the stream has ended. */
export async function send(res: Response, reply: Reply, signal: AbortSignal): Promise<void> {
  res.status(reply.status);
  for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value);
  if ('events' in reply) await sendStream(res, reply, signal);
  else if ('stream' in reply) await sendOpen(res, reply, signal);
  else if ('raw' in reply) sendRaw(res, reply);
  else sendJson(res, reply);
}

function sendJson(res: Response, reply: JsonReply): void {
  if (reply.body === undefined) {
    res.end();
    return;
  }
  const text = JSON.stringify(reply.body);
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

function sendRaw(res: Response, reply: RawReply): void {
  const bytes = typeof reply.raw === 'string' ? Buffer.from(reply.raw, 'utf8') : reply.raw;
  res.setHeader('Content-Type', reply.contentType);
  res.setHeader('Content-Length', bytes.byteLength);
  res.end(bytes);
}

/**
 * Streams no faster than the client reads, and always closes the source. If the source fails, the connection is closed,
 * so that the client notices the missing bytes.
 */
async function sendOpen(res: Response, { stream }: OpenReply, signal: AbortSignal): Promise<void> {
  if (stream === null) {
    res.end();
    return;
  }
  try {
    await pipeline(stream, res);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Sends server-sent events (WHATWG HTML §9.2), with a comment every 15 s so that no proxy closes an idle stream. */
async function sendStream(res: Response, reply: StreamReply, signal: AbortSignal): Promise<void> {
  res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  // nginx and similar proxies must not buffer the events.
  res.setHeader('X-Accel-Buffering', 'no');
  res.flushHeaders();
  const heartbeat = setInterval(() => void res.write(': \n\n'), HEARTBEAT_MS);
  const events = reply.events[Symbol.asyncIterator]();
  try {
    const stopped = aborted(signal);
    for (;;) {
      const next = await Promise.race([events.next(), stopped]);
      if (next === null || next.done === true) break;
      if (!res.write(format(next.value))) await Promise.race([once(res, 'drain'), stopped]);
    }
  } finally {
    clearInterval(heartbeat);
    res.end();
    // Not awaited: a source that waits for its next event would delay the end.
    void events.return?.().catch(() => undefined);
  }
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function format({ id, event, data }: StreamEvent): string {
  const lines = [`data: ${JSON.stringify(data)}`];
  if (event !== undefined) lines.unshift(`event: ${event}`);
  if (id !== undefined) lines.unshift(`id: ${id}`);
  return `${lines.join('\n')}\n\n`;
}
