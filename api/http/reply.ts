import type { Readable } from 'node:stream';
import type { z } from 'zod';

/** One response of a route. `schema: null` is an empty body. */
export interface ResponseSpec<S extends z.ZodType | null = z.ZodType | null> {
  readonly schema: S;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Media type if it is not JSON: `text/event-stream`, `text/html`. The schema then describes the text. */
  readonly contentType?: string;
  /** For answers that the examples of the API document cannot be recorded from. */
  readonly example?: unknown;
}

export type Responses = Readonly<Record<number, ResponseSpec>>;

export type ReplyHeaders = Readonly<Record<string, string>>;

/** Lets a handler return read-only objects and lists. */
type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;

type BodyOf<Spec> =
  Spec extends ResponseSpec<infer S> ? (S extends z.ZodType ? Immutable<z.input<S>> : undefined) : never;

/** A JSON answer with one of the declared statuses and the body that the status declares. */
export type JsonReplyOf<R extends Responses> = {
  [S in keyof R & number]: undefined extends BodyOf<R[S]>
    ? { readonly status: S; readonly body?: BodyOf<R[S]>; readonly headers?: ReplyHeaders }
    : { readonly status: S; readonly body: BodyOf<R[S]>; readonly headers?: ReplyHeaders };
}[keyof R & number];

export interface JsonReply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: ReplyHeaders;
}

/** Text or bytes that are not JSON. */
export interface RawReply {
  readonly status: number;
  readonly raw: string | Uint8Array;
  readonly contentType: string;
  readonly headers?: ReplyHeaders;
}

/** One message of an event stream (WHATWG server-sent events). `data` is sent as JSON. */
export interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: unknown;
}

/**
 * A `text/event-stream` that ends with its source, when the client disconnects, or when the server drains. The source
 * should watch `ctx.signal`, which is aborted in the last two cases.
 */
export interface StreamReply {
  readonly status: 200;
  readonly events: AsyncIterable<StreamEvent>;
  readonly headers?: ReplyHeaders;
}

/**
 * A stored file, streamed as fast as the client reads: the whole file (200), the one range that the request names (206,
 * RFC 9110 §14), or the error 416 if the file has no such bytes. The route declares all three.
 */
export interface FileReply {
  readonly status: 200;
  readonly file: {
    readonly bytes: number;
    readonly contentType: string;
    /** Strong, without quotes: different content has a different one. */
    readonly etag: string;
    /** Both ends of the range are inclusive. A rejection becomes the error answer. */
    read(range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  };
  readonly headers?: ReplyHeaders;
}

/**
 * Text that is generated as fast as the client reads; its length is not known in advance. If it fails midway, the
 * connection is closed.
 */
export interface ChunksReply {
  readonly status: 200;
  readonly chunks: AsyncIterable<string>;
  readonly contentType: string;
  readonly headers?: ReplyHeaders;
}

/** A file that browsers save and do not show: a stranger may have made it, and a page among such files must not run here. */
export function savedReply(
  { bytes, name }: { readonly bytes: Uint8Array; readonly name: string },
  contentType: string,
  headers: ReplyHeaders = {},
): RawReply {
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
  return {
    status: 200,
    raw: bytes,
    contentType,
    headers: { 'Content-Disposition': disposition, 'X-Content-Type-Options': 'nosniff', ...headers },
  };
}

/** Media type of exports. */
export const CSV = 'text/csv; charset=utf-8';

/**
 * A CSV file, sent line by line. The first line is awaited, so that an unavailable database fails before anything is
 * sent.
 */
export async function csvReply(name: string, lines: AsyncGenerator<string>): Promise<ChunksReply> {
  const first = await lines.next();
  return {
    status: 200,
    contentType: CSV,
    chunks: chain(first.done === true ? '' : first.value, lines),
    headers: { 'Content-Disposition': `attachment; filename="${name}"` },
  };
}

async function* chain(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** Whether the answer is JSON or empty. */
export function isJson(reply: Reply): reply is JsonReply {
  return !('raw' in reply || 'events' in reply || 'stream' in reply);
}

/** An open stream; null if only the headers are sent. */
export interface OpenReply {
  readonly status: 200 | 206;
  readonly stream: Readable | null;
  readonly headers: ReplyHeaders;
}

/** The answer of a handler. */
export type HandlerReply = JsonReply | RawReply | StreamReply | FileReply | ChunksReply;

/** The answer as it is sent: a file or text is open. */
export type Reply = JsonReply | RawReply | StreamReply | OpenReply;
