import type { Readable } from 'node:stream';
import type { z } from 'zod';

/** One response of a route. `schema: null` is an empty body. */
export interface ResponseSpec<S extends z.ZodType | null = z.ZodType | null> {
  readonly schema: S;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is sent where it is not JSON: `text/event-stream`, `text/html`. The schema then describes the text. */
  readonly contentType?: string;
}

export type Responses = Readonly<Record<number, ResponseSpec>>;

export type ReplyHeaders = Readonly<Record<string, string>>;

/** A handler only reads out what it answers: lists that are not to be changed will do. */
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
 * A `text/event-stream` that ends with its source, when the client goes, or when the server drains. The source should
 * watch `ctx.signal`, which is aborted in the last two cases.
 */
export interface StreamReply {
  readonly status: 200;
  readonly events: AsyncIterable<StreamEvent>;
  readonly headers?: ReplyHeaders;
}

/**
 * A file that is kept elsewhere. It is sent as it comes, as fast as the client takes it: whole, or the one range that the request asks for
 * (RFC 9110 §14), which is then a 206, or a 416 where the file has no such bytes. All three are declared by the route.
 */
export interface FileReply {
  readonly status: 200;
  readonly file: {
    readonly bytes: number;
    readonly contentType: string;
    /** Strong, without quotes: another content has another. */
    readonly etag: string;
    /** Both ends included. What it throws is answered. */
    read(range?: { readonly start: number; readonly end: number }): Promise<Readable>;
  };
  readonly headers?: ReplyHeaders;
}

/** Text that is made as fast as the client takes it; its length is not known before. One that fails on the way breaks the answer off. */
export interface ChunksReply {
  readonly status: 200;
  readonly chunks: AsyncIterable<string>;
  readonly contentType: string;
  readonly headers?: ReplyHeaders;
}

/** Bytes from elsewhere, already open; null for an answer that tells only their headers. */
export interface OpenReply {
  readonly status: 200 | 206 | 416;
  readonly stream: Readable | null;
  readonly headers: ReplyHeaders;
}

/** What a handler answers. */
export type HandlerReply = JsonReply | RawReply | StreamReply | FileReply | ChunksReply;

/** What is sent. */
export type Reply = JsonReply | RawReply | StreamReply | OpenReply;
