import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { validationError } from '../../core/model/errors/index.js';
import { arabic } from '../../core/model/wording/wording.js';
import type { ChunksReply, FileReply, OpenReply } from './reply.js';

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Opens the requested part of a file. Rejects with the error of the file's source.
 * @param res gets `Content-Range` if the file has no such bytes
 * @throws HatifError VALIDATION_ERROR with status 416 if the file has no such bytes
 */
export async function openFile({ file, headers = {} }: FileReply, req: Request, res: Response): Promise<OpenReply> {
  const { bytes, contentType } = file;
  const etag = `"${file.etag}"`;
  const shared = { ...headers, 'Accept-Ranges': 'bytes', ETag: etag };
  const whole = { ...shared, 'Content-Type': contentType, 'Content-Length': String(bytes) };
  // RFC 9110 §14.2: ranges apply only to GET.
  if (req.method === 'HEAD') return { status: 200, stream: null, headers: whole };
  const range = wantedRange(req, etag, bytes);
  if (range === null) return { status: 200, stream: await file.read(), headers: whole };
  if (range === 'unsatisfiable') {
    res.setHeader('Content-Range', `bytes */${bytes}`);
    throw notSatisfiable(bytes);
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

function notSatisfiable(bytes: number): Error {
  const message = `names no byte of the file, which has ${bytes} bytes`;
  const message_ar = arabic`لا يشمل أي بايت من الملف، وحجمه ${bytes} بايت`;
  return validationError([{ path: 'Range', message, message_ar }], { status: 416 });
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
