import type { Request } from 'express';
import { Readable } from 'node:stream';
import type { ChunksReply, FileReply, OpenReply } from './reply.js';

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Opens the requested part of a file. Rejects with the error of the file's source. */
export async function openFile({ file, headers = {} }: FileReply, req: Request): Promise<OpenReply> {
  const { bytes, contentType } = file;
  const etag = `"${file.etag}"`;
  const shared = { ...headers, 'Accept-Ranges': 'bytes', ETag: etag };
  const whole = { ...shared, 'Content-Type': contentType, 'Content-Length': String(bytes) };
  // RFC 9110 §14.2: ranges apply only to GET.
  if (req.method === 'HEAD') return { status: 200, stream: null, headers: whole };
  const range = wantedRange(req, etag, bytes);
  if (range === null) return { status: 200, stream: await file.read(), headers: whole };
  if (range === 'unsatisfiable') {
    return {
      status: 416,
      stream: null,
      headers: { ...shared, 'Content-Range': `bytes */${bytes}`, 'Content-Length': '0' },
    };
  }
  return {
    status: 206,
    stream: await file.read(range),
    headers: {
      ...shared,
      'Content-Type': contentType,
      'Content-Range': `bytes ${range.start}-${range.end}/${bytes}`,
      'Content-Length': String(range.end - range.start + 1),
    },
  };
}

/** For HEAD, the text is not generated. */
export function openChunks({ chunks, contentType, headers = {} }: ChunksReply, req: Request): OpenReply {
  const stream = req.method === 'HEAD' ? null : Readable.from(chunks);
  return { status: 200, stream, headers: { ...headers, 'Content-Type': contentType } };
}

/** Null means the whole file, which is also the right answer to multiple ranges, other units and malformed ranges. */
function wantedRange(req: Request, etag: string, bytes: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(req.headers.range?.trim() ?? '') ?? [];
  if (first === '' && last === '') return null;
  const condition = req.headers['if-range'];
  // A changed file must not be resumed in the middle. A date never matches: the answer has no Last-Modified.
  if (condition !== undefined && condition !== etag) return null;
  if (first === '') {
    const start = Math.max(0, bytes - Number(last));
    return start < bytes ? { start, end: bytes - 1 } : 'unsatisfiable';
  }
  const [start, end] = [Number(first), last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)];
  if (last !== '' && Number(last) < start) return null;
  return start < bytes ? { start, end } : 'unsatisfiable';
}
